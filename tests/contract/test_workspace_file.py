"""What every `WorkspaceFile` keeps, in memory and on the disk."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pytest

from core.adapters.backups import Backups
from core.adapters.file_writer import FileOnDisk
from core.adapters.own_writes import OwnWrites
from core.model.workspace_file import Missing, Postponed, Snapshot, Unchanged, Written
from core.ports import WorkspaceFile
from tests.fake_files import FakeWorkspaceFile

LATER = datetime.now(UTC) + timedelta(hours=1)  # whatever the test has saved has been still for an hour
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


class Desk(Protocol):
    """The file and the person in front of it."""

    file: WorkspaceFile
    pauses: Pauses

    def save(self, data: bytes) -> None: ...
    def remove(self) -> None: ...
    def open_in_editor(self) -> None: ...
    def text(self) -> bytes | None: ...
    def kept(self) -> list[bytes]: ...


class DeskInMemory:
    def __init__(self, folder: Path) -> None:
        self.pauses = Pauses()
        self.fake = FakeWorkspaceFile(None, self.pauses)
        self.file: WorkspaceFile = self.fake

    def save(self, data: bytes) -> None:
        self.fake.data = data

    def remove(self) -> None:
        self.fake.data = None

    def open_in_editor(self) -> None:
        self.fake.in_editor = True

    def text(self) -> bytes | None:
        return self.fake.data

    def kept(self) -> list[bytes]:
        return self.fake.kept


class DeskOnDisk:
    def __init__(self, folder: Path) -> None:
        self.pauses = Pauses()
        self.path = folder / "workspace" / "HEARTBEAT.md"
        self.path.parent.mkdir()
        self.state = folder / "state"
        self.file: WorkspaceFile = FileOnDisk(self.path, self.path.parent, self.state, self.pauses)

    def save(self, data: bytes) -> None:
        self.path.write_bytes(data)

    def remove(self) -> None:
        self.path.unlink()

    def open_in_editor(self) -> None:
        self.path.with_name(".HEARTBEAT.md.swp").touch()

    def text(self) -> bytes | None:
        assert self.path.parent.exists()
        assert not [entry for entry in self.path.parent.iterdir() if ".heartbeat-" in entry.name]
        return self.path.read_bytes() if self.path.exists() else None

    def kept(self) -> list[bytes]:
        return [version.read_bytes() for version in Backups(self.state, OwnWrites(self.state)).versions()]


@pytest.fixture(params=[DeskInMemory, DeskOnDisk])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    made: Desk = request.param(tmp_path)
    made.save(TEXT)
    return made


def finish(data: bytes) -> bytes:
    return data.replace(b"PENDING", b"COMPLETED")


def read(desk: Desk) -> Snapshot:
    reading = desk.file.read(None, LATER)
    assert isinstance(reading, Snapshot)
    return reading


def test_reading_gives_every_byte(desk: Desk) -> None:
    assert read(desk).data == TEXT
    assert desk.pauses.taken == []


def test_a_file_that_never_was_there_is_missing_at_once(desk: Desk) -> None:
    desk.remove()
    assert isinstance(desk.file.read(None, LATER), Missing)
    assert desk.pauses.taken == []


def test_a_file_that_vanished_is_missing_only_after_a_second_look(desk: Desk) -> None:
    desk.remove()
    assert isinstance(desk.file.read(len(TEXT), LATER), Missing)
    assert desk.pauses.taken == [1.0]


def test_a_half_saved_file_is_whole_at_the_second_look(desk: Desk) -> None:
    desk.save(TEXT[:10])
    desk.pauses.meanwhile.append(lambda: desk.save(TEXT))
    reading = desk.file.read(len(TEXT), LATER)
    assert isinstance(reading, Snapshot)
    assert reading.data == TEXT


def test_writing_changes_the_value_and_no_other_byte(desk: Desk) -> None:
    ending = desk.file.write(read(desk), finish, LATER)
    assert isinstance(ending, Written)
    assert not ending.merged
    assert desk.text() == ending.snapshot.data == finish(TEXT)


@pytest.mark.parametrize("change", [lambda _: None, lambda data: data])
def test_a_change_that_changes_nothing_is_not_written(desk: Desk, change: Callable[[bytes], bytes | None]) -> None:
    assert desk.file.write(read(desk), change, LATER) == Unchanged()
    assert desk.kept() == []


def test_what_the_person_saved_meanwhile_is_merged(desk: Desk) -> None:
    base = read(desk)
    desk.save(TEXT.replace(b"third", b"third and a half"))
    ending = desk.file.write(base, finish, LATER)
    assert isinstance(ending, Written)
    assert ending.merged
    assert desk.text() == finish(TEXT).replace(b"third", b"third and a half")


def test_the_persons_line_wins(desk: Desk) -> None:
    base = read(desk)
    persons = TEXT.replace(b"PENDING", b"SKIPPED")
    desk.save(persons)
    assert desk.file.write(base, finish, LATER) == Unchanged()
    assert desk.text() == persons


def test_what_is_added_stands_also_where_the_person_added_a_line_at_the_same_place(desk: Desk) -> None:
    base = read(desk)
    desk.save(TEXT + b"persons\n")
    assert isinstance(desk.file.write(base, finish, LATER, lambda data: data + b"ours\n"), Written)
    assert desk.text() == finish(TEXT) + b"persons\nours\n"


def test_a_second_write_goes_on_from_the_first(desk: Desk) -> None:
    first = desk.file.write(read(desk), lambda data: data.replace(b"PENDING", b"RUNNING"), LATER)
    assert isinstance(first, Written)
    desk.save(first.snapshot.data.replace(b"first", b"first of all"))
    second = desk.file.write(first.snapshot, lambda data: data.replace(b"RUNNING", b"COMPLETED"), LATER)
    assert isinstance(second, Written)
    assert desk.text() == finish(TEXT).replace(b"first", b"first of all")


def test_the_persons_versions_are_kept_and_ours_are_not(desk: Desk) -> None:
    first = desk.file.write(read(desk), finish, LATER)
    assert isinstance(first, Written)
    second = desk.file.write(first.snapshot, lambda data: data.replace(b"COMPLETED", b"PENDING"), LATER)
    assert isinstance(second, Written)
    desk.save(b"new\n" + TEXT)
    desk.file.write(read(desk), finish, LATER)
    assert desk.kept() == [TEXT, b"new\n" + TEXT]


def test_a_file_that_is_open_in_an_editor_is_left_alone(desk: Desk) -> None:
    base = read(desk)
    desk.open_in_editor()
    assert isinstance(desk.file.write(base, finish, LATER - timedelta(hours=1)), Postponed)
    assert desk.text() == TEXT


def test_a_file_that_has_vanished_is_not_made_anew(desk: Desk) -> None:
    base = read(desk)
    desk.remove()
    assert isinstance(desk.file.write(base, finish, LATER), Postponed)
    assert desk.text() is None


def test_a_file_that_lost_half_its_text_is_left_alone(desk: Desk) -> None:
    base = read(desk)
    desk.save(TEXT[:10])
    assert isinstance(desk.file.write(base, finish, LATER), Postponed)
    assert desk.text() == TEXT[:10]
