"""Starts processes of our own for the always-on process. The law: cheap, no thread, no zombie, no leaked descriptor.

On posix_spawn: subprocess would bring 0.7 MB with it, and bookkeeping that a process with one child has no use for.
"""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from core.adapters.pidfd import open_pidfd, pidfd_works
from core.model.errors import HeartbeatError

UNKNOWN = 255  # the exit code where somebody else took it: not to be read as a success


class SystemChildren:
    """The port Children, on Linux and macOS."""

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None) -> "SystemChild":
        try:
            if pidfd_works():
                pid = spawn(arguments, environment, log, inherited=())
                return SystemChild(pid, open_pidfd(pid))
            return start_with_pipe(arguments, environment, log)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise HeartbeatError(
                f"{arguments[0]} could not be started: {reason}.",
                f"Is it still installed there{f', and can {log} be written' if log else ''}?",
            ) from error


class SystemChild:
    def __init__(self, pid: int, ending: int | None) -> None:
        self.pid = pid
        self._ending = ending  # readable once it has ended
        self._exit_code: int | None = None

    def fileno(self) -> int:
        assert self._ending is not None, "asked after close()"
        return self._ending

    def poll(self) -> int | None:
        if self._exit_code is None:
            try:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                self._exit_code = UNKNOWN
            else:
                self._exit_code = os.waitstatus_to_exitcode(status) if ended else None
        return self._exit_code

    # Until poll() has seen the end, the process table keeps the number for us: no stranger can have it.

    def ask_to_end(self) -> None:
        if self._exit_code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self._exit_code is None:
            with suppress(ProcessLookupError, PermissionError):  # macOS says the latter where all are dead
                os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        if self._ending is not None:
            os.close(self._ending)
            self._ending = None


def start_with_pipe(arguments: Sequence[str], environment: Mapping[str, str], log: Path | None) -> SystemChild:
    """Without pidfd: a pipe that only the child could write to is readable once the child is gone. It never writes.

    Weaker: whoever inherits the pipe from the child holds up the news of its end, and poll() may still say None for
    the moment between a process's closing its files and its end.
    """
    reading, writing = os.pipe()
    try:
        os.set_inheritable(writing, True)
        return SystemChild(spawn(arguments, environment, log, inherited=(writing,)), reading)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)


def spawn(
    arguments: Sequence[str], environment: Mapping[str, str], log: Path | None, inherited: tuple[int, ...]
) -> int:
    append = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    return os.posix_spawn(
        arguments[0],
        list(arguments),
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log or os.devnull), append, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
            *((os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in inheritable() if descriptor not in inherited),
        ],
        setpgroup=0,
        setsigmask=[],  # a signal that we hold back must still end the child
    )


def inheritable() -> Iterator[int]:
    """Python opens none, but a library may: watchdog's inotify descriptor is one."""
    for entry in Path("/dev/fd").iterdir():
        descriptor = int(entry.name)
        with suppress(OSError):  # the one that lists the folder is closed by now
            if descriptor > 2 and os.get_inheritable(descriptor):
                yield descriptor
