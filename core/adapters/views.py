"""Files that show what the ledger says; each is exchanged whole, and not at all where nothing changed."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, tzinfo
from pathlib import Path

from core.adapters.folders import make_private
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.occurrence import Occurrence
from core.model.progress import Progress
from core.ports import Ledger
from core.rules.reporting.history import MOST_LINES, history_file, last_prompt_run
from core.rules.reporting.progress import progress_text, read_progress

PROGRESS = "heartbeat-progress.json"
LAST_RUN = ".heartbeat-state.json"


class ViewsOnDisk:
    """The `Views` port: the progress in the state folder, the day's history in the workspace."""

    def __init__(self, workspace: Path, state: Path) -> None:
        self._workspace = workspace
        self._state = state

    def show(self, ledger: Ledger, now: datetime) -> None:
        write_progress(self._state, ledger.progress())
        today = ledger.history(first_day=now.date(), last_day=now.date(), limit=MOST_LINES + 1)
        if now.tzinfo and today:
            write_history(self._workspace, now.date(), today, now.tzinfo)
        last_run = last_prompt_run(ledger.items())
        if last_run:
            write_last_run(self._workspace, last_run.astimezone(now.tzinfo))

    def saved_progress(self) -> Progress | None:
        found = saved_progress(self._state)
        return found if isinstance(found, Progress) else None


def write_progress(state: Path, progress: Progress) -> bool:
    """Show the progress in the state folder; True where the file changed."""
    path = state / PROGRESS
    with explaining(path):
        make_private(state)
        return exchange(path, progress_text(progress).encode())


def saved_progress(state: Path) -> Progress | Problem | None:
    """What the file shows, for a ledger that was lost; None without a file."""
    path = state / PROGRESS
    with explaining(path):
        content = read(path)
    return None if content is None else read_progress(content.decode(errors="replace"))


def write_history(workspace: Path, day: date, newest_first: Sequence[Occurrence], zone: tzinfo) -> bool:
    """Show the day's occurrences in the workspace; True where the file changed. A person's own lines stay."""
    folder = workspace / "history"
    path = folder / f"{day}.md"
    with explaining(path):
        if not folder.resolve().is_relative_to(workspace.resolve()):
            raise HeartbeatError(
                f"{folder} leads out of the workspace.", "Remove that link, so that it can be made anew."
            )
        folder.mkdir(exist_ok=True)
        # surrogateescape: a note in another encoding comes out as it went in
        before = (read(path) or b"").decode(errors="surrogateescape")
        return exchange(path, history_file(before, day, newest_first, zone).encode(errors="surrogateescape"))


def write_last_run(workspace: Path, last_run: datetime) -> bool:
    """Show when prompts ran last, beside them; nothing where their folder is gone."""
    folder = workspace / "heartbeat"
    if not folder.is_dir() or not folder.resolve().is_relative_to(workspace.resolve()):
        return False
    path = folder / LAST_RUN
    with explaining(path):
        return exchange(path, f"{json.dumps({'lastRunAt': last_run.isoformat()})}\n".encode())


def read(path: Path) -> bytes | None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise HeartbeatError(f"{path} is not an ordinary file.", "Move it away, so that it can be written anew.")
    return path.read_bytes() if path.exists() else None


def exchange(path: Path, content: bytes) -> bool:
    """Replace the file by one with this content; a reader sees the old or the new one, never a part."""
    before = read(path)
    if before == content:
        return False
    fresh = path.with_name(f".{path.name}.new")  # one name: what a crash left is cleared away by the next write
    try:
        fresh.unlink(missing_ok=True)
        with fresh.open("xb") as file:
            if before is not None:
                fresh.chmod(path.stat().st_mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)
    return True


def flush_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power cut; Windows has no way and no need."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Turn what the system says into what a person can do about it."""
    try:
        yield
    except OSError as error:
        raise HeartbeatError(
            f"{path} could not be written: {error.strerror}.",
            "Look at the free space of that disk and at who owns the folder.",
        ) from error
