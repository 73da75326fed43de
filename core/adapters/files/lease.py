"""Asks the kernel whether a program is writing to a file, and makes programs that want to write
wait (Linux read leases).

While we hold a lease, a program that opens the file for writing waits in its open() until we
release the lease, and we can see that it waits. Only the file's owner gets a lease, and not on
every file system.
"""

import errno
import os
import signal
import sys
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path

if sys.platform == "linux":
    import fcntl

_MOUNTS = Path("/proc/self/mountinfo")
_REMOTE = ("nfs", "cifs", "smb", "9p", "ceph", "afs", "fuse")


class Lease(Enum):
    HELD = auto()
    BUSY = auto()  # a program has the file open for writing
    UNKNOWN = auto()  # there are no leases here, so we cannot know


def take(opened: int) -> Lease:
    """Take a lease on a descriptor that was opened for reading; closing it releases the lease."""
    if sys.platform != "linux":
        return Lease.UNKNOWN

    try:
        # The default signal for "a program is waiting" would end this process; this one is ignored
        # unless it has a handler.
        fcntl.fcntl(opened, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        if error.errno != errno.EAGAIN or is_remote(os.fstat(opened).st_dev, _MOUNTS.read_text()):
            return Lease.UNKNOWN

        return Lease.BUSY

    return Lease.HELD


def is_wanted(opened: int) -> bool:
    """Whether a program is waiting for us to release the lease."""
    return sys.platform == "linux" and fcntl.fcntl(opened, fcntl.F_GETLEASE) != fcntl.F_RDLCK


def let_go(opened: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # there is none
            fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def is_remote(device: int, mounts: str) -> bool:
    """Whether a device is a network file system; these report "busy" even if no program writes."""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        words = line.split()
        if words[2] == number:
            return words[words.index("-") + 1].startswith(_REMOTE)

    return False
