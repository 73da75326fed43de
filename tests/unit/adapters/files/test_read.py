"""Finding and reading a person's file on the disk, however odd it is."""

import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.adapters.files.read import LIMIT, find, read, read_settled
from core.model.workspace_file import Found, Missing, Refusal, RefusalKind, Snapshot


def refusal(path: Path, workspace: Path) -> RefusalKind:
    reading = read(path, workspace)
    assert isinstance(reading, Refusal)
    assert path.name in reading.message
    assert reading.hint
    return reading.kind


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (["HEARTBEAT.md"], "HEARTBEAT.md"),
        (["Heartbeat.md", "heartbeat.md", "HEARTBEAT.md"], "HEARTBEAT.md"),
        (["Heartbeat.md", "heartbeat.md", "HEARTBEAT.MD"], "heartbeat.md"),
        (["heartBeat.md", "Heartbeat.md"], "Heartbeat.md"),
    ],
)
def test_the_usual_spelling_wins_and_the_others_are_reported(
    tmp_path: Path, names: list[str], first: str
) -> None:
    for name in [*names, "notes.md"]:
        (tmp_path / name).touch()
    found = find(tmp_path)
    assert isinstance(found, Found)
    assert found.path == tmp_path / first
    assert sorted(found.others) == sorted(set(names) - {first})


def test_a_folder_without_one_or_no_folder_at_all_has_none(tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()
    assert find(tmp_path) == Missing(tmp_path / "HEARTBEAT.md")
    assert find(tmp_path / "nowhere") == Missing(tmp_path / "nowhere" / "HEARTBEAT.md")
    assert find(tmp_path / "notes.md") == Missing(tmp_path / "notes.md" / "HEARTBEAT.md")


def test_any_bytes_are_read_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.write_bytes(bytes(range(256)) + b"\r\n\r")
    reading = read(path, tmp_path)
    assert isinstance(reading, Snapshot)
    assert reading.data == bytes(range(256)) + b"\r\n\r"
    assert reading.identity.inode == path.stat().st_ino
    assert reading.identity.size == len(reading.data)


def test_one_mebibyte_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.write_bytes(b"x" * LIMIT)
    assert isinstance(read(path, tmp_path), Snapshot)
    path.write_bytes(b"x" * (LIMIT + 1))
    assert refusal(path, tmp_path) is RefusalKind.TOO_LARGE
    os.truncate(path, 1 << 40)
    assert refusal(path, tmp_path) is RefusalKind.TOO_LARGE


@pytest.mark.timeout(10)
def test_nothing_but_a_regular_file_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.mkdir()
    assert refusal(path, tmp_path) is RefusalKind.NOT_REGULAR
    path.rmdir()
    os.mkfifo(path)
    assert refusal(path, tmp_path) is RefusalKind.NOT_REGULAR
    path.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert refusal(path, tmp_path) is RefusalKind.NOT_REGULAR


def test_a_link_inside_the_workspace_is_followed(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "real.md").write_bytes(b"text")
    path = tmp_path / "HEARTBEAT.md"
    path.symlink_to("notes/real.md")
    reading = read(path, tmp_path)
    assert isinstance(reading, Snapshot)
    assert (reading.path, reading.data) == (path, b"text")


def test_a_workspace_behind_a_link_is_as_good_as_any(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "HEARTBEAT.md").write_bytes(b"text")
    (tmp_path / "workspace").symlink_to("real")
    assert isinstance(
        read(tmp_path / "workspace" / "HEARTBEAT.md", tmp_path / "workspace"), Snapshot
    )


@pytest.mark.parametrize(
    "target", ["/dev/zero", "/etc/passwd", "../outside.md", "folder/../../outside.md", "link"]
)
def test_a_link_that_leaves_the_workspace_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside.md").write_bytes(b"secret")
    workspace = tmp_path / "workspace"
    (workspace / "folder").mkdir(parents=True)
    (workspace / "link").symlink_to("../outside.md")
    (workspace / "HEARTBEAT.md").symlink_to(target)
    assert refusal(workspace / "HEARTBEAT.md", workspace) is RefusalKind.OUTSIDE_LINK


def test_a_folder_that_leads_out_of_the_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "news.md").write_bytes(b"secret")
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "heartbeat").symlink_to("../outside")
    path = tmp_path / "workspace" / "heartbeat" / "news.md"
    assert refusal(path, tmp_path / "workspace") is RefusalKind.OUTSIDE_LINK


def test_a_workspace_whose_name_begins_like_another_is_another(tmp_path: Path) -> None:
    for name in ("work", "workshop"):
        (tmp_path / name).mkdir()
    (tmp_path / "workshop" / "other.md").write_bytes(b"secret")
    (tmp_path / "work" / "HEARTBEAT.md").symlink_to("../workshop/other.md")
    assert (
        refusal(tmp_path / "work" / "HEARTBEAT.md", tmp_path / "work") is RefusalKind.OUTSIDE_LINK
    )


def test_a_link_to_nothing_is_missing_and_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.symlink_to("nowhere.md")
    assert read(path, tmp_path) == Missing(path)
    path.unlink()
    path.symlink_to("HEARTBEAT.md")
    assert refusal(path, tmp_path) is RefusalKind.UNREADABLE


def test_a_file_without_read_permission_is_refused() -> None:
    """In a process without root's rights, which would read it all the same."""
    program = (
        "import os, sys; from pathlib import Path; from core.adapters.files.read import read\n"
        "os.geteuid() or os.setuid(65534)\n"
        "print(read(Path(sys.argv[1]), Path(sys.argv[1]).parent).kind)"
    )
    with TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        Path(folder).chmod(0o755)
        path = Path(folder, "HEARTBEAT.md")
        path.write_bytes(b"text")
        path.chmod(0)
        done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.stdout.strip() == RefusalKind.UNREADABLE, done.stderr


def saved_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def test_a_file_that_is_being_saved_is_read_when_it_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.write_bytes(b"half of the")
    texts = [b"half of the text", b"half of the text and the other half"]
    paused: list[float] = []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        if texts:
            path.write_bytes(texts.pop(0))

    reading = read_settled(path, tmp_path, saved_at(path), pause)
    assert isinstance(reading, Snapshot)
    assert reading.data == b"half of the text and the other half"
    assert paused == [0.3, 0.3, 0.3]


def test_a_file_that_keeps_changing_is_read_after_2_s(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.write_bytes(b"0")
    paused: list[float] = []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        path.write_bytes(b"x" * len(paused))

    assert isinstance(read_settled(path, tmp_path, saved_at(path), pause), Snapshot)
    assert 1.8 <= sum(paused) <= 2.2


def test_a_file_with_a_time_in_the_future_is_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "HEARTBEAT.md"
    path.write_bytes(b"text")
    paused: list[float] = []
    yesterday = datetime.now(UTC) - timedelta(days=1)
    assert isinstance(read_settled(path, tmp_path, yesterday, paused.append), Snapshot)
    assert paused == [0.3]
