"""However a person saves, the watcher reports it once, soon, and reports nothing else."""

import math
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, Queue

import pytest

from core.adapters.files.backups import OwnWrites
from core.adapters.files.read import read_settled
from core.adapters.files.save import SharedFile
from core.adapters.waiting.folder_events import Event, FolderEvents, cannot_watch
from core.adapters.waiting.watcher import FolderWatcher
from core.model.errors import HeartbeatError
from core.model.workspace_file import Snapshot, Written
from tests.person import START, WAYS

SOON = 2.0  # seconds from the end of a save to the news of it


class Desk:
    """A workspace with prompts, memory and settings, and the news that the watcher brings."""

    def __init__(self, folder: Path, events: FolderEvents, *, is_new: bool = True) -> None:
        self.workspace = folder / "workspace"
        for name in ("heartbeat", "memory") if is_new else ():
            (self.workspace / name).mkdir(parents=True)
        self.path = self.workspace / "HEARTBEAT.md"
        self.path.write_bytes(START)
        self.settings = folder / "config" / "config.toml"
        self.state = folder / "state"
        self.news: Queue[frozenset[Path]] = Queue()
        self._latest = math.inf
        self.watcher = FolderWatcher(
            self.workspace,
            self.settings,
            OwnWrites(self.state).explain,
            self.news.put,
            lambda: min(time.monotonic(), self._latest),
            events=events,
        )
        self.watcher.start()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """For the watcher, what is done here takes no longer, however busy the machine is."""
        self._latest = time.monotonic() + seconds
        yield
        self._latest = math.inf

    def tells_once_of(self, *paths: Path) -> None:
        assert self.news.get(timeout=SOON + 1) == set(
            paths
        )  # one more second: other tests share the machine
        self.tells_nothing()

    def tells_nothing(self) -> None:
        """Everything that had to be reported is reported before a change that comes after it."""
        marker = self.workspace / "memory" / "MEMORY.md"
        marker.write_bytes(os.urandom(8))
        assert self.news.get(timeout=SOON + 1) == {marker}
        with pytest.raises(Empty):
            self.news.get_nowait()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, FolderEvents())
    yield made
    made.watcher.stop()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_one_save_is_one_change(desk: Desk, way: Callable[[Path, bytes], None]) -> None:
    for number in range(2):  # the second time, what the first left behind must not matter
        way(desk.path, START + b"note %d\n" % number)
        desk.tells_once_of(desk.path)


