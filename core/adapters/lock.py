"""A lock that ends with its process, however that ends; the file is never deleted.

Deleting it would make two owners: one of the old file, one of the new. An flock is freed by kill -9 at once and, unlike
lockf, is not lost when some other part of the process opens and closes the file.
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
from core.model.holder import Holder

LOOKS, PAUSE_BETWEEN_LOOKS = 50, 0.01  # a new holder writes its name within a moment of having the lock
PAUSE_WHILE_WAITING = 0.1
UNKNOWN = Holder(0, None, "")

if sys.platform == "win32":
    import msvcrt

    FAR_BEHIND_THE_TEXT = 1 << 20  # a locked byte cannot be read by others there

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, FAR_BEHIND_THE_TEXT, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _alive(pid: int) -> bool:
        return pid > 0  # os.kill(pid, 0), the question on other systems, would end the process there

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
        except PermissionError:  # somebody else's, but there
            return True
        return True


class HeldFileLock:
    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # the name of one who is gone does no harm
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)  # frees it
            self._descriptor = None

    def __enter__(self) -> "HeldFileLock":
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class FileLock:
    """A core.ports.Lock on a file of the state folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def acquire(self, purpose: str, now: datetime) -> HeldFileLock | Holder:
        try:
            make_private(self.path.parent)
            for _ in range(LOOKS):
                held = self._try(purpose, now)
                if held:
                    return held
                holder = self._named()
                if holder and _alive(holder.pid):  # a dead one's name stands there until the next one wrote its own
                    return holder
                time.sleep(PAUSE_BETWEEN_LOOKS)
        except OSError as error:
            raise HeartbeatError(
                f"The lock {self.path} could not be used: {error.strerror}.",
                "Look at who owns that folder and whether its disk is full or read-only.",
            ) from error
        return UNKNOWN

    def wait(self, purpose: str, now: datetime) -> HeldFileLock:
        while isinstance(held := self.acquire(purpose, now), Holder):
            time.sleep(PAUSE_WHILE_WAITING)
        return held

    def holder(self) -> Holder | None:
        holder = self._named()
        if holder is None or not _alive(holder.pid):
            return None
        # Its process number may belong to somebody else by now; only then does this take the lock, for a moment.
        descriptor = self._open()
        try:
            return None if _lock(descriptor) else holder
        finally:
            os.close(descriptor)

    def _try(self, purpose: str, now: datetime) -> HeldFileLock | None:
        descriptor = self._open()
        held = False
        try:
            if _lock(descriptor) and self._is_still(descriptor):
                name = json.dumps({"pid": os.getpid(), "since": now.isoformat(), "purpose": purpose})
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, name.encode())
                held = True
        finally:
            if not held:
                os.close(descriptor)
        return HeldFileLock(descriptor) if held else None

    def _open(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)  # not inheritable, as Python opens everything

    def _is_still(self, descriptor: int) -> bool:
        """Whether the file that we locked is still the one that others would open."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    def _named(self) -> Holder | None:
        """Who wrote his name into the file; nobody, or not readable: None."""
        try:
            name = json.loads(self.path.read_text(encoding="utf-8"))
            return Holder(int(name["pid"]), datetime.fromisoformat(name["since"]), str(name["purpose"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
