"""Linux's events about folders, directly from inotify: watchdog's observer would cost 2.5 MB and
five threads more."""

import ctypes
import errno
import os
import select
import struct
from pathlib import Path

from core.adapters.waiting.folder_events import Event, cannot_watch

_MODIFY = 0x2
_CLOSE_WRITE = 0x8
_MOVED_FROM = 0x40
_MOVED_TO = 0x80
_CREATE = 0x100
_DELETE = 0x200
_DELETE_SELF = 0x400
_MOVE_SELF = 0x800
_OVERFLOW = 0x4000
_IGNORED = 0x8000
_ONLY_FOLDERS = 0x1000000
# Never "opened" or "closed after reading": a search through the folder must not wake us.
_MASK = (
    _MODIFY
    | _CLOSE_WRITE
    | _MOVED_FROM
    | _MOVED_TO
    | _CREATE
    | _DELETE
    | _DELETE_SELF
    | _MOVE_SELF
    | _ONLY_FOLDERS
)
_HEAD = struct.Struct("iIII")  # watch, mask, cookie, length of the name


class Inotify:
    """The `FolderEvents` of Linux."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._opened = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._error = ctypes.get_errno() if self._opened < 0 else 0
        self._wake_reader, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._wake_reader, select.POLLIN)
        if not self._error:
            self._poll.register(self._opened, select.POLLIN)

        self._folders: dict[int, set[Path]] = {}  # a folder may have several names

    def watch(self, folder: Path) -> bool:
        number = self._library.inotify_add_watch(self._opened, os.fsencode(folder), _MASK)
        if number < 0:
            error = self._error or ctypes.get_errno()
            if error in (errno.ENOENT, errno.ENOTDIR):
                return False

            raise cannot_watch(folder, error)

        self._folders.setdefault(number, set()).add(folder)
        return True

    def wait(self, seconds: float | None) -> list[Event]:
        milliseconds = None if seconds is None else max(0.0, seconds) * 1000
        ready = [number for number, _ in self._poll.poll(milliseconds)]
        if self._wake_reader in ready:
            os.read(self._wake_reader, 4096)

        return self._read() if self._opened in ready else []

    def wake(self) -> None:
        try:
            os.write(self._wake_writer, b"!")
        except BlockingIOError:  # full of wake-ups already
            return

    def close(self) -> None:
        for number in (self._opened, self._wake_reader, self._wake_writer):
            if number >= 0:
                os.close(number)

    def _read(self) -> list[Event]:
        buffer = os.read(self._opened, 65536)
        events: list[Event] = []
        end = 0

        while end < len(buffer):
            watch, mask, _, length = _HEAD.unpack_from(buffer, end)
            end += _HEAD.size + length
            name = os.fsdecode(buffer[end - length : end].rstrip(b"\0"))

            if mask & _MOVE_SELF:  # another folder may have this name from now on
                self._library.inotify_rm_watch(self._opened, watch)

            folders = self._folders.get(watch, set())
            events += [Event(folder, name, written=bool(mask & _MODIFY)) for folder in folders]

            if mask & _IGNORED:  # the kernel has ended this watch
                self._folders.pop(watch, None)
            if mask & _OVERFLOW:
                events.append(Event(None, "", written=False))

        return events
