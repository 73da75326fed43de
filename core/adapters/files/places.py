"""Where a folder is on the disks, and whether one that is not there was removed or may come back.

Law: a folder counts as gone only where that can be known. An unmounted disk leaves nothing behind,
or an empty folder.
"""

import os
from pathlib import Path
from typing import Any

from core.adapters.files.read import is_away
from core.model.light_dataclass import light_dataclass


@light_dataclass(frozen=True, slots=True)
class Place:
    """What a folder has besides its path."""

    device: int
    inode: int
    mount: str  # where the disk that it is on is mounted

    def is_of_same_folder(self, other: "Place | None", path: Path) -> bool:
        """Whether it is the other's folder, which was renamed to this path. The topmost folder of
        a disk has the same number on many of them, and some file systems (btrfs) get another device
        with every start of the machine."""
        if other is None or self.mount == str(path):
            return False

        is_same_disk = self.device == other.device or self.mount == other.mount
        return is_same_disk and self.inode == other.inode


def place_of(folder: Path) -> Place | None:
    """None if it cannot be looked at."""
    try:
        status = folder.stat()
    except OSError:
        return None

    parts = (folder, *folder.parents)
    mount = next((part for part in parts if os.path.ismount(part)), parts[-1])
    return Place(status.st_dev, status.st_ino, str(mount))


def read_place(found: Any) -> Place | None:
    match found:
        case [int(device), int(inode), str(mount)]:
            return Place(device, inode, mount)
        case _:
            return None


def is_gone(folder: Path, place: Place | None) -> bool:
    """Whether a workspace that was at this path and place was moved away or removed."""
    if place and not _is_mounted(place):
        return False

    # Where another folder has its path, that one; else what it was in.
    return not is_away(folder if os.path.lexists(folder) else folder.parent)


def _is_mounted(place: Place) -> bool:
    try:
        return os.path.ismount(place.mount) and Path(place.mount).stat().st_dev == place.device
    except OSError:
        return False
