"""Writes to a file that a person may be editing. Law: no completed save of the person is ever lost.

The steps of one try, and what each is for:

1. wait until the file is quiet and in no editor   no program is in the middle of a save
2. read it again, merge our change into it         the person may have saved since the beat read it
3. keep the person's version, note our own         from here on nothing can be lost
4. write a file next to it, flush it to the disk   readers see the old or the new one, never a part
5. take a lease                                    a program that edits in place has to wait
6. swap the two names, check what was displaced    a version that was just renamed there goes back
7. watch the displaced file for a short time       a program wants to write into it: swap back
8. delete it

On systems without leases, step 7 notices a late writer only by what it has written. On systems that
cannot swap two names, a version is lost if it is renamed there between our last check and our own
rename, within microseconds.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import assert_never

from core.adapters.files import lease
from core.adapters.files.atomic import flush_folder, unique_name
from core.adapters.files.backups import Backups, OwnWrites
from core.adapters.files.read import LIMIT, identity, open_inside, read, snapshot, untouched_since
from core.adapters.files.swap import give_name, inode
from core.model.light_dataclass import light_dataclass
from core.model.workspace_file import (
    Failed,
    Missing,
    Postponed,
    Refusal,
    Snapshot,
    Unchanged,
    Writing,
    Written,
)
from core.rules.fingerprint import fingerprint
from core.rules.merging import merge, merge_both
from core.rules.residing.watching import QUIET, doubtful

TRIES = 5  # of one write, 300 ms apart, before it is left to the next beat
RESCUE_TRIES = 30  # to bring back a save that went into the displaced file

# Seconds between two checks of the displaced file: an editor's save is held up for so long at most.
CHECK_INTERVAL = 0.01
# Without a lease we only notice a late writer by what it has written.
CHECKS = {lease.Lease.HELD: 10, lease.Lease.UNKNOWN: 30}
LATE_CHECKS = 40  # 300 ms apart, of a displaced file that a program is writing to

UNFINISHED = ".part"
OLDEST_EDITOR_LOCK = 600.0  # seconds; an older lock file was left by a crash

HINTS = {
    errno.ENOSPC: "Free some space on the disk.",
    errno.EDQUOT: "Your quota is used up: free some space.",
    errno.EROFS: "The disk is mounted read-only.",
    errno.EACCES: "Check the permissions of the file and its folder.",
    errno.EPERM: "Check who owns the file and its folder.",
    errno.EIO: "The disk reports an error: back up your data and check the system log.",
}


@light_dataclass(frozen=True, slots=True)
class _Change:
    combine: Callable[[bytes], bytes | None]  # from what is in the file to what is to be in it
    base: bytes  # what it starts from
    own: bool  # made by the program, so not a reason to make a new plan


@light_dataclass(frozen=True, slots=True)
class _Again:
    """The person was faster: try again, and after some tries leave the file to the next beat."""

    reason: str


class _Replaced(Enum):
    """How the replacement of the old version by the new one ended."""

    DONE = auto()
    BUSY = auto()  # a program has the file open for writing
    OVERTAKEN = auto()  # the person was faster; the person's version has the name


@light_dataclass(frozen=True, slots=True)
class _Late:
    """What the person saved into a version that no longer had the file's name, and what was in it
    before."""

    base: bytes
    data: bytes


class SharedFile:
    """One file that the person and the program both write."""

    def __init__(
        self, path: Path, workspace: Path, state: Path, pause: Callable[[float], None]
    ) -> None:
        self._path = path
        self._workspace = workspace
        self._own_writes = OwnWrites(state)
        self._backups = Backups(state, self._own_writes)
        self._pause = pause

    def write(
        self,
        base: Snapshot,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        """As the port `WorkspaceFiles` says."""
        ours = change(base.data)
        try:
            self._clear_up()
            if ours is None or add(ours) == base.data:
                return Unchanged()

            both = _Change(
                lambda persons: add(merge(base.data, ours, persons)), base.data, own=True
            )
            return self._apply(both, now, TRIES)
        except OSError as error:
            return _failed(self._path, error)

    def _apply(self, change: _Change, now: datetime, tries: int) -> Writing:
        reason = f"{self._path.name} is being saved."
        for _ in range(tries):
            try:
                ending = self._try(change, now)
            except FileNotFoundError:  # an editor has renamed the file away, to create a new one
                ending = _Again(f"{self._path.name} does not exist right now.")

            if isinstance(ending, _Late):
                self._rescue(ending, now)
            elif isinstance(ending, _Again):
                reason = ending.reason
            else:
                return ending

            self._pause(QUIET)

        return Postponed(reason)

    def _rescue(self, late: _Late, now: datetime) -> None:
        """Merge a late save into the file; it is kept in backups/ in any case."""
        self._backups.keep(late.data)
        if doubtful(len(late.base), len(late.data)):
            return

        both = _Change(
            lambda persons: merge_both(late.base, persons, late.data), late.base, own=False
        )
        self._apply(both, now, RESCUE_TRIES)

    def _try(self, change: _Change, now: datetime) -> Writing | _Late | _Again:
        opened = open_inside(self._path, self._workspace)
        if isinstance(opened, Missing):
            return _Again(f"{self._path.name} does not exist right now.")
        if isinstance(opened, Refusal):
            return Postponed(opened.message)

        try:
            return self._try_with(opened, change, now)
        finally:
            os.close(opened)

    def _try_with(self, opened: int, change: _Change, now: datetime) -> Writing | _Late | _Again:
        target = Path(os.path.realpath(self._path))
        current = snapshot(opened, self._path)
        if isinstance(current, Refusal):
            return Postponed(current.message)
        if change.own and (postponed := _not_now(target, current, change, now)):
            return postponed

        if not untouched_since(current.identity, now):
            self._pause(QUIET)
            if identity(target.stat()) != current.identity:
                return _Again(f"{self._path.name} is being saved.")

        wanted = change.combine(current.data)
        if wanted is None or wanted == current.data:
            return Unchanged()

        failed = _why_not_written(opened, self._path, wanted)
        return failed or self._replace(opened, target, current, wanted, change)

    def _replace(
        self, opened: int, target: Path, current: Snapshot, wanted: bytes, change: _Change
    ) -> Writing | _Late | _Again:
        """Keep what is displaced, then put `wanted` in its place."""
        self._backups.keep(current.data)
        if change.own:
            self._own_writes.note(current.fingerprint, fingerprint(wanted))

        temporary = _create_beside(target, opened, wanted)
        try:
            ending = _Replacement(opened, current, target, temporary, wanted, self._pause).make()
        finally:
            self._discard(temporary)

        if isinstance(ending, _Late):
            return ending

        match ending:
            case _Replaced.DONE:
                written = Snapshot(self._path, wanted, identity(target.stat()), fingerprint(wanted))
                return Written(written, merged=current.data != change.base)
            case _Replaced.BUSY:
                return _Again(f"{self._path.name} is open for writing in another program.")
            case _Replaced.OVERTAKEN:
                return _Again(f"{self._path.name} is being saved.")
            case other:
                assert_never(other)

    def _clear_up(self) -> None:
        """Delete what a crash left next to the file."""
        target = Path(os.path.realpath(self._path))
        for entry in list(target.parent.iterdir()):
            if entry.name.startswith(f".{target.name}.heartbeat-"):
                self._discard(entry)

    def _discard(self, temporary: Path) -> None:
        """Delete a temporary file; what the person may have written in it is kept first."""
        if not temporary.name.endswith(UNFINISHED):
            left = read(temporary, self._workspace)
            if isinstance(left, Refusal):  # too large to be kept, or never a file of ours
                return
            if isinstance(left, Snapshot):
                self._backups.keep(left.data)

        with suppress(OSError):  # it does no harm, and the next write tries again
            temporary.unlink()


@light_dataclass(frozen=True, slots=True)
class _Replacement:
    """Steps 5 to 7: replace an old version by a new one, while programs may write into the old one.

    A program that edits in place opens the file, empties it and writes. If it has opened the old
    version, what it writes would be lost with that version. So no program may have the old one
    open for writing, programs that open it meanwhile have to wait (a lease), and for a program that
    is waiting the old version gets the name back.
    """

    opened: int  # the old version, open for reading
    current: Snapshot  # what it held when it was read
    name: Path
    temporary: Path  # the new version; afterwards, the displaced one
    wanted: bytes  # what it holds
    pause: Callable[[float], None]

    def make(self) -> _Replaced | _Late:
        held = lease.take(self.opened)
        if held is lease.Lease.BUSY:
            return _Replaced.BUSY

        ours = inode(self.temporary)
        if not self._swap_in():
            return _Replaced.OVERTAKEN

        try:
            flush_folder(self.name.parent)
            if not self._is_wanted(held):
                return _Replaced.DONE
        except OSError:
            give_name(self.temporary, self.name, expected=ours)
            raise

        return self._give_back(ours)

    def _swap_in(self) -> bool:
        """Swap the names, if the old version is still what was read. The name is checked last:
        after a wrong swap readers would see an old text until it is undone."""
        old = self.current.identity.inode
        return (
            self._data() == self.current.data
            and inode(self.name) == old
            and give_name(self.temporary, self.name, old)
        )

    def _is_wanted(self, held: lease.Lease) -> bool:
        """Whether a program is about to write, or has written, into the displaced version."""
        before = self.current.identity
        for _ in range(CHECKS[held]):
            self.pause(CHECK_INTERVAL)
            status = os.fstat(self.opened)
            if (status.st_mtime_ns, status.st_size) != (before.modified_ns, before.size):
                return True
            if held is lease.Lease.HELD and lease.is_wanted(self.opened):
                return True

        return False

    def _give_back(self, ours: int) -> _Replaced | _Late:
        """Give the late writer's version the name again, and return what was saved into the other
        version meanwhile."""
        if give_name(self.temporary, self.name, expected=ours):
            late = _Late(self.wanted, self.temporary.read_bytes())
        else:
            lease.let_go(self.opened)
            late = _Late(self.current.data, self._data_when_written())

        return _Replaced.OVERTAKEN if late.data == late.base else late

    def _data_when_written(self) -> bytes:
        data = None
        for _ in range(LATE_CHECKS):
            before = data
            data = self._data()
            if data == before and lease.take(self.opened) is not lease.Lease.BUSY:
                break

            self.pause(QUIET)

        return data or b""

    def _data(self) -> bytes | None:
        """What the old version holds now; None: it has grown too large to be read."""
        now = snapshot(self.opened, self.current.path)
        return now.data if isinstance(now, Snapshot) else None


def _create_beside(target: Path, like: int, data: bytes) -> Path:
    """Write `data` to a new file next to `target`, with the owner, mode and attributes of the open
    file `like`.

    After a crash its name shows what it is: `.NAME.heartbeat-XXXX.part` is unfinished;
    `.NAME.heartbeat-XXXX` is a whole version: ours before the swap, and after it the displaced
    one, which may be the person's.
    """
    path = unique_name(target)
    part = path.with_name(path.name + UNFINISHED)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        created = os.open(part, flags, 0o600)
        try:
            _fill(created, data)
            _make_alike(created, like)
            os.fsync(created)
        finally:
            os.close(created)

        part.rename(path)
    except OSError:
        with suppress(OSError):
            part.unlink()

        raise

    return path


def _fill(created: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(created, rest) :]


def _make_alike(created: int, like: int) -> None:
    if sys.platform == "win32":
        return  # a new file takes its rights from its folder

    model = os.fstat(like)
    copy = os.fstat(created)
    if (model.st_uid, model.st_gid) != (copy.st_uid, copy.st_gid):
        os.fchown(created, model.st_uid, model.st_gid)

    if sys.platform == "linux":
        for name in os.listxattr(like):  # access lists, tags
            with suppress(OSError):  # only the system may set some of them
                os.setxattr(created, name, os.getxattr(like, name))

    os.fchmod(created, stat.S_IMODE(model.st_mode))


def _not_now(target: Path, current: Snapshot, change: _Change, now: datetime) -> Postponed | None:
    """Why the file should be left alone for the moment."""
    name = current.path.name
    if lock := lock_of_editor(target, now):
        return Postponed(f"{name} is open in an editor ({lock}).")
    if doubtful(len(change.base), len(current.data)):
        return Postponed(
            f"{name} has lost half of its text or more; perhaps it is still being saved."
        )

    return None


def lock_of_editor(target: Path, now: datetime) -> str | None:
    """Return the name of an editor's swap or lock file next to the file, if one is younger than ten
    minutes."""
    name = target.name
    for lock in (
        *(f".{name}.sw{letter}" for letter in "ponml"),  # Vim, nano
        f".{name}.kate-swp",
        f".#{name}",  # Emacs, a broken link
        f"#{name}#",  # Emacs, unsaved changes
        f".~lock.{name}#",  # LibreOffice
    ):
        with suppress(OSError):
            if now.timestamp() - target.with_name(lock).lstat().st_mtime < OLDEST_EDITOR_LOCK:
                return lock

    return None


def _why_not_written(opened: int, path: Path, wanted: bytes) -> Failed | None:
    status = os.fstat(opened)
    if not status.st_mode & 0o222:
        return Failed(f"{path.name} is read-only.", 'Make it writable, or set write_back = "off".')

    if status.st_nlink > 1:
        return Failed(
            f"{path.name} has a second name (a hard link), which a safe write would cut off.",
            'Make the other name a symbolic link, or set write_back = "off".',
        )

    if len(wanted) > LIMIT:
        return Failed(
            f"{path.name} would grow beyond 1 MiB.", "Move what is not needed to another file."
        )

    return None


def _failed(path: Path, error: OSError) -> Failed:
    hint = HINTS.get(error.errno or 0, "The next beat tries again.")
    return Failed(f"{path.name} could not be written and is as it was: {error.strerror}.", hint)
