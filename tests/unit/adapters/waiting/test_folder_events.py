"""What the system reports, against the real kernel: only changes, every loss, and every reason why
a folder cannot be watched."""

import ctypes
import errno
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.observers import inotify_c
from watchdog.observers.inotify_c import (
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    WatchDescriptor,
)
from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper

from core.adapters.waiting import folder_events, linux_observer
from core.adapters.waiting.folder_events import Event, FolderEvents
from core.model.errors import HeartbeatError
from tests.descriptors import open_descriptors

LONG = 10.0  # seconds; far more than any news takes
LOST = Event(None, "", written=False)
READING = InotifyConstants.IN_ACCESS | InotifyConstants.IN_OPEN | InotifyConstants.IN_CLOSE_NOWRITE


@pytest.fixture
def events() -> Iterator[FolderEvents]:
    made = FolderEvents()
    yield made
    made.close()


def heard_until(events: FolderEvents, last: Event) -> list[Event]:
    heard: list[Event] = []
    until = time.monotonic() + LONG
    while last not in heard:
        assert time.monotonic() < until, heard
        heard += events.wait(until - time.monotonic())

    return heard


def kernel_masks() -> set[tuple[str, str, int]]:
    """What this process has asked the kernel for, each with its descriptor and its line there."""
    return {
        (file.name, line, int(word.removeprefix("mask:"), 16))
        for file in Path("/proc/self/fdinfo").iterdir()
        for line in _lines(file)
        if line.startswith("inotify ")
        for word in line.split()
        if word.startswith("mask:")
    }


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except FileNotFoundError:  # the descriptor that listed the folder
        return []


# -- what is reported ------------------------------------------------------------------------------


def test_a_file_is_being_written_until_its_writer_closes_it(
    events: FolderEvents, tmp_path: Path
) -> None:
    assert events.watch(tmp_path)
    with open(tmp_path / "file", "wb", buffering=0) as file:
        file.write(b"text")
        heard_until(events, Event(tmp_path, "file", written=True))
    heard_until(events, Event(tmp_path, "file", written=False))


