"""What the system reports about watched folders, in one form for all systems."""

import errno
import os
from pathlib import Path
from typing import NamedTuple, Protocol

from core.model.errors import HeartbeatError


class Event(NamedTuple):
    folder: Path | None  # None: events were lost, and anything may have happened
    name: str  # in that folder; empty: the folder itself
    written: bool  # and its writer has not closed it yet


class FolderEvents(Protocol):
    def watch(self, folder: Path) -> bool:
        """Report changes in this folder from now on, not in the folders inside it. Calling it again
        does no harm, and is needed after the folder was removed and made again. Return False if the
        folder does not exist now."""

    def wait(self, seconds: float | None) -> list[Event]:
        """Sleep until there are events, `wake` is called, or the time is over; None: no limit."""

    def wake(self) -> None:
        """End the `wait` of another thread; if there is none now, the next one ends at once."""

    def close(self) -> None: ...


def cannot_watch(folder: Path, number: int) -> HeartbeatError:
    if number in (errno.ENOSPC, errno.EMFILE):
        return HeartbeatError(
            (
                f"The system's limit for watching folders is reached: changes in {folder} are seen "
                "only at the next beat."
            ),
            (
                "Raise it: sudo sysctl fs.inotify.max_user_watches=524288 "
                "fs.inotify.max_user_instances=1024"
            ),
        )

    return HeartbeatError(
        f"{folder} cannot be watched: {os.strerror(number)}.",
        f"Check its permissions: ls -ld '{folder}'",
    )
