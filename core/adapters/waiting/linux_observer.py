"""Watchdog's observer on Linux, which also tells what watchdog keeps to itself: that events were
lost because the kernel's queue was full, that a watched folder was moved away or unmounted, and
that a folder may not be watched.

The kernel is asked for the events of watchdog's filter alone, so nothing wakes up this process
while other programs read.
"""

import errno
import os
from collections.abc import Callable

from watchdog.observers.api import BaseObserver
from watchdog.observers.inotify import InotifyEmitter
from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchCallback,
    WatchDescriptor,
)

# Watchdog asks for changes of permissions and times together with changes of the text.
_UNWANTED = InotifyConstants.IN_ATTRIB
_TEXT = InotifyConstants.IN_MODIFY
_WANTED_TOO = InotifyConstants.IN_MOVE_SELF | InotifyConstants.IN_ONLYDIR
_FOLDER_IS_GONE = InotifyConstants.IN_MOVE_SELF | InotifyConstants.IN_UNMOUNT


class LinuxObserver(BaseObserver):
    """Calls `on_loss` in a thread of its own when any watched folder may have changed, and may
    have to be watched again."""

    def __init__(self, on_loss: Callable[[], None]) -> None:
        self._reader = _Reader(on_loss)
        self._reader.start()
        super().__init__(InotifyEmitter, inotify_fd=self._reader)

    def on_thread_stop(self) -> None:
        super().on_thread_stop()
        self._reader.stop()
        self._reader.join()


class _Reader(InotifyFD):
    """The thread that reads what the kernel reports."""

    def __init__(self, on_loss: Callable[[], None]) -> None:
        super().__init__()
        self._on_loss = on_loss

    def add_callback(
        self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId
    ) -> WatchDescriptor:
        # Where only the return of a folder is waited for, it may come back by its permissions.
        asked = Mask((mask & ~_UNWANTED if mask & _TEXT else mask | _UNWANTED) | _WANTED_TOO)
        watch = super().add_callback(path, asked, callback, id_)
        if watch < 0:  # watchdog goes on as if a folder that it may not watch were watched
            self.remove_callbacks([(watch, id_)])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        return watch

    def handle_event(self, event: InotifyEvent) -> None:
        super().handle_event(_without_waiting(event))

        if event.is_queue_overflow or event.mask & _FOLDER_IS_GONE:
            self._on_loss()


def _without_waiting(event: InotifyEvent) -> InotifyEvent:
    """Watchdog holds the report of a file that was moved away, and all after it, for half a second,
    to learn where the file went. Here it is enough that it is gone."""
    if not event.is_moved_from:
        return event

    mask = event.mask ^ (InotifyConstants.IN_MOVED_FROM | InotifyConstants.IN_DELETE)
    return InotifyEvent(event.wd, Mask(mask), event.cookie, event.name)
