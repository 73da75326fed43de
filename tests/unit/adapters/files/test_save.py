"""What a write keeps of the file on the disk, and when it lets the person go first."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.adapters.files.backups import KEPT, Backups, OwnWrites
from core.adapters.files.read import LIMIT, read
from core.adapters.files.save import SharedFile
from core.model.workspace_file import Failed, Postponed, Snapshot, Unchanged, Written

TEXT = b"- **status**: PENDING\nnote\n"
NOW = datetime.now(UTC)
LATER = NOW + timedelta(hours=1)


def finish(data: bytes) -> bytes:
    return data.replace(b"PENDING", b"COMPLETED")


class Desk:
    """A workspace with one file in it."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.path = self.workspace / "HEARTBEAT.md"
        self.path.write_bytes(TEXT)
        self.backups = Backups(folder / "state", OwnWrites(folder / "state"))
        self.paused: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.file = SharedFile(self.path, self.workspace, folder / "state", self.pause)

    def pause(self, seconds: float) -> None:
        self.paused.append(seconds)
        self.meanwhile()

    def read(self) -> Snapshot:
        reading = read(self.path, self.workspace)
        assert isinstance(reading, Snapshot)
        return reading

    def names(self) -> list[str]:
        return sorted(entry.name for entry in self.workspace.iterdir())


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o664, 0o755])
def test_the_mode_stays(desk: Desk, mode: int) -> None:
    desk.path.chmod(mode)
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert desk.path.stat().st_mode & 0o7777 == mode


def test_a_read_only_file_is_not_written(desk: Desk) -> None:
    desk.path.chmod(0o444)
    ending = desk.file.write(desk.read(), finish, LATER)
    assert isinstance(ending, Failed)
    assert "read-only" in ending.reason
    assert desk.path.read_bytes() == TEXT


def test_the_owner_stays(desk: Desk) -> None:
    if os.geteuid() == 0:  # only root can give a file away
        os.chown(desk.path, 65534, 65534)
    owner = desk.path.stat().st_uid, desk.path.stat().st_gid
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert (desk.path.stat().st_uid, desk.path.stat().st_gid) == owner


def test_extended_attributes_stay(desk: Desk) -> None:
    os.setxattr(desk.path, "user.tag", b"important")
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert os.getxattr(desk.path, "user.tag") == b"important"


def test_a_link_stays_a_link_and_its_target_is_written(desk: Desk) -> None:
    (desk.workspace / "notes").mkdir()
    target = desk.workspace / "notes" / "real.md"
    desk.path.rename(target)
    desk.path.symlink_to("notes/real.md")
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert desk.path.is_symlink()
    assert target.read_bytes() == finish(TEXT)
    assert desk.names() == ["HEARTBEAT.md", "notes"]
    assert [entry.name for entry in target.parent.iterdir()] == ["real.md"]


def test_a_link_that_leaves_the_workspace_is_not_written_through(desk: Desk) -> None:
    base = desk.read()
    outside = desk.workspace.parent / "outside.md"
    desk.path.rename(outside)
    desk.path.symlink_to(outside)
    assert isinstance(desk.file.write(base, finish, LATER), Postponed)
    assert outside.read_bytes() == TEXT


def test_a_file_with_a_hard_link_is_not_written(desk: Desk) -> None:
    (desk.workspace / "second.md").hardlink_to(desk.path)
    ending = desk.file.write(desk.read(), finish, LATER)
    assert isinstance(ending, Failed)
    assert "hard link" in ending.reason
    assert desk.path.samefile(desk.workspace / "second.md")
    assert desk.path.read_bytes() == TEXT


def test_a_write_that_would_make_the_file_unreadable_is_not_made(desk: Desk) -> None:
    desk.path.write_bytes(TEXT + b"x" * (LIMIT - len(TEXT)))
    ending = desk.file.write(desk.read(), finish, LATER)
    assert isinstance(ending, Failed)
    assert "1 MiB" in ending.reason


def test_a_write_that_changes_nothing_does_not_touch_the_disk(desk: Desk) -> None:
    before = desk.read().identity
    assert desk.file.write(desk.read(), lambda data: data, LATER) == Unchanged()
    assert desk.read().identity == before
    assert desk.backups.versions() == []


@pytest.mark.parametrize(
    "lock",
    [
        ".HEARTBEAT.md.swp",
        ".HEARTBEAT.md.swo",
        ".#HEARTBEAT.md",
        "#HEARTBEAT.md#",
        ".~lock.HEARTBEAT.md#",
        ".HEARTBEAT.md.kate-swp",
    ],
)
def test_an_editors_lock_counts_for_ten_minutes(desk: Desk, lock: str) -> None:
    if lock == ".#HEARTBEAT.md":
        (desk.workspace / lock).symlink_to("ann@desktop.1234")
    else:
        (desk.workspace / lock).touch()
    os.utime(desk.workspace / lock, (NOW.timestamp(), NOW.timestamp()), follow_symlinks=False)
    ending = desk.file.write(desk.read(), finish, NOW + timedelta(minutes=9))
    assert isinstance(ending, Postponed)
    assert lock in ending.reason
    assert isinstance(desk.file.write(desk.read(), finish, NOW + timedelta(minutes=11)), Written)