def test_saves_of_real_programs_are_reported_once_each(desk: Desk) -> None:
    subprocess.run(["sed", "-i", "s/first/very first/", desk.path], check=True)
    desk.tells_once_of(desk.path)
    elsewhere = desk.workspace.parent / "elsewhere.md"
    elsewhere.write_bytes(START)
    subprocess.run(["mv", elsewhere, desk.path], check=True)
    desk.tells_once_of(desk.path)
    git = [
        "git",
        "-C",
        str(desk.workspace),
        "-c",
        "user.name=Ann",
        "-c",
        "user.email=ann@localhost",
    ]
    for words in (["init", "-q"], ["add", "HEARTBEAT.md"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    desk.path.write_bytes(START + b"more\n")
    desk.tells_once_of(desk.path)
    subprocess.run([*git, "checkout", "-q", "--", "HEARTBEAT.md"], check=True)
    desk.tells_once_of(desk.path)


def test_many_saves_in_a_row_are_one_change(desk: Desk) -> None:
    with desk.within(0):
        for number in range(20):
            WAYS["vim"](desk.path, START + b"note %d\n" % number)
    desk.tells_once_of(desk.path)


def test_a_save_that_changes_nothing_is_not_a_change(desk: Desk) -> None:
    WAYS["nano"](desk.path, START)
    desk.path.touch()
    desk.path.chmod(0o600)
    desk.tells_nothing()


def test_reading_is_not_a_change(desk: Desk) -> None:
    for _ in range(50):
        desk.path.read_bytes()
    desk.tells_nothing()


def test_a_file_that_is_deleted_for_good_is_reported(desk: Desk) -> None:
    desk.path.unlink()
    desk.tells_once_of(desk.path)
    desk.path.write_bytes(START)
    desk.tells_once_of(desk.path)


def test_a_program_that_empties_the_file_and_thinks_for_a_while_is_waited_for(desk: Desk) -> None:
    with desk.within(0.9):
        desk.path.write_bytes(b"")
        with pytest.raises(Empty):
            # longer than the quiet window, shorter than the second check
            desk.news.get(timeout=0.7)
        desk.path.write_bytes(START + b"thought\n")
    desk.tells_once_of(desk.path)


def test_a_program_that_writes_slowly_is_waited_for_until_it_closes_the_file(desk: Desk) -> None:
    with desk.within(1.5), open(desk.path, "ab", buffering=0) as file:
        for number in range(2):
            file.write(b"slow note %d\n" % number)
            with pytest.raises(Empty):
                desk.news.get(timeout=0.5)
    desk.tells_once_of(desk.path)


def test_prompts_memory_and_settings_count_and_other_files_do_not(desk: Desk) -> None:
    for name in (
        "notes.md",
        ".HEARTBEAT.md.swp",
        "HEARTBEAT.md~",
        "4913",
        ".HEARTBEAT.md.heartbeat-0a1b2c3d",
    ):
        (desk.workspace / name).write_bytes(b"text")
    for name in ("news.md~", "news.sync-conflict-1.md", ".heartbeat-state.json"):
        (desk.workspace / "heartbeat" / name).write_bytes(b"text")
    desk.tells_nothing()
    paths = (
        desk.workspace / "heartbeat" / "news.md",
        desk.workspace / "memory" / "MEMORY.md",
        desk.workspace / "config.json",
        desk.settings,
    )
    with desk.within(0):
        for path in paths:
            path.write_bytes(b"text")
    desk.tells_once_of(*paths)


def test_a_second_spelling_of_the_name_is_reported(desk: Desk) -> None:
    other = desk.workspace / "Heartbeat.md"
    other.write_bytes(b"text")
    desk.tells_once_of(other)


def test_a_prompts_folder_that_is_made_again_is_watched(desk: Desk) -> None:
    folder = desk.workspace / "heartbeat"
    for _ in range(2):
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "news.md").write_bytes(os.urandom(8))
        desk.tells_once_of(folder / "news.md")


def test_what_the_system_does_not_report_is_found_by_a_check(desk: Desk) -> None:
    away = desk.workspace.with_name("away")
    desk.workspace.rename(away)
    desk.path.parent.mkdir()
    (away / "memory").rename(desk.workspace / "memory")
    desk.path.write_bytes(START + b"new\n")
    desk.watcher.check()
    desk.tells_once_of(desk.path)


def test_a_workspace_that_is_moved_away_is_reported(desk: Desk) -> None:
    desk.workspace.rename(desk.workspace.with_name("away"))
    assert desk.news.get(timeout=SOON + 1) == {desk.path}


def test_a_workspace_that_comes_back_is_reported_and_watched_again(desk: Desk) -> None:
    above = desk.workspace.parent
    away = above / "away"
    files = {desk.path, desk.workspace / "memory" / "MEMORY.md"}
    desk.tells_nothing()
    for number in range(2):
        desk.workspace.rename(away)
        assert desk.news.get(timeout=SOON + 1) == files
        (above / f"other {number}").mkdir()  # what else comes there is not news
        away.rename(desk.workspace)
        assert desk.news.get(timeout=SOON + 1) == files
        desk.path.write_bytes(START + b"%d\n" % number)
        desk.tells_once_of(desk.path)


def test_a_link_that_leads_to_itself_stops_no_watch(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FolderEvents())
    desk.watcher.stop()
    (desk.workspace / "heartbeat").rmdir()
    (desk.workspace / "heartbeat").symlink_to("heartbeat")
    desk = Desk(tmp_path, FolderEvents(), is_new=False)
    for path in (desk.settings, desk.path):
        path.write_bytes(b"new")
        desk.tells_once_of(path)
    desk.watcher.stop()


def test_settings_that_are_removed_with_their_folder_are_reported(desk: Desk) -> None:
    for _ in range(2):
        desk.settings.parent.mkdir(exist_ok=True)
        desk.settings.write_bytes(b"text")
        desk.watcher.check()  # nothing watches for a folder that is not there
        desk.tells_once_of(desk.settings)
        shutil.rmtree(desk.settings.parent)
        desk.tells_once_of(desk.settings)


def test_the_programs_own_writes_are_not_news_but_the_persons_between_them_are(desk: Desk) -> None:
    file = SharedFile(desk.path, desk.workspace, desk.state, time.sleep)

    def write(text: bytes) -> None:
        base = read_settled(desk.path, desk.workspace, datetime.now(UTC), time.sleep)
        assert isinstance(base, Snapshot)
        ending = file.write(base, lambda data: data.replace(b"PENDING", text), datetime.now(UTC))
        assert isinstance(ending, Written)

    write(b"RUNNING")
    desk.tells_nothing()
    ours = desk.path.read_bytes()
    desk.path.write_bytes(START)
    desk.tells_once_of(desk.path)
    WAYS["sed"](
        desk.path, ours
    )  # the very text that the program once wrote, but now it is the person's
    desk.tells_once_of(desk.path)
    desk.path.write_bytes(START + b"saved\n")
    write(b"RUNNING")  # before the watcher has seen the person's save
    desk.tells_once_of(desk.path)


def test_the_target_of_a_link_is_watched(tmp_path: Path) -> None:
    (tmp_path / "workspace" / "notes").mkdir(parents=True)
    real = tmp_path / "workspace" / "notes" / "real.md"
    real.write_bytes(START)
    (tmp_path / "workspace" / "HEARTBEAT.md").symlink_to("notes/real.md")
    desk_news: Queue[frozenset[Path]] = Queue()
    watcher = FolderWatcher(
        tmp_path / "workspace",
        tmp_path / "config" / "config.toml",
        lambda before, after: False,
        desk_news.put,
        time.monotonic,
    )
    watcher.start()
    for number in range(2):
        WAYS["sed"](real, START + b"note %d\n" % number)
        assert desk_news.get(timeout=SOON + 1) == {tmp_path / "workspace" / "HEARTBEAT.md"}
    watcher.stop()
    assert desk_news.empty()


def test_a_prompts_folder_that_is_a_link_is_watched(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "heartbeat").symlink_to("prompts")
    (tmp_path / "prompts" / "old.md").write_bytes(b"text")
    news: Queue[frozenset[Path]] = Queue()
    watcher = FolderWatcher(
        tmp_path,
        tmp_path / "config.toml",
        lambda before, after: False,
        news.put,
        time.monotonic,
    )
    watcher.start()
    (tmp_path / "prompts" / "new.md").write_bytes(b"text")
    assert news.get(timeout=SOON + 1) == {tmp_path / "heartbeat" / "new.md"}
    watcher.stop()


class Overflowing(FolderEvents):
    """A kernel whose queue is always too full: it tells that something has happened, and no
    more."""

    def wait(self, seconds: float | None) -> list[Event]:
        return [Event(None, "", written=False)] if super().wait(seconds) else []


def test_lost_events_make_the_watcher_check(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Overflowing())
    desk.path.write_bytes(START + b"more\n")
    desk.tells_once_of(desk.path)
    desk.watcher.stop()


def test_another_name_for_the_file_is_watched_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    news: Queue[frozenset[Path]] = Queue()
    watcher = FolderWatcher(
        tmp_path,
        tmp_path / "config.toml",
        lambda before, after: False,
        news.put,
        time.monotonic,
        heartbeat_file="notes/beat.md",
    )
    watcher.start()
    (tmp_path / "notes" / "beat.md").write_bytes(b"text")
    assert news.get(timeout=SOON + 1) == {tmp_path / "notes" / "beat.md"}
    watcher.stop()


def test_where_the_system_watches_no_more_folders_looking_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit on watches is reached: the person is warned, and nothing is missed at the next
    tick."""
    events = FolderEvents()

    def refuse(folder: Path) -> bool:
        raise cannot_watch(folder, 28)

    monkeypatch.setattr(events, "watch", refuse)
    news: Queue[frozenset[Path]] = Queue()
    watcher = FolderWatcher(
        tmp_path,
        tmp_path / "config.toml",
        lambda before, after: False,
        news.put,
        time.monotonic,
        events=events,
    )
    with pytest.raises(HeartbeatError, match="limit") as caught:
        watcher.start()
    assert "sysctl" in caught.value.hint
    (tmp_path / "HEARTBEAT.md").write_bytes(START)
    watcher.check()
    assert news.get(timeout=SOON + 1) == {tmp_path / "HEARTBEAT.md"}
    watcher.stop()
