"""Writes into a file that a person edits at the same time. Law: no completed save of the person is ever lost.

The steps of one try, and what each is for:
1. wait until the file is still and in no editor           nobody is in the middle of a save
2. read it again, merge our change into it                 the person may have saved since the beat read it
3. keep the person's version in backups/, note our own     whatever happens from here on, nothing is gone
4. write a temporary file beside it, flush it to the disk  readers see the old file or the new one, never a torn one
5. take a lease: nobody writes, nobody can begin to        a program that edits in place has to wait
6. exchange the two names; look at what was displaced      a version that was renamed there meanwhile goes back
7. watch the displaced file for a moment                   a program that was about to write into it: exchange back
8. delete it

Where the system has no leases (7) finds a late writer only by its traces; where it has no exchange, a version that is
renamed there between the last look and our own rename, a matter of microseconds, is beyond saving.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.adapters import temporary_file
from core.adapters.backups import Backups
from core.adapters.editors import lock_of_editor
from core.adapters.own_writes import OwnWrites
from core.adapters.replacement import Ending, Late, Replacement
from core.adapters.workspace_file import LIMIT, identity, open_inside, read, read_settled, snapshot, untouched_since
from core.model.workspace_file import (
    Failed,
    Missing,
    Postponed,
    Reading,
    Refusal,
    Snapshot,
    Unchanged,
    Writing,
    Written,
)
from core.rules.fingerprint import fingerprint
from core.rules.merging import merge, merge_both
from core.rules.watching import QUIET, doubtful

TRIES = 5  # of one write, 300 ms apart, before it is left to the next beat
RESCUE_TRIES = 30  # of bringing back a save that went into the displaced file


@dataclass(frozen=True, slots=True)
class _Change:
    combine: Callable[[bytes], bytes | None]  # from what stands in the file to what shall stand there
    base: bytes  # what it starts from
    own: bool  # the program's, so no reason to plan anew


@dataclass(frozen=True, slots=True)
class _Again:
    """The person was faster; after some tries, the reason to leave the file to the next beat."""

    reason: str


class FileOnDisk:
    """The `WorkspaceFile` port: one file, its workspace, the workspace's state folder, and a way to wait."""

    def __init__(self, path: Path, workspace: Path, state: Path, pause: Callable[[float], None]) -> None:
        self._path = path
        self._workspace = workspace
        self._own_writes = OwnWrites(state)
        self._backups = Backups(state, self._own_writes)
        self._pause = pause

    def read(self, last_size: int | None, now: datetime) -> Reading:
        return read_settled(self._path, self._workspace, last_size, now, self._pause)

    def write(
        self,
        base: Snapshot,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        ours = change(base.data)
        try:
            self._clear_up()
            if ours is None or add(ours) == base.data:
                return Unchanged()
            return self._apply(
                _Change(lambda persons: add(merge(base.data, ours, persons)), base.data, own=True), now, TRIES
            )
        except OSError as error:
            return _failed(self._path, error)

    def _apply(self, change: _Change, now: datetime, tries: int) -> Writing:
        reason = f"{self._path.name} is being saved."
        for _ in range(tries):
            try:
                ending = self._try(change, now)
            except FileNotFoundError:  # an editor has just renamed the file away, to create it anew
                ending = _Again(f"{self._path.name} is not there.")
            if isinstance(ending, Late):
                self._rescue(ending, now)
            elif isinstance(ending, _Again):
                reason = ending.reason
            else:
                return ending
            self._pause(QUIET)
        return Postponed(reason)

    def _rescue(self, late: Late, now: datetime) -> None:
        """Bring a late save into the file; in backups/ it is in any case."""
        self._backups.keep(late.data)
        if not doubtful(len(late.base), len(late.data)):
            both = _Change(lambda persons: merge_both(late.base, persons, late.data), late.base, own=False)
            self._apply(both, now, RESCUE_TRIES)

    def _try(self, change: _Change, now: datetime) -> Writing | Late | _Again:
        opened = open_inside(self._path, self._workspace)
        if isinstance(opened, Missing):
            return _Again(f"{self._path.name} is not there.")
        if isinstance(opened, Refusal):
            return Postponed(opened.message)
        try:
            target = Path(os.path.realpath(self._path))
            current = snapshot(opened, self._path)
            if isinstance(current, Refusal):
                return Postponed(current.message)
            if change.own and (reason := _not_now(target, current, change, now)):
                return Postponed(reason)
            if not untouched_since(current.identity, now):
                self._pause(QUIET)
                if identity(target.stat()) != current.identity:
                    return _Again(f"{self._path.name} is being saved.")
            wanted = change.combine(current.data)
            if wanted is None or wanted == current.data:
                return Unchanged()
            return _cannot(opened, self._path, wanted) or self._replace(opened, target, current, wanted, change)
        finally:
            os.close(opened)

    def _replace(
        self, opened: int, target: Path, current: Snapshot, wanted: bytes, change: _Change
    ) -> Writing | Late | _Again:
        """Keep what is displaced, then put `wanted` in its place."""
        self._backups.keep(current.data)
        if change.own:
            self._own_writes.note(current.fingerprint, fingerprint(wanted))
        temporary = temporary_file.create(target, opened, wanted)
        try:
            ending = Replacement(opened, current, target, temporary, wanted, self._pause).make()
        finally:
            self._discard(temporary)
        match ending:
            case Ending.DONE:
                written = Snapshot(self._path, wanted, identity(target.stat()), fingerprint(wanted))
                return Written(written, merged=current.data != change.base)
            case Ending.BUSY:
                return _Again(f"{self._path.name} is open for writing in another program.")
            case Ending.OVERTAKEN:
                return _Again(f"{self._path.name} is being saved.")
        return ending

    def _clear_up(self) -> None:
        """Delete what a crash left beside the file."""
        for left in temporary_file.left_over(Path(os.path.realpath(self._path))):
            self._discard(left)

    def _discard(self, temporary: Path) -> None:
        """Delete a temporary file; what the person may have written in it is kept first."""
        if not temporary.name.endswith(temporary_file.UNFINISHED):
            left = read(temporary, self._workspace)
            if isinstance(left, Refusal):  # too large to be kept, or never a file of ours
                return
            if isinstance(left, Snapshot):
                self._backups.keep(left.data)
        with suppress(OSError):  # it does no harm, and the next write tries again
            temporary.unlink()


def _not_now(target: Path, current: Snapshot, change: _Change, now: datetime) -> str:
    """Why the file should be left alone for the moment; empty: no reason."""
    if lock := lock_of_editor(target, now):
        return f"{current.path.name} is open in an editor ({lock})."
    if doubtful(len(change.base), len(current.data)):
        return f"{current.path.name} has lost half of its text or more; perhaps it is still being saved."
    return ""


def _cannot(opened: int, path: Path, wanted: bytes) -> Failed | None:
    status = os.fstat(opened)
    if not status.st_mode & 0o222:
        return Failed(f"{path.name} is read-only.", 'Make it writable, or set write_back = "off".')
    if status.st_nlink > 1:
        return Failed(
            f"{path.name} has a second name (a hard link), which a safe write would cut off.",
            'Make the other name a symbolic link, or set write_back = "off".',
        )
    if len(wanted) > LIMIT:
        return Failed(f"{path.name} would grow beyond 1 MiB.", "Move what is not needed to another file.")
    return None


_HINTS = {
    errno.ENOSPC: "Free some space on the disk.",
    errno.EDQUOT: "Your quota is used up: free some space.",
    errno.EROFS: "The disk is mounted read-only.",
    errno.EACCES: "Look at the permissions of the file and its folder.",
    errno.EPERM: "Look at the owner of the file and its folder.",
    errno.EIO: "The disk reports an error: save your data and look at the system log.",
}


def _failed(path: Path, error: OSError) -> Failed:
    hint = _HINTS.get(error.errno or 0, "The next beat tries again.")
    return Failed(f"{path.name} could not be written and is as it was: {error.strerror}.", hint)
