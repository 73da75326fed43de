"""A real terminal in which the command runs."""

import os
import pty
import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.e2e.machine import COMMAND, Machine, wait_for

CTRL_C = b"\x03"
# Tests that run in the background of a shell ignore it, and so would what they start.
WITH_CTRL_C = ["env", "--default-signal=INT"]
# The system call `read` of the descriptor 0, on the two kinds of processor.
READING_THE_KEYBOARD = (["0", "0x0"], ["63", "0x0"])


class Terminal:
    """A terminal in which one command runs."""

    def __init__(self, keyboard: int, process: subprocess.Popen[bytes]) -> None:
        self._keyboard = keyboard
        self.process = process
        self.shown = ""

    def type(self, keys: bytes) -> None:
        os.write(self._keyboard, keys)

    def see(self, words: str) -> None:
        wait_for(lambda: words in self._look(), f"'{words}' in: {self.shown}")

    def see_pattern(self, pattern: str) -> None:
        wait_for(lambda: re.search(pattern, self._look()), f"{pattern} in: {self.shown}")

    def wait_until_it_reads(self) -> None:
        """After a question is shown: until the command waits for the answer.

        Python loses the wake-up of a Ctrl-C that comes between showing a question and waiting."""
        current_call = Path(f"/proc/{self.process.pid}/syscall")
        wait_for(lambda: current_call.read_text().split()[:2] in READING_THE_KEYBOARD, "a question")

    def end(self) -> int:
        """The exit code, when the command has ended."""
        while self.process.poll() is None:
            self._look()  # a full screen would hold it up
        self._look()
        return self.process.returncode

    def _look(self) -> str:
        if select.select([self._keyboard], [], [], 0.02)[0]:
            with suppress(OSError):  # the other side is closed
                self.shown += os.read(self._keyboard, 65536).decode()
        return self.shown


@contextmanager
def terminal(machine: Machine, *words: str) -> Iterator[Terminal]:
    machine.approve()
    machine.approve()
    keyboard, screen = pty.openpty()
    process = subprocess.Popen(
        [*WITH_CTRL_C, "setsid", "--ctty", "--wait", COMMAND, *words],
        cwd=machine.workspace,
        env=machine.environment,
        stdin=screen,
        stdout=screen,
        stderr=screen,
    )
    os.close(screen)
    try:
        yield Terminal(keyboard, process)
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)
