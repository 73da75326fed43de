"""The files that show the ledger: whole or old, never torn, and untouched where nothing changed."""

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from core.adapters.files import views
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.occurrence import Occurrence, Outcome
from core.model.progress import Progress, TaskProgress

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
DAY = date(2026, 11, 16)
PROGRESS = Progress(NOW, 1, (TaskProgress("weather"),))
MISSED = Occurrence(
    "backup", "action", NOW, 1, "the computer was off", outcome=Outcome.MISSED, recorded=NOW
)


def write_day(workspace: Path) -> bool:
    return views.write_history(workspace, DAY, [MISSED], UTC)


def test_progress_is_written_once_and_read_back(tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert views.saved_progress(state) is None
    assert list(tmp_path.iterdir()) == []
    assert views.write_progress(state, PROGRESS) is True
    before = (state / views.PROGRESS).stat()
    assert views.write_progress(state, PROGRESS) is False
    assert (state / views.PROGRESS).stat().st_ino == before.st_ino
    assert views.saved_progress(state) == PROGRESS
    assert state.stat().st_mode & 0o777 == 0o700


def test_a_spoilt_progress_file_is_a_problem_and_is_written_again(tmp_path: Path) -> None:
    (tmp_path / views.PROGRESS).write_bytes(b"\xff{")
    assert isinstance(views.saved_progress(tmp_path), Problem)
    assert views.write_progress(tmp_path, PROGRESS) is True
    assert views.saved_progress(tmp_path) == PROGRESS


def test_the_history_is_written_around_what_a_person_noted(tmp_path: Path) -> None:
    path = tmp_path / "history" / "2026-11-16.md"
    path.parent.mkdir()
    note = b"caf\xe9, an old encoding\r\n"
    path.write_bytes(note)
    path.chmod(0o640)
    assert write_day(tmp_path) is True
    assert path.read_bytes().startswith(note)
    assert b"09:00:00 backup: missed" in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert write_day(tmp_path) is False


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    write_day(tmp_path)
    folder = tmp_path / "history"
    before = (folder / "2026-11-16.md").read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os if call == "fsync" else Path, call, refuse)
    with pytest.raises(HeartbeatError, match="No space left"):
        views.write_history(tmp_path, DAY, [MISSED, MISSED], UTC)
    assert [file.name for file in folder.iterdir()] == ["2026-11-16.md"]
    assert (folder / "2026-11-16.md").read_bytes() == before


def test_what_a_crash_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / ".2026-11-16.md.new").write_text("half a li")
    write_day(tmp_path)
    assert [file.name for file in (tmp_path / "history").iterdir()] == ["2026-11-16.md"]


def test_a_link_out_of_the_workspace_is_not_followed(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (workspace / "history").symlink_to(outside)
    with pytest.raises(HeartbeatError, match="leads out of the workspace"):
        write_day(workspace)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_not_an_ordinary_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "history" / "2026-11-16.md"
    path.parent.mkdir()
    match kind:
        case "link":
            path.symlink_to("/dev/zero")
        case "fifo":
            os.mkfifo(path)
        case _:
            path.mkdir()
    with pytest.raises(HeartbeatError, match="not an ordinary file"):
        write_day(tmp_path)


def test_a_temporary_file_that_is_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "history" / ".2026-11-16.md.new").symlink_to(tmp_path / "precious")
    write_day(tmp_path)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_workspace_that_is_gone_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(HeartbeatError, match="could not be written"):
        write_day(tmp_path / "gone")


def test_when_prompts_last_ran_is_written_in_their_folder_and_nowhere_else(tmp_path: Path) -> None:
    assert views.write_last_run(tmp_path, NOW) is False  # no prompts, no file
    folder, outside = tmp_path / "heartbeat", tmp_path.parent / "outside"
    folder.mkdir()
    assert views.write_last_run(tmp_path, NOW) is True
    assert (folder / views.LAST_RUN).read_text() == '{"lastRunAt": "2026-11-16T09:00:00+00:00"}\n'
    assert views.write_last_run(tmp_path, NOW) is False
    (folder / views.LAST_RUN).unlink()
    folder.rmdir()
    outside.mkdir()
    folder.symlink_to(outside)
    assert views.write_last_run(tmp_path, NOW) is False
    assert list(outside.iterdir()) == []
