"""Starts child processes for the resident. Law: it is cheap, needs no thread, and leaves
no zombie and no open descriptor.

It uses posix_spawn: subprocess would cost 0.7 MB and does bookkeeping that is not needed here.
"""

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from core.model.errors import HeartbeatError

UNKNOWN = 255  # the exit code if another part of the process has reaped the child: not a success


class SystemChildren:
    """The `Children` port, on Linux and macOS."""

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> "SystemChild":
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

    # Until poll() has reaped the child, no other process can have its number, so the signals below
    # cannot reach another process.

    def ask_to_end(self) -> None:
        if self._exit_code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self._exit_code is None:
            # macOS raises PermissionError if all of them are dead.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        if self._ending is not None:
            os.close(self._ending)
            self._ending = None


def start_with_pipe(
    arguments: Sequence[str], environment: Mapping[str, str], log: Path | None
) -> SystemChild:
    """Start a child where there is no pidfd. Only the child has the writing end of a pipe, which it
    never uses, so the pipe becomes readable when the child ends.

    That is weaker: a process that inherits the pipe from the child delays the report of its end,
    and poll() may still return None between the time when a process closes its files and its end.
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
    arguments: Sequence[str],
    environment: Mapping[str, str],
    log: Path | None,
    inherited: tuple[int, ...],
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
            *(
                (os.POSIX_SPAWN_CLOSE, descriptor)
                for descriptor in inheritable()
                if descriptor not in inherited
            ),
        ],
        setpgroup=0,
        setsigmask=[],  # signals that we hold back must still end the child
    )


def inheritable() -> Iterator[int]:
    """Descriptors that a child would inherit. Python opens none, but a library may: watchdog's
    inotify descriptor is one."""
    for entry in Path("/dev/fd").iterdir():
        descriptor = int(entry.name)
        with suppress(OSError):  # the descriptor that lists the folder is closed by now
            if descriptor > 2 and os.get_inheritable(descriptor):
                yield descriptor


def open_pidfd(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends, or None before Linux 5.3 and
    on other systems."""
    if sys.platform == "linux":
        with suppress(OSError):  # an old kernel, or a container that forbids it
            return os.pidfd_open(pid)

    return None


def pidfd_works() -> bool:
    descriptor = open_pidfd(os.getpid())
    if descriptor is None:
        return False

    os.close(descriptor)
    return True
