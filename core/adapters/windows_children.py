"""The port Children on Windows, where only a socket can be waited for: one thread a child closes it at the end."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from core.adapters.windows_job import Job
from core.model.errors import HeartbeatError

CREATE_NEW_PROCESS_GROUP = 0x00000200
CREATE_NO_WINDOW = 0x08000000
if sys.platform == "win32":
    PLEASE_END = signal.CTRL_BREAK_EVENT
else:
    PLEASE_END = signal.SIGTERM


class WindowsChildren:
    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> "WindowsChild":
        try:
            with open(log or os.devnull, "ab") as output:
                process = subprocess.Popen(
                    arguments,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    creationflags=flags(),
                )
        except (OSError, ValueError) as error:
            raise HeartbeatError(
                f"{arguments[0]} could not be started: {error}.",
                f"Is it still installed there{f', and can {log} be written' if log else ''}?",
            ) from error
        return WindowsChild(process)


class WindowsChild:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self._process = process
        self._job = Job(process.pid)
        self._ending, told = socket.socketpair()
        threading.Thread(target=tell_the_end, args=(process, told), daemon=True).start()

    def fileno(self) -> int:
        return self._ending.fileno()

    def poll(self) -> int | None:
        return self._process.poll()

    def ask_to_end(self) -> None:
        try:
            self._process.send_signal(PLEASE_END)
        except OSError:  # we share no console: there is no other way to ask
            self.kill()

    def kill(self) -> None:
        self._job.kill()

    def close(self) -> None:
        with suppress(OSError):
            self._ending.close()


def flags() -> int:
    """With a console the child shares ours, and can be asked to end over it; without one it must not open a window."""
    return CREATE_NEW_PROCESS_GROUP | (0 if sys.stderr else CREATE_NO_WINDOW)


def tell_the_end(process: subprocess.Popen[bytes], told: socket.socket) -> None:
    with told:
        process.wait()
