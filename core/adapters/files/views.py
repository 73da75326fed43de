"""Writes files that show what the ledger holds: the progress, the day's history, when prompts last
ran, and receipts that the desktop can open.

Each is written whole, and only if something changed.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, tzinfo
from pathlib import Path

from core.adapters.files.atomic import write_if_changed, write_private
from core.adapters.folders import make_private
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.occurrence import Occurrence
from core.model.progress import Progress
from core.ports.ledger import Ledger
from core.rules.reporting.history import MOST_LINES, history_file, last_prompt_run
from core.rules.reporting.progress import progress_text

PROGRESS = "heartbeat-progress.json"
LAST_RUN = ".heartbeat-state.json"
MOST_RECEIPTS = 20


class ViewsOnDisk:
    """The `Views` port: the progress in the state folder, the day's history in the workspace."""

    def __init__(self, workspace: Path, state: Path) -> None:
        self._workspace = workspace
        self._state = state

    def show(self, ledger: Ledger, now: datetime) -> None:
        write_progress(self._state, ledger.tasks.progress())
        today = ledger.occurrences.history(
            first_day=now.date(), last_day=now.date(), limit=MOST_LINES + 1
        )
        if now.tzinfo and today:
            write_history(self._workspace, now.date(), today, now.tzinfo)

        last_run = last_prompt_run(ledger.items.all())
        if last_run:
            write_last_run(self._workspace, last_run.astimezone(now.tzinfo))

    def saved_progress(self) -> Progress | None:
        found = saved_progress(self._state)
        return found if isinstance(found, Progress) else None


def write_progress(state: Path, progress: Progress) -> bool:
    """Write the progress to the state folder; return whether the file changed."""
    path = state / PROGRESS
    with _explaining(path):
        make_private(state)
        return _show(path, progress_text(progress).encode())


def saved_progress(state: Path) -> Progress | Problem | None:
    """Read the progress from its file, for a ledger that was lost; None without a file."""
    path = state / PROGRESS
    with _explaining(path):
        content = _read(path)

    if content is None:
        return None

    from core.rules.reporting.progress_file import read_progress  # slow, and rarely needed

    return read_progress(content.decode(errors="replace"))


def write_history(
    workspace: Path, day: date, newest_first: Sequence[Occurrence], zone: tzinfo
) -> bool:
    """Write the day's occurrences to the workspace; return whether the file changed. Lines that the
    person added are kept."""
    folder = workspace / "history"
    path = folder / f"{day}.md"
    with _explaining(path):
        if not folder.resolve().is_relative_to(workspace.resolve()):
            raise HeartbeatError(
                f"{folder} leads out of the workspace.",
                "Remove that link, so that it can be made again.",
            )

        folder.mkdir(exist_ok=True)
        # surrogateescape: a note in another encoding is written back unchanged
        before = (_read(path) or b"").decode(errors="surrogateescape")
        after = history_file(before, day, newest_first, zone)
        return _show(path, after.encode(errors="surrogateescape"))


def write_last_run(workspace: Path, last_run: datetime) -> bool:
    """Write next to the prompts when they last ran, if their folder exists; return whether the file
    changed."""
    folder = workspace / "heartbeat"
    if not folder.is_dir() or not folder.resolve().is_relative_to(workspace.resolve()):
        return False

    path = folder / LAST_RUN
    with _explaining(path):
        return _show(path, f"{json.dumps({'lastRunAt': last_run.isoformat()})}\n".encode())


def _read(path: Path) -> bytes | None:
    """Return the file's content, or None without a file."""
    _refuse_special(path)
    return path.read_bytes() if path.exists() else None


def _show(path: Path, content: bytes) -> bool:
    """Write the file, unless it has this content already; return whether it was written."""
    _refuse_special(path)
    return write_if_changed(path, content)


def _refuse_special(path: Path) -> None:
    """Never write through a link, or to anything but an ordinary file."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise HeartbeatError(
            f"{path} is not an ordinary file.", "Move it away, so that it can be written again."
        )


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Turn the system's errors into errors that say what a person can do."""
    try:
        yield
    except OSError as error:
        raise HeartbeatError(
            f"{path} could not be written: {error.strerror}.",
            "Check the free space on that disk and who owns the folder.",
        ) from error


def write_receipt(folder: Path, name: str, text: str) -> Path:
    """Write a receipt as a private file, and keep only the last few."""
    path = folder / f"{name}.txt"
    write_private(path, text.encode("utf-8", "replace"))

    newest_first = sorted(folder.glob("*.txt"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in newest_first[MOST_RECEIPTS:]:
        old.unlink(missing_ok=True)

    return path
