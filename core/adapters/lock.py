"""A lock that ends with its process, however the process ends. Law: the file is never deleted.

If it were deleted, two processes could hold the lock: one of the old file, one of the new. An flock
is released at once by kill -9 and, unlike lockf, is not lost when another part of the process opens
and closes the file.

A process number is used again some day. The holder's name therefore has the instant at which its
process began, where the system tells it: a later process with the same number is not the holder.
"""

import json
import os
import sys
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from core.adapters.folders import make_private
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose

# A new holder takes the lock first and then writes its name, so the name may be missing for a
# while, on a busy machine for seconds.
TRIES = 300
PAUSE_BETWEEN_TRIES = 0.01  # seconds
PAUSE_WHILE_WAITING = 0.1
UNKNOWN = Holder(0, None, None)

if sys.platform == "win32":
    import msvcrt

    BEYOND_THE_TEXT = 1 << 20  # Windows does not let others read a locked byte

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, BEYOND_THE_TEXT, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False

        return True

    def _alive(pid: int) -> bool:
        # On Windows os.kill(pid, 0) would end the process.
        return pid > 0

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False

        return True

    def _alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # another user's process
            return True

        return True


class HeldFileLock:
    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # a name that is left in the file does no harm
                os.ftruncate(self._descriptor, 0)

            os.close(self._descriptor)  # releases the lock
            self._descriptor = None

    def __enter__(self) -> "HeldFileLock":
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class FileLock:
    """The `Lock` port, on a file of the state folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def acquire(self, purpose: Purpose, now: datetime) -> HeldFileLock | Holder:
        try:
            make_private(self.path.parent)
            for _ in range(TRIES):
                held = self._try(purpose, now)
                if held:
                    return held

                # The name of a dead holder is in the file until the next one has written its own.
                holder = self._named()
                if holder:
                    return holder

                time.sleep(PAUSE_BETWEEN_TRIES)
        except OSError as error:
            raise HeartbeatError(
                f"The lock {self.path} could not be used: {error.strerror}.",
                "Check who owns that folder and whether its disk is full or read-only.",
            ) from error

        return UNKNOWN

    def wait(self, purpose: Purpose, now: datetime) -> HeldFileLock:
        while isinstance(held := self.acquire(purpose, now), Holder):
            time.sleep(PAUSE_WHILE_WAITING)

        return held

    def holder(self) -> Holder | None:
        holder = self._named()
        if holder is None:
            return None

        # Where the beginning of the process is not known, its number may belong to another one by
        # now. Only then can we take the lock, which we release at once.
        descriptor = self._open()
        try:
            return None if _lock(descriptor) else holder
        finally:
            os.close(descriptor)

    def _try(self, purpose: Purpose, now: datetime) -> HeldFileLock | None:
        descriptor = self._open()
        held = False
        try:
            if _lock(descriptor) and self._is_still(descriptor):
                _write_name(descriptor, purpose, now)
                held = True
        finally:
            if not held:
                os.close(descriptor)

        return HeldFileLock(descriptor) if held else None

    def _open(self) -> int:
        # Child processes do not inherit what Python opens.
        return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)

    def _is_still(self, descriptor: int) -> bool:
        """Whether the file that we locked is still the one that others would open."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    def _named(self) -> Holder | None:
        """The living holder that the file names; None if it names none or cannot be read."""
        try:
            name = json.loads(self.path.read_text(encoding="utf-8"))
            since = datetime.fromisoformat(name["since"])
            holder = Holder(int(name["pid"]), since, Purpose.read(str(name["purpose"])))
            began = name.get("began")  # earlier versions did not write it
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

        is_other = began is not None and began != beginning_of(holder.pid)
        return None if is_other or not _alive(holder.pid) else holder


def _write_name(descriptor: int, purpose: Purpose, now: datetime) -> None:
    pid = os.getpid()
    holder = {"pid": pid, "since": now.isoformat(), "purpose": purpose, "began": beginning_of(pid)}
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, json.dumps(holder).encode())


def beginning_of(pid: int) -> str | None:
    """When the process began, in the system's own count; None if there is none or the system does
    not tell."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return after_name[19].decode()
    except (OSError, IndexError):
        return None
