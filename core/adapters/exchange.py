"""Gives a new version the name of an old one in one step: the name is never missing, nothing is overwritten."""

import ctypes
import errno
import os
import sys
from pathlib import Path

_FROM_HERE = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE
_NOT_HERE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)  # an old kernel, or a file system that cannot
_ROUNDS = 100  # each needs one more save of the person within microseconds


def give_name(version: Path, name: Path, expected: int) -> bool:
    """Exchange the file `version` with the file `name`, which is expected to be that inode; False: it was not.

    Afterwards what had the name stands at `version`. A displaced file that is not the expected one was put there a
    moment ago by the person and is newer than ours: it gets its name back, and we get ours back, unless that
    displaces a still newer one, and so on.
    """
    try:
        ours = placed = inode(version)
        for _ in range(_ROUNDS):
            if not exchange(version, name):
                return _rename_over(version, name, expected)
            displaced = inode(version)
            if displaced == expected:
                break
            expected, placed = placed, displaced
    except FileNotFoundError:  # the person has just removed the file, or an editor is about to create it anew
        return False
    return placed == ours


def _rename_over(version: Path, name: Path, expected: int) -> bool:
    """The second-best way; what it displaces lives on only for those who have it open."""
    if inode(name) != expected:
        return False
    version.replace(name)
    return True


def inode(name: Path) -> int:
    return name.lstat().st_ino


def exchange(one: Path, other: Path) -> bool:
    """Swap two names; False where this system or file system cannot: then nothing has happened."""
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return False
    if library.renameat2(_FROM_HERE, os.fsencode(one), _FROM_HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_HERE:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))
