"""A person who saves at the worst moment of a write: after our last check, or into the version
that we displace."""

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.adapters.files import lease, swap
from core.adapters.files.backups import Backups, OwnWrites
from core.adapters.files.read import read
from core.adapters.files.save import SharedFile
from core.model.workspace_file import Failed, Snapshot, Written

TEXT = b"- **status**: PENDING\none\ntwo\nthree\n"
HALF = TEXT[: len(TEXT) // 2]
LATER = datetime.now(UTC) + timedelta(hours=1)


def finish(data: bytes) -> bytes:
    return data.replace(b"PENDING", b"COMPLETED")


class Desk:
    """A workspace, and a list of what the person does at the next pauses or swaps of names."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.path = self.workspace / "HEARTBEAT.md"
        self.path.write_bytes(TEXT)
        self.backups = Backups(folder / "state", OwnWrites(folder / "state"))
        self.at_pause: list[Callable[[], object]] = []
        self.before_swap: list[Callable[[], object]] = []
        self.file = SharedFile(self.path, self.workspace, folder / "state", self.pause)
        self._swap_names = swap.swap_names
        monkeypatch.setattr(swap, "swap_names", self.swap_names)

    def pause(self, seconds: float) -> None:
        if self.at_pause:
            self.at_pause.pop(0)()

    def swap_names(self, one: Path, other: Path) -> bool:
        if self.before_swap:
            self.before_swap.pop(0)()
        return self._swap_names(one, other)

    def write(self) -> object:
        base = read(self.path, self.workspace)
        assert isinstance(base, Snapshot)
        ending = self.file.write(base, finish, LATER)
        assert [
            entry.name for entry in self.workspace.iterdir() if ".heartbeat-" in entry.name
        ] == []
        return ending

    def rename_over(self, data: bytes) -> None:
        new = self.workspace.parent / "new"
        new.write_bytes(data)
        new.replace(self.path)

    def displaced(self) -> Path:
        (path,) = (entry for entry in self.workspace.iterdir() if ".heartbeat-" in entry.name)
        return path

    def kept(self) -> list[bytes]:
        return [version.read_bytes() for version in self.backups.versions()]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


@pytest.fixture
def no_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "take", lambda opened: lease.Lease.UNKNOWN)


@pytest.fixture
def no_swap(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap, "swap_names", lambda one, other: False)


def test_a_version_renamed_there_after_our_last_look_is_merged(desk: Desk) -> None:
    desk.before_swap.append(lambda: desk.rename_over(TEXT + b"saved\n"))
    ending = desk.write()
    assert isinstance(ending, Written)
    assert ending.merged
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"
    assert TEXT + b"saved\n" in desk.kept()


def test_a_version_renamed_there_while_we_undo_that_is_merged_too(desk: Desk) -> None:
    desk.before_swap += [
        lambda: desk.rename_over(TEXT + b"saved\n"),
        lambda: desk.rename_over(TEXT + b"saved\nagain\n"),
    ]
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\nagain\n"


def test_a_file_created_by_an_editor_that_still_writes_it_gets_its_name_back(desk: Desk) -> None:
    """Vim has renamed the file away and holds the new, empty one."""
    opened: list[int] = []

    def create() -> None:
        desk.path.rename(desk.workspace / "HEARTBEAT.md~")
        opened.append(os.open(desk.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))

    def fill() -> None:
        os.write(opened[0], TEXT + b"saved\n")
        os.close(opened[0])

    desk.before_swap.append(create)
    desk.at_pause.append(fill)
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"


def test_a_file_renamed_away_at_the_last_moment_is_not_created_again(desk: Desk) -> None:
    desk.before_swap.append(lambda: desk.path.rename(desk.workspace / "HEARTBEAT.md~"))
    desk.at_pause.append(lambda: desk.path.write_bytes(TEXT + b"saved\n"))
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"


def test_a_program_that_opens_the_displaced_version_waits_and_gets_it_back_under_its_name(
    desk: Desk,
) -> None:
    """It had found the old version by its name a moment before the swap."""
    path: list[Path] = []

    def save_in_place() -> None:
        with open(path[0], "wb") as file:  # here it waits for our lease
            file.write(TEXT + b"saved\n")

    editor = threading.Thread(target=save_in_place)

    def open_displaced() -> None:
        path.append(desk.displaced())
        opened = os.open(path[0], os.O_RDONLY)
        editor.start()
        while not any(
            " BREAKING " in line and f":{os.fstat(opened).st_ino} " in line for line in leases()
        ):
            assert editor.is_alive()
        os.close(opened)

    def leases() -> list[str]:
        return Path("/proc/locks").read_text().splitlines()

    desk.at_pause += [open_displaced, editor.join]
    ending = desk.write()
    assert isinstance(ending, Written)
    assert ending.merged
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"


@pytest.mark.usefixtures("no_leases")
def test_without_leases_a_late_writer_is_known_by_what_it_wrote(desk: Desk) -> None:
    desk.at_pause.append(lambda: desk.displaced().write_bytes(TEXT + b"saved\n"))
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"


@pytest.mark.usefixtures("no_leases")
def test_two_saves_one_into_the_old_version_and_one_into_the_new_are_both_merged(
    desk: Desk,
) -> None:
    def save_twice() -> None:
        desk.displaced().write_bytes(TEXT + b"first\n")
        desk.path.write_bytes(desk.path.read_bytes() + b"second\n")

    desk.at_pause.append(save_twice)
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"first\nsecond\n"


@pytest.mark.usefixtures("no_leases")
def test_a_late_save_is_merged_also_where_its_version_cannot_get_its_name_back(desk: Desk) -> None:
    def save_twice() -> None:
        desk.displaced().write_bytes(TEXT + b"first\n")
        desk.rename_over(finish(TEXT) + b"second\n")

    desk.at_pause.append(save_twice)
    desk.write()
    assert set(desk.path.read_bytes().splitlines()) >= {
        b"first",
        b"second",
        b"one",
        b"two",
        b"three",
    }


@pytest.mark.usefixtures("no_swap")
def test_without_a_swap_a_write_is_a_rename(desk: Desk) -> None:
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT)
    assert desk.kept() == [TEXT]


@pytest.mark.usefixtures("no_leases", "no_swap")
def test_without_a_swap_a_late_save_is_merged_from_the_version_that_lost_its_name(
    desk: Desk,
) -> None:
    opened = os.open(desk.path, os.O_WRONLY)

    def save_in_place() -> None:
        os.ftruncate(opened, 0)
        os.write(opened, TEXT + b"saved\n")
        os.close(opened)

    desk.at_pause.append(save_in_place)
    desk.write()
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"
    assert TEXT + b"saved\n" in desk.kept()


@pytest.mark.usefixtures("no_leases", "no_swap")
def test_a_late_writer_that_only_emptied_its_version_empties_nothing_else(desk: Desk) -> None:
    opened = os.open(desk.path, os.O_WRONLY)

    def empty() -> None:
        os.ftruncate(opened, 0)
        os.close(opened)

    desk.at_pause.append(empty)
    desk.write()
    assert desk.path.read_bytes() == finish(TEXT)


@pytest.mark.usefixtures("no_leases", "no_swap")
def test_a_late_save_that_stopped_half_way_is_kept_and_deletes_nothing(desk: Desk) -> None:
    """A program that crashed in the middle of writing into the version that lost its name."""
    opened = os.open(desk.path, os.O_WRONLY)

    def write_half() -> None:
        os.ftruncate(opened, 0)
        os.write(opened, HALF)
        os.close(opened)

    desk.at_pause.append(write_half)
    desk.write()
    assert desk.path.read_bytes() == finish(TEXT)
    assert HALF in desk.kept()


@pytest.mark.usefixtures("no_leases")
def test_half_a_save_into_the_new_version_is_kept_and_deletes_nothing(desk: Desk) -> None:
    """While the old version gets its name back because of a whole save into it."""

    def save_one_and_a_half() -> None:
        desk.displaced().write_bytes(TEXT + b"saved\n")
        desk.path.write_bytes(HALF)

    desk.at_pause.append(save_one_and_a_half)
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"
    assert HALF in desk.kept()


def test_a_folder_that_cannot_be_flushed_leaves_the_file_as_it_was(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("core.adapters.files.save.flush_folder", fail)
    ending = desk.write()
    assert isinstance(ending, Failed)
    assert "Input/output error" in ending.reason
    assert desk.path.read_bytes() == TEXT


def test_the_program_survives_the_signal_that_a_lease_is_wanted(desk: Desk) -> None:
    """The default one, SIGIO, would end the process."""
    opened = os.open(desk.path, os.O_RDONLY)
    assert lease.take(opened) is lease.Lease.HELD
    with pytest.raises(BlockingIOError):
        os.open(desk.path, os.O_WRONLY | os.O_NONBLOCK)
    assert lease.is_wanted(opened)
    lease.let_go(opened)
    os.close(opened)
