"""Puts a new version in the place of an old one, under the eyes of programs that may write into the old one.

A program that edits in place opens the file, empties it and writes. If it has opened the old version, what it writes
would be gone with it. So: nobody may have the old one open for writing, whoever opens it meanwhile has to wait (a
lease), and who is found waiting gets the old version back under its name.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from core.adapters import lease, temporary_file
from core.adapters.exchange import give_name, inode
from core.adapters.workspace_file import snapshot
from core.model.workspace_file import Snapshot
from core.rules.watching import QUIET

STEP = 0.01  # seconds between two looks at the displaced file: for so long at most an editor hangs in its save
LOOKS = {lease.Lease.HELD: 10, lease.Lease.UNKNOWN: 30}  # without a lease a late writer is known only by its traces
LATE_LOOKS = 40  # 300 ms apart, at a displaced file that somebody is writing to


class Ending(Enum):
    DONE = auto()
    BUSY = auto()  # somebody has the file open for writing
    OVERTAKEN = auto()  # the person was faster; the person's version has the name


@dataclass(frozen=True, slots=True)
class Late:
    """What the person saved into a version that had already lost its name, and what it was before."""

    base: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class Replacement:
    opened: int  # the old version, open for reading
    current: Snapshot  # what it held when it was read
    name: Path
    temporary: Path  # the new version; afterwards, the displaced one
    wanted: bytes  # what it holds
    pause: Callable[[float], None]

    def make(self) -> Ending | Late:
        held = lease.take(self.opened)
        if held is lease.Lease.BUSY:
            return Ending.BUSY
        ours, old = inode(self.temporary), self.current.identity.inode
        # The name is asked for last: who reads the file between a wrong exchange and its undoing sees an old text.
        if (
            self._data() != self.current.data
            or inode(self.name) != old
            or not give_name(self.temporary, self.name, old)
        ):
            return Ending.OVERTAKEN
        try:
            temporary_file.flush_folder(self.name)
            if not self._is_wanted(held):
                return Ending.DONE
        except OSError:
            give_name(self.temporary, self.name, expected=ours)
            raise
        return self._give_back(ours)

    def _is_wanted(self, held: lease.Lease) -> bool:
        """Whether a program is about to write, or has written, into the displaced version."""
        before = self.current.identity
        for _ in range(LOOKS[held]):
            self.pause(STEP)
            status = os.fstat(self.opened)
            written = (status.st_mtime_ns, status.st_size) != (before.modified_ns, before.size)
            if written or (held is lease.Lease.HELD and lease.is_wanted(self.opened)):
                return True
        return False

    def _give_back(self, ours: int) -> Ending | Late:
        """Let the late writer write where the name is; what was saved elsewhere meanwhile is not forgotten."""
        if give_name(self.temporary, self.name, expected=ours):
            late = Late(self.wanted, self.temporary.read_bytes())
        else:
            lease.let_go(self.opened)
            late = Late(self.current.data, self._data_when_written())
        return Ending.OVERTAKEN if late.data == late.base else late

    def _data_when_written(self) -> bytes:
        data = None
        for _ in range(LATE_LOOKS):
            before, data = data, self._data()
            if data == before and lease.take(self.opened) is not lease.Lease.BUSY:
                break
            self.pause(QUIET)
        return data or b""

    def _data(self) -> bytes | None:
        """What the old version holds now; None: it has grown too large to be read."""
        now = snapshot(self.opened, self.current.path)
        return now.data if isinstance(now, Snapshot) else None
