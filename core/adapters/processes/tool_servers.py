"""Runs tool servers, which we talk with through their standard input and output. Law: a server that
reads nothing, writes without end or ignores every request to end costs bounded time and memory, and
nothing that it started outlives it but a process that gave up its group, its parent and its
environment.

Each server has a thread that writes to it: a full pipe would block the caller.
"""

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from core.adapters.processes.commands import as_bytes
from core.adapters.processes.family import Family
from core.adapters.processes.tree import MARK, AdoptedProcesses, ProcessTree
from core.model.process import LONGEST_LINE, NoLine, NotSent, NotStarted

MOST_UNREAD = 256  # lines that wait until the server reads them
# All three together stay below the promised 7 s.
INPUT_GRACE = 2.0  # seconds between the end of its input and the signal that asks
SIGNAL_GRACE = 2.0  # seconds between that and the one that kills
KILL_TIMEOUT = 2.0  # seconds to find and kill what is left then
READER_TIMEOUT = 0.5  # seconds until a reader notices that nothing can write any more
FIRST_PAUSE = 0.001  # seconds between two checks while something is being ended
LONGEST_PAUSE = 0.05


class SystemToolServers:
    """The `ToolServerProcesses` port, on all systems."""

    def __init__(
        self, monotonic: Callable[[], float], adopted: AdoptedProcesses | None = None
    ) -> None:
        """`adopted` is that of the commands of this process, where the system has such a thing."""
        self._monotonic = monotonic
        self._adopted = adopted or AdoptedProcesses()

    def start(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> "SystemToolServer | NotStarted":
        mark = self._adopted.open_server()
        try:
            process = _started(words, folder, {**environment, MARK: mark} if mark else environment)
        except (OSError, ValueError) as error:
            self._adopted.close(mark)
            return NotStarted(_why(error, folder))

        family = _family(process, mark, self._adopted)
        try:
            return SystemToolServer(
                process, family, self._monotonic, lambda: self._adopted.close(mark)
            )
        except RuntimeError:
            self._give_up(process, family, mark)
            return NotStarted("the machine is out of threads")

    def is_installed(self, program: str, folder: Path, environment: Mapping[str, str]) -> bool:
        import shutil  # imported here: only `check` asks

        place = program if Path(program).name == program else str(folder / program)
        return shutil.which(place, path=environment.get("PATH", os.defpath)) is not None

    def _give_up(self, process: "subprocess.Popen[bytes]", family: Family, mark: str) -> None:
        family.kill()
        process.communicate()  # closes both pipes, and waits for its end
        self._adopted.close(mark)


class SystemToolServer:
    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        family: Family,
        monotonic: Callable[[], float],
        forget: Callable[[], None],
    ) -> None:
        assert process.stdin
        assert process.stdout
        self._process = process
        self._family = family
        self._monotonic = monotonic
        self._forget = forget  # called once nothing of it is left
        self._output = process.stdout
        self._reading = threading.Lock()
        self._is_in_long_line = False
        self._ending = threading.Lock()
        self._has_ended = False
        self._unread: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()  # None: close
        self._is_open = True  # its input
        self._writer = threading.Thread(
            target=self._write, args=(process.stdin,), name="tool server input", daemon=True
        )
        self._writer.start()

    # -- talking -----------------------------------------------------------------------------------

    def send(self, line: bytes) -> NotSent | None:
        if not self._is_open:
            return NotSent.ENDED
        if self._unread.qsize() >= MOST_UNREAD:
            return NotSent.UNREAD

        self._unread.put(line)
        return None

    def receive(self) -> bytes | NoLine:
        with self._reading, suppress(OSError, ValueError):  # closed: it was ended
            while piece := self._output.readline(LONGEST_LINE + 1):
                is_whole = piece.endswith(b"\n")
                was_in_long_line = self._is_in_long_line
                self._is_in_long_line = not is_whole and (
                    was_in_long_line or len(piece) > LONGEST_LINE
                )

                if was_in_long_line:
                    continue  # the rest of a line that was reported
                if self._is_in_long_line:
                    return NoLine.TOO_LONG

                return piece.rstrip(b"\r\n")

            self._output.close()

        return NoLine.ENDED

    def _write(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while (line := self._unread.get()) is not None:
                pipe.write(line + b"\n")
                pipe.flush()

        self._is_open = False
        with suppress(OSError):  # what could not be written is tried again here
            pipe.close()

    # -- ending ------------------------------------------------------------------------------------

    def end(self) -> None:
        with self._ending:
            if self._has_ended:
                return

            self._has_ended = True
            self._is_open = False
            self._unread.put(None)
            self._end_family()
            self._writer.join(READER_TIMEOUT)
            self._close_output()
            self._forget()

    def _end_family(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(INPUT_GRACE)

        if self._family.anyone_left():
            self._family.ask_to_end()
            self._wait_until_gone(SIGNAL_GRACE)

        if self._family.anyone_left():
            self._family.kill()
            self._wait_until_gone(KILL_TIMEOUT)

    def _wait_until_gone(self, seconds: float) -> None:
        until = self._monotonic() + seconds
        pause = FIRST_PAUSE
        while self._family.anyone_left() and self._monotonic() < until:
            threading.Event().wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _close_output(self) -> None:
        """Close its output, unless a reader waits for a process that is out of our reach."""
        if self._reading.acquire(timeout=READER_TIMEOUT):
            with suppress(OSError):
                self._output.close()

            self._reading.release()


class JobFamily:
    """The family on Windows, where nothing can be asked to end."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        from core.adapters.processes.windows import Job

        self._process = process
        self._job = Job(process.pid, kill_on_close=True)

    def anyone_left(self) -> bool:
        if self._process.poll() is None:
            return True

        self._job.close()  # which ends what is left in it
        return False

    def ask_to_end(self) -> None:
        self._job.kill()

    def kill(self) -> None:
        self._job.kill()


def _family(process: "subprocess.Popen[bytes]", mark: str, adopted: AdoptedProcesses) -> Family:
    if mark:
        return ProcessTree(process, mark, adopted)

    if os.name == "nt":
        return JobFamily(process)

    from core.adapters.processes.posix import ProcessGroup

    return ProcessGroup(process)


def _started(
    words: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    if sys.platform == "win32":
        import shutil

        from core.adapters.processes.windows import CREATE_NO_WINDOW

        # Many servers are scripts (npx.cmd), which are found only by their whole name.
        program = shutil.which(words[0], path=environment.get("PATH")) or words[0]
        return subprocess.Popen(
            [program, *words[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            creationflags=CREATE_NO_WINDOW,
        )

    return subprocess.Popen(
        [as_bytes(word) for word in words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={as_bytes(name): as_bytes(value) for name, value in environment.items()},
        start_new_session=True,
    )


def _why(error: OSError | ValueError, folder: Path) -> str:
    if isinstance(error, ValueError):
        return "its command contains a NUL character, which is not allowed"
    if error.filename is not None and str(error.filename) == str(folder):
        return f"the folder {folder} cannot be entered: {error.strerror}"
    if isinstance(error, FileNotFoundError):
        return "there is no such program"

    return error.strerror or str(error)
