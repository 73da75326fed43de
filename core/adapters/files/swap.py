"""Gives a new version of a file the name of the old one in one step: the name is never missing, and
nothing is overwritten."""

import ctypes
import errno
import os
import sys
from pathlib import Path

_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE
_NOT_SUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)  # an old kernel, or file system
_ROUNDS = 100  # each takes one more save of the person within microseconds


def give_name(version: Path, name: Path, expected: int) -> bool:
    """Swap the names `version` and `name`, if `name` is the expected inode; return whether it was.

    Afterwards, the file that had the name is at `version`. If that is not the expected file, the
    person has just saved it and it is newer than ours: the names are swapped back, and again if
    that displaces a version that is newer still.
    """
    try:
        ours = inode(version)
        placed = ours
        for _ in range(_ROUNDS):
            if not swap_names(version, name):
                return _rename_over(version, name, expected)

            displaced = inode(version)
            if displaced == expected:
                break

            expected = placed
            placed = displaced
    except FileNotFoundError:  # the person has just removed it, or an editor is about to create it
        return False

    return placed == ours


def _rename_over(version: Path, name: Path, expected: int) -> bool:
    """The second-best way: the displaced file is gone, except for programs that have it open."""
    if inode(name) != expected:
        return False

    version.replace(name)
    return True


def inode(name: Path) -> int:
    return name.lstat().st_ino


def swap_names(one: Path, other: Path) -> bool:
    """Swap two names; return False, and change nothing, if the system or the file system cannot do
    that."""
    if sys.platform != "linux":
        return False

    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return False

    first = os.fsencode(one)
    second = os.fsencode(other)
    if library.renameat2(_CURRENT_FOLDER, first, _CURRENT_FOLDER, second, _EXCHANGE) == 0:
        return True

    number = ctypes.get_errno()
    if number in _NOT_SUPPORTED:
        return False

    raise OSError(number, os.strerror(number), str(one), None, str(other))
