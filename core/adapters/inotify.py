"""The kernel's news about folders, straight from inotify: 2.5 MB and five threads less than watchdog's observer."""

import ctypes
import errno
import os
import select
import struct
from pathlib import Path

from core.adapters.folder_events import Event, cannot_watch

_MODIFY, _CLOSE_WRITE = 0x2, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_ONLY_FOLDERS = 0x1000000
# Never "opened" or "closed after reading": somebody's search through the folder must not wake us.
_MASK = _MODIFY | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS
_HEAD = struct.Struct("iIII")  # watch, mask, cookie, length of the name


class Inotify:
    """The `FolderEvents` of Linux."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._opened = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._trouble = ctypes.get_errno() if self._opened < 0 else 0
        self._bell, self._bell_rope = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._bell, select.POLLIN)
        if not self._trouble:
            self._poll.register(self._opened, select.POLLIN)
        self._folders: dict[int, set[Path]] = {}  # a folder may have several names

    def watch(self, folder: Path) -> bool:
        number = self._library.inotify_add_watch(self._opened, os.fsencode(folder), _MASK)
        if number < 0:
            trouble = self._trouble or ctypes.get_errno()
            if trouble in (errno.ENOENT, errno.ENOTDIR):
                return False
            raise cannot_watch(folder, trouble)
        self._folders.setdefault(number, set()).add(folder)
        return True

    def wait(self, seconds: float | None) -> list[Event]:
        ready = [number for number, _ in self._poll.poll(None if seconds is None else max(0.0, seconds) * 1000)]
        if self._bell in ready:
            os.read(self._bell, 4096)
        return self._read() if self._opened in ready else []

    def wake(self) -> None:
        try:
            os.write(self._bell_rope, b"!")
        except BlockingIOError:  # it has been rung often enough
            return

    def close(self) -> None:
        for number in (self._opened, self._bell, self._bell_rope):
            if number >= 0:
                os.close(number)

    def _read(self) -> list[Event]:
        buffer = os.read(self._opened, 65536)
        events: list[Event] = []
        at = 0
        while at < len(buffer):
            watch, mask, _, length = _HEAD.unpack_from(buffer, at)
            at += _HEAD.size + length
            name = os.fsdecode(buffer[at - length : at].rstrip(b"\0"))
            if mask & _MOVE_SELF:  # whatever is called so from now on, it is not this folder
                self._library.inotify_rm_watch(self._opened, watch)
            folders = self._folders.pop(watch, ()) if mask & _IGNORED else self._folders.get(watch, ())
            events += [Event(folder, name, written=bool(mask & _MODIFY)) for folder in folders]
            if mask & _OVERFLOW:
                events.append(Event(None, "", written=False))
        return events
