"""A person who saves at the worst moment of a write: after our last look, or into the version that we displace."""

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.adapters import exchange, lease
from core.adapters.backups import Backups
from core.adapters.file_writer import FileOnDisk
from core.adapters.own_writes import OwnWrites
from core.adapters.workspace_file import read
from core.model.workspace_file import Failed, Snapshot, Written

TEXT = b"- **status**: PENDING\none\ntwo\nthree\n"
LATER = datetime.now(UTC) + timedelta(hours=1)


def finish(data: bytes) -> bytes:
    return data.replace(b"PENDING", b"COMPLETED")


class Desk:
    """A workspace, and a list of what the person does at the next pauses or exchanges of names."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.path = self.workspace / "HEARTBEAT.md"
        self.path.write_bytes(TEXT)
        self.backups = Backups(folder / "state", OwnWrites(folder / "state"))
        self.at_pause: list[Callable[[], object]] = []
        self.before_exchange: list[Callable[[], object]] = []
        self.file = FileOnDisk(self.path, self.workspace, folder / "state", self.pause)
        self._exchange = exchange.exchange
        monkeypatch.setattr(exchange, "exchange", self.exchange)

    def pause(self, seconds: float) -> None:
        if self.at_pause:
            self.at_pause.pop(0)()

    def exchange(self, one: Path, other: Path) -> bool:
        if self.before_exchange:
            self.before_exchange.pop(0)()
        return self._exchange(one, other)

    def write(self) -> object:
        base = read(self.path, self.workspace)
        assert isinstance(base, Snapshot)
        ending = self.file.write(base, finish, LATER)
        assert [entry.name for entry in self.workspace.iterdir() if ".heartbeat-" in entry.name] == []
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
def no_exchange(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "exchange", lambda one, other: False)


def test_a_version_renamed_there_after_our_last_look_is_merged(desk: Desk) -> None:
    desk.before_exchange.append(lambda: desk.rename_over(TEXT + b"saved\n"))
    ending = desk.write()
    assert isinstance(ending, Written)
    assert ending.merged
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"
    assert TEXT + b"saved\n" in desk.kept()


def test_so_is_one_renamed_there_while_we_undo_that(desk: Desk) -> None:
    desk.before_exchange += [
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

    desk.before_exchange.append(create)
    desk.at_pause.append(fill)
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"


def test_a_file_that_is_renamed_away_at_the_last_moment_is_not_made_up_for(desk: Desk) -> None:
    desk.before_exchange.append(lambda: desk.path.rename(desk.workspace / "HEARTBEAT.md~"))
    desk.at_pause.append(lambda: desk.path.write_bytes(TEXT + b"saved\n"))
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"


def test_a_program_that_opens_the_displaced_version_waits_and_gets_it_back_under_its_name(desk: Desk) -> None:
    """It had found the old version by its name a moment before the exchange."""
    path: list[Path] = []

    def save_in_place() -> None:
        with open(path[0], "wb") as file:  # here it waits for our lease
            file.write(TEXT + b"saved\n")

    editor = threading.Thread(target=save_in_place)

    def open_displaced() -> None:
        path.append(desk.displaced())
        opened = os.open(path[0], os.O_RDONLY)
        editor.start()
        while not any(" BREAKING " in line and f":{os.fstat(opened).st_ino} " in line for line in leases()):
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
def test_two_saves_one_into_the_old_version_and_one_into_the_new_are_both_merged(desk: Desk) -> None:
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
    assert set(desk.path.read_bytes().splitlines()) >= {b"first", b"second", b"one", b"two", b"three"}


@pytest.mark.usefixtures("no_exchange")
def test_without_an_exchange_a_write_is_a_rename(desk: Desk) -> None:
    assert isinstance(desk.write(), Written)
    assert desk.path.read_bytes() == finish(TEXT)
    assert desk.kept() == [TEXT]


@pytest.mark.usefixtures("no_leases", "no_exchange")
def test_without_an_exchange_a_late_save_is_merged_from_the_version_that_lost_its_name(desk: Desk) -> None:
    opened = os.open(desk.path, os.O_WRONLY)

    def save_in_place() -> None:
        os.ftruncate(opened, 0)
        os.write(opened, TEXT + b"saved\n")
        os.close(opened)

    desk.at_pause.append(save_in_place)
    desk.write()
    assert desk.path.read_bytes() == finish(TEXT) + b"saved\n"
    assert TEXT + b"saved\n" in desk.kept()


@pytest.mark.usefixtures("no_leases", "no_exchange")
def test_a_late_writer_that_only_emptied_its_version_empties_nothing_else(desk: Desk) -> None:
    opened = os.open(desk.path, os.O_WRONLY)

    def empty() -> None:
        os.ftruncate(opened, 0)
        os.close(opened)

    desk.at_pause.append(empty)
    desk.write()
    assert desk.path.read_bytes() == finish(TEXT)


def test_a_folder_that_cannot_be_flushed_leaves_the_file_as_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("core.adapters.temporary_file.flush_folder", fail)
    ending = desk.write()
    assert isinstance(ending, Failed)
    assert "Input/output error" in ending.reason
    assert desk.path.read_bytes() == TEXT


def test_the_program_survives_the_signal_that_somebody_waits(desk: Desk) -> None:
    """The default one, SIGIO, would end the process."""
    opened = os.open(desk.path, os.O_RDONLY)
    assert lease.take(opened) is lease.Lease.HELD
    with pytest.raises(BlockingIOError):
        os.open(desk.path, os.O_WRONLY | os.O_NONBLOCK)
    assert lease.is_wanted(opened)
    lease.let_go(opened)
    os.close(opened)
