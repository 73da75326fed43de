"""A descriptor that becomes readable when a process ends, where the system has such a thing (Linux 5.3)."""

import os
import sys
from contextlib import suppress


def open_pidfd(pid: int) -> int | None:
    if sys.platform == "linux":
        with suppress(OSError):  # an old kernel, or a container that forbids it
            return os.pidfd_open(pid)
    return None


def pidfd_works() -> bool:
    descriptor = open_pidfd(os.getpid())
    if descriptor is None:
        return False
    os.close(descriptor)
    return True
