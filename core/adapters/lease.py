"""Ask the kernel whether anybody writes to a file, and hold up whoever wants to (Linux read leases).

While we hold a lease, a program that opens the file for writing waits in its open() until we let go, and we can
see that it waits. Only the file's owner gets a lease, and not on every file system.
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
    BUSY = auto()  # somebody has the file open for writing
    UNKNOWN = auto()  # no leases here: nothing can be said


def take(opened: int) -> Lease:
    """Take a lease on a descriptor that was opened for reading; closing it lets go too."""
    if sys.platform != "linux":
        return Lease.UNKNOWN
    try:
        # The default signal for "somebody waits" would end this process; this one is ignored unless asked for.
        fcntl.fcntl(opened, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        busy = error.errno == errno.EAGAIN and not is_remote(os.fstat(opened).st_dev, _MOUNTS.read_text())
        return Lease.BUSY if busy else Lease.UNKNOWN
    return Lease.HELD


def is_wanted(opened: int) -> bool:
    """Whether somebody waits for us to let go of a lease that we hold."""
    return sys.platform == "linux" and fcntl.fcntl(opened, fcntl.F_GETLEASE) != fcntl.F_RDLCK


def let_go(opened: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # there is none
            fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def is_remote(device: int, mounts: str) -> bool:
    """Whether a device is a network file system; these say "busy" also where nobody writes."""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        words = line.split()
        if words[2] == number:
            return words[words.index("-") + 1].startswith(_REMOTE)
    return False
