"""What every `WorkspaceFiles` keeps, in memory and on the disk."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pytest

from core.adapters.files.backups import Backups, OwnWrites
from core.adapters.files.workspace import FilesOnDisk
from core.model.workspace_file import (
    Found,
    Missing,
    Postponed,
    Reading,
    Snapshot,
    Unchanged,
    Writing,
    Written,
)
from core.ports.files import WorkspaceFiles
from tests.fakes.files import FakeFiles
from tests.fakes.waiting import FakeClock

LATER = datetime.now(UTC) + timedelta(
    hours=1
)  # whatever the test has saved has been still for an hour
TEXT = b"\xef\xbb\xbf# Plan\r\n\r\n- **status**: PENDING\r\nfirst\r\nsecond\r\nthird\r\nlast"


@dataclass
class Pauses:
    """Time passes only here, and with it the person does something."""

    taken: list[float] = field(default_factory=list)
    meanwhile: list[Callable[[], object]] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        if self.meanwhile:
            self.meanwhile.pop(0)()


class Person(Protocol):
    """What the person in front of the file does and sees."""

    def save(self, data: bytes) -> None: ...
    def remove(self) -> None: ...
    def open_in_editor(self) -> None: ...
    def text(self) -> bytes | None: ...
    def kept(self) -> list[bytes]: ...
    def add_file(self, name: str) -> None: ...
    def add_folder(self, name: str) -> None: ...
    def add_prompt(self, name: str, text: str) -> None: ...


class PersonInMemory:
    def __init__(self, files: FakeFiles) -> None:
        self._files = files

    def save(self, data: bytes) -> None:
        self._files.data = data

    def remove(self) -> None:
        self._files.data = None

    def open_in_editor(self) -> None:
        self._files.is_open_in_editor = True

    def text(self) -> bytes | None:
        return self._files.data

    def kept(self) -> list[bytes]:
        return self._files.kept

    def add_file(self, name: str) -> None:
        self._files.names.add(name)

    def add_folder(self, name: str) -> None:
        self._files.folders.add(name)

    def add_prompt(self, name: str, text: str) -> None:
        self._files.prompts[name] = text


class PersonAtTheDisk:
    def __init__(self, path: Path, state: Path) -> None:
        self._path = path
        self._state = state

    def save(self, data: bytes) -> None:
        self._path.write_bytes(data)

    def remove(self) -> None:
        self._path.unlink()

    def open_in_editor(self) -> None:
        self._path.with_name(".HEARTBEAT.md.swp").touch()

    def text(self) -> bytes | None:
        assert self._path.parent.exists()
        assert not [entry for entry in self._path.parent.iterdir() if ".heartbeat-" in entry.name]
        return self._path.read_bytes() if self._path.exists() else None

    def kept(self) -> list[bytes]:
        return [
            version.read_bytes()
            for version in Backups(self._state, OwnWrites(self._state)).versions()
        ]

    def add_file(self, name: str) -> None:
        (self._path.parent / name).touch()

    def add_folder(self, name: str) -> None:
        (self._path.parent / name).mkdir()

    def add_prompt(self, name: str, text: str) -> None:
        folder = self._path.parent / "heartbeat"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(text)


@dataclass
class Desk:
    """The files of a workspace, and the person in front of one of them."""

    workspace: Path
    files: WorkspaceFiles
    person: Person
    pauses: Pauses

    @property
    def path(self) -> Path:
        return self.workspace / "HEARTBEAT.md"

    def read(self) -> Reading:
        return self.files.read(self.path, self.workspace)

    def write(
        self,
        base: Snapshot,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        return self.files.write(base, self.workspace, change, now, add)


def desk_in_memory(folder: Path) -> Desk:
    files = FakeFiles()
    return Desk(folder, files, PersonInMemory(files), Pauses())


def desk_on_disk(folder: Path) -> Desk:
    workspace = folder / "workspace"
    workspace.mkdir()
    state = folder / "state"
    pauses = Pauses()
    files = FilesOnDisk(state, FakeClock(LATER), pauses)
    return Desk(workspace, files, PersonAtTheDisk(workspace / "HEARTBEAT.md", state), pauses)


@pytest.fixture(params=[desk_in_memory, desk_on_disk])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    made: Desk = request.param(tmp_path)
    made.person.save(TEXT)
    return made


def finish(data: bytes) -> bytes:
    return data.replace(b"PENDING", b"COMPLETED")


def read(desk: Desk) -> Snapshot:
    reading = desk.read()
    assert isinstance(reading, Snapshot)
    return reading


def test_reading_gives_every_byte(desk: Desk) -> None:
    assert read(desk).data == TEXT
    assert desk.pauses.taken == []


def test_a_file_that_never_was_there_is_missing_at_once(desk: Desk) -> None:
    desk.person.remove()
    assert isinstance(desk.read(), Missing)
    assert desk.pauses.taken == []


def test_the_file_is_found_where_it_is(desk: Desk) -> None:
    assert desk.files.find(desk.workspace) == Found(desk.path)
    desk.person.remove()
    assert desk.files.find(desk.workspace) == Missing(desk.path)


def test_a_name_exists_for_files_and_folders_and_a_folder_is_not_a_file(desk: Desk) -> None:
    desk.person.add_file("notes.txt")
    desk.person.add_folder("data")
    assert [desk.files.exists(desk.workspace, name) for name in ("notes.txt", "data", "none")] == [
        True,
        True,
        False,
    ]
    assert desk.files.folder(desk.workspace, "data") == desk.workspace / "data"
    assert desk.files.folder(desk.workspace, "notes.txt") is None
    assert desk.files.folder(desk.workspace, "none") is None


def test_a_path_is_inside_by_where_it_leads(desk: Desk) -> None:
    def is_inside(name: str) -> bool:
        return desk.files.is_inside(desk.workspace, name)

    assert is_inside("notes.txt")
    assert is_inside("none/../notes.txt")
    assert is_inside(str(desk.workspace / "notes.txt"))
    assert not is_inside("../notes.txt")
    assert not is_inside("/etc/hosts")
    assert not is_inside(str(desk.workspace.parent))


def test_prompts_are_listed_by_name_and_read_like_any_file(desk: Desk) -> None:
    assert desk.files.prompt_files(desk.workspace) == ()
    desk.person.add_prompt("report", "Write it.")
    desk.person.add_prompt("mail", "Read it.")
    folder = desk.workspace / "heartbeat"
    assert desk.files.prompt_files(desk.workspace) == (folder / "mail.md", folder / "report.md")
    reading = desk.files.read(folder / "mail.md", desk.workspace)
    assert isinstance(reading, Snapshot)
    assert reading.data == b"Read it."
    assert isinstance(desk.files.read(folder / "none.md", desk.workspace), Missing)


def test_writing_changes_the_value_and_no_other_byte(desk: Desk) -> None:
    ending = desk.write(read(desk), finish, LATER)
    assert isinstance(ending, Written)
    assert not ending.merged
    assert desk.person.text() == ending.snapshot.data == finish(TEXT)


@pytest.mark.parametrize("change", [lambda _: None, lambda data: data])
def test_a_change_that_changes_nothing_is_not_written(
    desk: Desk, change: Callable[[bytes], bytes | None]
) -> None:
    assert desk.write(read(desk), change, LATER) == Unchanged()
    assert desk.person.kept() == []


def test_what_the_person_saved_meanwhile_is_merged(desk: Desk) -> None:
    base = read(desk)
    desk.person.save(TEXT.replace(b"third", b"third and a half"))
    ending = desk.write(base, finish, LATER)
    assert isinstance(ending, Written)
    assert ending.merged
    assert desk.person.text() == finish(TEXT).replace(b"third", b"third and a half")


def test_the_persons_line_wins(desk: Desk) -> None:
    base = read(desk)
    persons = TEXT.replace(b"PENDING", b"SKIPPED")
    desk.person.save(persons)
    assert desk.write(base, finish, LATER) == Unchanged()
    assert desk.person.text() == persons


def test_what_is_added_is_there_also_where_the_person_added_a_line_at_the_same_place(
    desk: Desk,
) -> None:
    base = read(desk)
    desk.person.save(TEXT + b"persons\n")
    assert isinstance(desk.write(base, finish, LATER, lambda data: data + b"ours\n"), Written)
    assert desk.person.text() == finish(TEXT) + b"persons\nours\n"


def test_a_second_write_goes_on_from_the_first(desk: Desk) -> None:
    first = desk.write(read(desk), lambda data: data.replace(b"PENDING", b"RUNNING"), LATER)
    assert isinstance(first, Written)
    desk.person.save(first.snapshot.data.replace(b"first", b"first of all"))
    second = desk.write(first.snapshot, lambda data: data.replace(b"RUNNING", b"COMPLETED"), LATER)
    assert isinstance(second, Written)
    assert desk.person.text() == finish(TEXT).replace(b"first", b"first of all")


def test_the_persons_versions_are_kept_and_ours_are_not(desk: Desk) -> None:
    first = desk.write(read(desk), finish, LATER)
    assert isinstance(first, Written)
    second = desk.write(first.snapshot, lambda data: data.replace(b"COMPLETED", b"PENDING"), LATER)
    assert isinstance(second, Written)
    desk.person.save(b"new\n" + TEXT)
    desk.write(read(desk), finish, LATER)
    assert desk.person.kept() == [TEXT, b"new\n" + TEXT]


def test_a_file_that_is_open_in_an_editor_is_left_alone(desk: Desk) -> None:
    base = read(desk)
    desk.person.open_in_editor()
    assert isinstance(desk.write(base, finish, LATER - timedelta(hours=1)), Postponed)
    assert desk.person.text() == TEXT


def test_a_file_that_has_vanished_is_not_made_again(desk: Desk) -> None:
    base = read(desk)
    desk.person.remove()
    assert isinstance(desk.write(base, finish, LATER), Postponed)
    assert desk.person.text() is None


def test_a_file_that_lost_half_its_text_is_left_alone(desk: Desk) -> None:
    base = read(desk)
    desk.person.save(TEXT[:10])
    assert isinstance(desk.write(base, finish, LATER), Postponed)
    assert desk.person.text() == TEXT[:10]