def test_a_folder_is_reported_by_the_name_that_it_was_watched_by(
    events: FolderEvents, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    assert events.watch(link)
    assert events.watch(tmp_path / "real")
    (tmp_path / "real" / "file").touch()
    heard = heard_until(events, Event(link, "file", written=False))
    heard += events.wait(0)
    assert Event(tmp_path / "real", "file", written=False) in heard


def test_folders_inside_are_not_watched(events: FolderEvents, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    assert events.watch(tmp_path)
    (tmp_path / "inside" / "file").touch()
    (tmp_path / "last").touch()
    heard = heard_until(events, Event(tmp_path, "last", written=False))
    assert {event.name for event in heard} == {"last"}


@pytest.mark.parametrize("filtered", [True, False])
def test_the_kernel_is_not_asked_to_report_reading(
    events: FolderEvents, tmp_path: Path, filtered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not filtered:
        monkeypatch.setattr(folder_events, "_FILTER", None)
    before = kernel_masks()
    events.watch(tmp_path)
    ((_, _, mask),) = kernel_masks() - before
    assert bool(mask & READING) == (not filtered)
    assert not mask & InotifyConstants.IN_ATTRIB


@pytest.mark.parametrize("at_once", [True, False])
def test_a_file_that_is_moved_away_is_reported_at_once(
    events: FolderEvents, tmp_path: Path, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watchdog would wait for the file to appear elsewhere: half a second, and here longer, so that
    a busy machine makes no difference."""
    held = 2 * LONG if at_once else 1.0
    monkeypatch.setattr(InotifyMoveEventGrouper, "delay", held)
    if not at_once:
        monkeypatch.setattr(linux_observer, "_without_waiting", lambda event: event)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").touch()
    events.watch(folder)
    started = time.monotonic()
    (folder / "file").rename(tmp_path / "file")
    heard_until(events, Event(folder, "file", written=False))
    assert (time.monotonic() - started < held) == at_once


# -- losses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [True, False])
def test_events_that_the_kernel_dropped_are_told(
    events: FolderEvents,
    tmp_path: Path,
    told: bool,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """More happens than the kernel's queue holds while the reader is busy. Watchdog alone would
    say nothing."""
    released = threading.Event()
    handle = linux_observer._Reader.handle_event if told else InotifyFD.handle_event

    def handle_when_released(reader: linux_observer._Reader, event: InotifyEvent) -> None:
        released.wait(LONG)
        handle(reader, event)

    monkeypatch.setattr(linux_observer._Reader, "handle_event", handle_when_released)
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    folder = tmp_path / "folder"
    folder.mkdir()
    events.watch(folder)

    for number in range(most):  # each is created, closed and deleted; some are read at once
        (folder / f"{number}").touch()
        (folder / f"{number}").unlink()
    released.set()
    heard = []
    number = 0
    while Event(folder, f"last {number}", written=False) not in heard:
        number += 1  # one more, for the queue may still be full
        assert number < 1000
        (folder / f"last {number}").touch()
        heard += events.wait(0.1)

    assert (LOST in heard) == told
    assert capfd.readouterr() == ("", "")
    assert events.watch(folder)  # all over again
    (folder / "after").touch()
    heard_until(events, Event(folder, "after", written=False))


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_folder_that_is_gone_is_told_and_watched_again_when_it_is_back(
    events: FolderEvents, tmp_path: Path, is_moved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the system gives the new folder the numbers of the old one."""
    monkeypatch.setattr(folder_events, "_numbers_of", lambda folder: (1, 1))
    folder = tmp_path / "folder"
    for number in range(3):
        folder.mkdir()
        assert events.watch(folder)
        (folder / "file").touch()
        heard_until(events, Event(folder, "file", written=False))
        (folder / "file").unlink()
        if is_moved:
            folder.rename(tmp_path / f"away {number}")
        else:
            folder.rmdir()
        heard_until(events, LOST)


def test_a_disk_that_is_unmounted_is_a_loss() -> None:
    told = threading.Event()
    reader = linux_observer._Reader(told.set)
    reader.start()
    reader.handle_event(InotifyEvent(WatchDescriptor(1), InotifyConstants.IN_UNMOUNT, 0, b""))
    reader.stop()
    reader.join()
    assert told.is_set()


def test_what_is_no_folder_is_not_watched(events: FolderEvents, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not events.watch(tmp_path / "file")
    assert not events.watch(tmp_path / "file" / "below")
    assert not events.watch(tmp_path / "missing")


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "number", "words"),
    [
        ("inotify_init", errno.EMFILE, "limit"),
        ("inotify_add_watch", errno.ENOSPC, "limit"),
        ("inotify_add_watch", errno.EACCES, "Permission denied"),
    ],
)
def test_a_folder_that_cannot_be_watched_is_named_and_watched_when_it_can_be(
    events: FolderEvents,
    tmp_path: Path,
    refused: str,
    number: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> int:
        ctypes.set_errno(number)
        return -1

    with monkeypatch.context() as patch:
        patch.setattr(inotify_c, refused, refuse)
        for _ in range(2):
            with pytest.raises(HeartbeatError, match=words) as caught:
                events.watch(tmp_path)
            assert str(tmp_path) in caught.value.message
            assert caught.value.hint

    assert events.watch(tmp_path)
    (tmp_path / "file").touch()
    heard_until(events, Event(tmp_path, "file", written=False))


# -- the end ---------------------------------------------------------------------------------------


def test_nothing_is_left_after_the_end(tmp_path: Path) -> None:
    threads, descriptors = set(threading.enumerate()), open_descriptors()
    for _ in range(3):
        events = FolderEvents()
        events.watch(tmp_path)
        (tmp_path / "file").write_bytes(b"text")
        assert events.wait(LONG)
        events.close()
        assert set(threading.enumerate()) - threads == set()
        assert open_descriptors() - descriptors == set()


def test_a_wake_up_is_kept_until_somebody_waits(events: FolderEvents) -> None:
    events.wake()
    assert events.wait(None) == []
    assert events.wait(0) == []