def test_an_editors_backup_copy_does_not_mean_that_the_file_is_open(desk: Desk) -> None:
    (desk.workspace / "HEARTBEAT.md~").write_bytes(TEXT)
    assert isinstance(desk.file.write(desk.read(), finish, NOW + timedelta(seconds=5)), Written)


def test_the_lock_next_to_the_target_of_a_link_counts(desk: Desk) -> None:
    (desk.workspace / "notes").mkdir()
    desk.path.rename(desk.workspace / "notes" / "real.md")
    desk.path.symlink_to("notes/real.md")
    (desk.workspace / "notes" / ".real.md.swp").touch()
    assert isinstance(desk.file.write(desk.read(), finish, NOW), Postponed)


def test_a_file_that_was_just_saved_is_written_when_it_is_quiet(desk: Desk) -> None:
    base = desk.read()
    saves = [TEXT + b"one\n", TEXT + b"one\ntwo\n"]
    desk.meanwhile = lambda: saves and desk.path.write_bytes(saves.pop(0))
    ending = desk.file.write(base, finish, NOW - timedelta(hours=1))
    assert isinstance(ending, Written)
    assert desk.path.read_bytes() == finish(TEXT) + b"one\ntwo\n"


def test_a_file_that_keeps_changing_is_left_to_the_next_beat(desk: Desk) -> None:
    base = desk.read()
    desk.meanwhile = lambda: desk.path.write_bytes(TEXT + b"x" * len(desk.paused))
    ending = desk.file.write(base, finish, NOW - timedelta(hours=1))
    assert isinstance(ending, Postponed)
    assert sum(desk.paused) < 5
    assert b"PENDING" in desk.path.read_bytes()


def test_a_program_that_has_the_file_open_for_writing_goes_first(desk: Desk) -> None:
    with open(desk.path, "ab"):
        assert isinstance(desk.file.write(desk.read(), finish, LATER), Postponed)
        assert desk.path.read_bytes() == TEXT
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)


def test_a_program_that_reads_the_file_does_not_matter(desk: Desk) -> None:
    with open(desk.path, "rb"):
        assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)


def test_what_a_crash_left_is_cleaned_up_and_nothing_of_the_persons_is_lost(desk: Desk) -> None:
    (desk.workspace / ".HEARTBEAT.md.heartbeat-11111111.part").write_bytes(b"half of")
    (desk.workspace / ".HEARTBEAT.md.heartbeat-22222222").write_bytes(b"what the person had\n")
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert desk.names() == ["HEARTBEAT.md"]
    assert [version.read_bytes() for version in desk.backups.versions()] == [
        b"what the person had\n",
        TEXT,
    ]


@pytest.mark.timeout(10)
def test_what_only_looks_like_a_left_over_file_neither_stops_a_write_nor_is_deleted(
    desk: Desk,
) -> None:
    os.mkfifo(desk.workspace / ".HEARTBEAT.md.heartbeat-11111111")
    (desk.workspace / ".HEARTBEAT.md.heartbeat-22222222").symlink_to("/dev/zero")
    (desk.workspace / ".HEARTBEAT.md.heartbeat-33333333").write_bytes(b"x" * (LIMIT + 1))
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert len(desk.names()) == 4


def test_the_programs_own_version_that_a_crash_left_is_not_kept_as_the_persons(
    desk: Desk,
) -> None:
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    (desk.workspace / ".HEARTBEAT.md.heartbeat-22222222").write_bytes(finish(TEXT))
    desk.path.write_bytes(TEXT)
    assert isinstance(desk.file.write(desk.read(), lambda data: data + b"more\n", LATER), Written)
    assert [version.read_bytes() for version in desk.backups.versions()] == [TEXT]


def test_the_last_20_versions_of_the_person_are_kept(desk: Desk) -> None:
    for number in range(KEPT + 5):
        desk.path.write_bytes(TEXT + b"note %d\n" % number)
        assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    kept = [version.read_bytes() for version in desk.backups.versions()]
    assert kept == [TEXT + b"note %d\n" % number for number in range(5, KEPT + 5)]


def test_only_the_person_may_read_the_backups(desk: Desk) -> None:
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    (version,) = desk.backups.versions()
    assert version.stat().st_mode & 0o777 == 0o600
    assert version.parent.stat().st_mode & 0o777 == 0o700


def test_strange_files_among_the_backups_are_left_alone(desk: Desk) -> None:
    folder = desk.workspace.parent / "state" / "backups"
    folder.mkdir(parents=True)
    (folder / "HEARTBEAT.mine.copy.md").write_bytes(b"mine")
    (folder / "own-writes").write_bytes(b"\xff\xfe garbage\n")
    assert isinstance(desk.file.write(desk.read(), finish, LATER), Written)
    assert (folder / "HEARTBEAT.mine.copy.md").read_bytes() == b"mine"
