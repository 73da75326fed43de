"""A harmless twin of every port, in memory; tests/contract holds it to the same suite as the real thing."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from core.adapters.captured_output import CapturedOutput
from core.model.errors import HeartbeatError
from core.model.process import Command, Ending, How
from core.ports import Cancellation


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a command would do, if one ran."""

    prints: str = ""
    exit_code: int = 0
    takes: timedelta = timedelta()
    meanwhile: Callable[[], None] = lambda: None  # happens while it runs: cancelling, for instance


class FakeProcesses:
    """Plays the behaviour of each command line; a line that it was not told about prints nothing and exits with 0."""

    def __init__(self, behaviours: Mapping[str, Behaviour] | None = None) -> None:
        self.behaviours = dict(behaviours or {})
        self.started: list[Command] = []

    def run(self, command: Command, cancelled: Cancellation | None = None) -> Ending:
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, "", False, timedelta())
        if "\0" in command.line or not command.folder.is_dir():
            return Ending(How.COULD_NOT_START, None, "The fake could not start the command.", False, timedelta())
        self.started.append(command)
        behaviour = self.behaviours.get(command.line, Behaviour())
        behaviour.meanwhile()
        output = CapturedOutput()
        output.add(behaviour.prints.encode())
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, *output.text(), timedelta())
        if behaviour.takes >= command.timeout:
            return Ending(How.TIMED_OUT, None, *output.text(), command.timeout)
        return Ending(How.EXITED, behaviour.exit_code, *output.text(), behaviour.takes)

    def kill_all(self) -> None:
        pass

    def end_left_by(self, pid: int) -> None:
        pass


class FakeChild:
    """Runs until the test ends it."""

    def __init__(self, pid: int, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None) -> None:
        self.pid = pid
        self.arguments = tuple(arguments)
        self.environment = dict(environment)
        self.log = log
        self.asked_to_end = 0
        self._exit_code: int | None = None
        self._reading, self._writing = os.pipe()
        self._open = True

    def end(self, exit_code: int) -> None:
        if self._exit_code is None:
            self._exit_code = exit_code
            os.close(self._writing)

    def fileno(self) -> int:
        return self._reading

    def poll(self) -> int | None:
        return self._exit_code

    def ask_to_end(self) -> None:
        self.asked_to_end += 1
        self.end(-15)

    def kill(self) -> None:
        self.end(-9)

    def close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._reading)


class FakeChildren:
    """Children that a test ends by hand; `missing` programs cannot be started."""

    def __init__(self, missing: Sequence[str] = ()) -> None:
        self.missing = frozenset(missing)
        self.started: list[FakeChild] = []

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None) -> FakeChild:
        if arguments[0] in self.missing:
            raise HeartbeatError(f"{arguments[0]} could not be started: no such file.", "Is it still installed there?")
        child = FakeChild(1000 + len(self.started), arguments, environment, log)
        self.started.append(child)
        return child
