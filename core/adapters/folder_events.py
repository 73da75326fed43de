"""What the system tells about the folders that it watches, in one shape for all systems."""

import errno
import os
from pathlib import Path
from typing import NamedTuple, Protocol

from core.model.errors import HeartbeatError


class Event(NamedTuple):
    folder: Path | None  # None: some news were lost, anything may have happened
    name: str  # in that folder; empty: the folder itself
    written: bool  # and its writer has not closed it yet


class FolderEvents(Protocol):
    def watch(self, folder: Path) -> bool:
        """Tell about this folder from now on, not about those inside it. Doing it again does no harm, and is needed
        once the folder has been removed and made anew. False: there is no such folder now."""

    def wait(self, seconds: float | None) -> list[Event]:
        """Sleep until there is news, somebody calls `wake`, or the time is over (None: never)."""

    def wake(self) -> None:
        """End a `wait` that goes on in another thread, or else the next one."""

    def close(self) -> None: ...


def cannot_watch(folder: Path, number: int) -> HeartbeatError:
    if number in (errno.ENOSPC, errno.EMFILE):
        return HeartbeatError(
            f"The system's limit for watching folders is reached: changes in {folder} are seen only at the next beat.",
            "Raise it: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024",
        )
    return HeartbeatError(
        f"{folder} cannot be watched: {os.strerror(number)}.", f"Look at its permissions: ls -ld '{folder}'"
    )
