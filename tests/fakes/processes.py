"""Fakes of commands, children and locks. Law: no process is started."""

import os
import queue
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.adapters.processes.agent_programs import LARGEST_OUTPUT, encoded
from core.adapters.processes.commands import CapturedOutput
from core.adapters.processes.tool_servers import MOST_UNREAD
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose
from core.model.occurrence import Occurrence
from core.model.process import (
    LONGEST_LINE,
    Command,
    Ending,
    How,
    NoLine,
    NotFound,
    NotSent,
    NotStarted,
    ProgramCall,
    ProgramEnding,
)
from core.model.sandbox import Reach, SandboxEnding, SandboxState
from core.ports.processes import Cancellation
from core.rules.approving.tags import reach_problem
from tests.fakes.waiting import FakeClock


class FakeProcesses:
    """Commands that end as a test says, well otherwise; each takes its time on the clock."""

    def __init__(self, clock: FakeClock | None = None) -> None:
        self._clock = clock or FakeClock(datetime(2026, 1, 1, tzinfo=UTC))
        # Of a command line: an exit code, or another way to end; what it prints; how long it takes.
        self.endings: dict[str, How | int] = {}
        self.prints: dict[str, str] = {}
        self.takes: dict[str, timedelta] = {}
        self.lasting = timedelta(milliseconds=20)  # of every other command line
        self.meanwhile: Callable[[str], None] = lambda _: None  # happens while the command runs
        self.has_folder: Callable[[Path], bool] = lambda _: True
        self.started: list[Command] = []
        self.ran: list[tuple[str, datetime]] = []  # the command line, and when it began

    def run(
        self,
        command: Command,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> Ending:
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, "", timedelta())
        if "\0" in command.line or not self.has_folder(command.folder):
            words = "The fake could not start the command."
            return Ending(How.COULD_NOT_START, None, words, timedelta())

        self.started.append(command)
        self.ran.append((command.line, self._clock.now()))
        output = CapturedOutput()
        output.add(self.prints.get(command.line, "").encode())
        if on_line and (line := output.last_whole_line()):
            on_line(line)

        self.meanwhile(command.line)

        ending = self._ending(command, cancelled)
        duration = self._duration(command, ending)
        self._clock.pass_time(duration)

        output = CapturedOutput()
        at_its_end = f"did {command.line}\n" if isinstance(ending, int) else ""
        output.add(self.prints.get(command.line, at_its_end).encode())
        if isinstance(ending, How):
            return Ending(ending, None, output.text(), duration)
        return Ending(How.EXITED, ending, output.text(), duration)

    def kill_all(self) -> None:
        pass

    def end_left_by(self, pid: int) -> None:
        pass

    def _ending(self, command: Command, cancelled: Cancellation | None) -> How | int:
        if cancelled and cancelled.is_set():
            return How.CANCELLED
        if self.takes.get(command.line, self.lasting) >= command.timeout:
            return How.TIMED_OUT
        return self.endings.get(command.line, 0)

    def _duration(self, command: Command, ending: How | int) -> timedelta:
        if ending is How.TIMED_OUT:
            return command.timeout
        if ending is How.CANCELLED:
            return self.lasting
        return self.takes.get(command.line, self.lasting)


class FakeSandbox:
    """Walls around fake commands; it refuses the hosts that it is given."""

    def __init__(self, inside: FakeProcesses | None = None) -> None:
        self.processes = inside or FakeProcesses()
        self.reaches: list[Reach] = []  # of the commands that were started
        self.refuses: tuple[str, ...] = ()
        self.current_state = SandboxState(works=True)
        self.probed = 0

    def state(self) -> SandboxState:
        self.probed += 1
        return self.current_state

    def run(
        self,
        command: Command,
        reach: Reach,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> SandboxEnding:
        problem = reach_problem(reach)
        if problem or not self.current_state.works:
            words = problem.message if problem else self.current_state.reason
            return SandboxEnding(Ending(How.COULD_NOT_START, None, words, timedelta()))

        ending = self.processes.run(command, cancelled, on_line)
        self.reaches.append(reach)
        return SandboxEnding(ending, self.refuses if ending.how is How.EXITED else ())


class FakeAgentPrograms:
    """Programs that answer as a test says; one without an answer is not installed."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[ProgramCall], ProgramEnding]] = {}  # by name
        self.takes: dict[str, timedelta] = {}  # how long one works; otherwise no time
        self.meanwhile: Callable[[ProgramCall], None] = lambda _: None  # happens while it works
        self.started: list[ProgramCall] = []

    def run(self, call: ProgramCall, cancelled: Cancellation) -> ProgramEnding:
        name = call.words[0]
        if cancelled.is_set():
            return ProgramEnding(How.CANCELLED)
        if name not in self.answers or any("\0" in word for word in call.words):
            words = f"{name} could not be started: No such file or directory."
            return ProgramEnding(How.COULD_NOT_START, output=words)

        self.started.append(call)
        self.meanwhile(call)
        if cancelled.is_set():
            return ProgramEnding(How.CANCELLED)
        if self.takes.get(name, timedelta()) >= call.timeout:
            return ProgramEnding(How.TIMED_OUT)

        ending = self.answers[name](replace(call, text=encoded(call.text).decode()))
        return replace(ending, output=_kept(ending.output), error_output=_kept(ending.error_output))


def _kept(text: str) -> str:
    return text.encode()[:LARGEST_OUTPUT].decode(errors="replace")


class FakeToolServer:
    """A server in this process: it takes each line as a test says."""

    def __init__(
        self,
        takes: "Callable[[FakeToolServer, bytes], None]",
        words: tuple[str, ...],
        folder: Path,
        environment: Mapping[str, str],
    ) -> None:
        self.words = words
        self.folder = folder
        self.environment = dict(environment)
        self.got: list[bytes] = []
        self.is_deaf = False  # it reads nothing
        self.is_running = True
        self._takes = takes
        self._unread = 0
        self._said: queue.SimpleQueue[bytes | NoLine] = queue.SimpleQueue()

    def say(self, line: bytes) -> None:
        self._said.put(line if len(line) <= LONGEST_LINE else NoLine.TOO_LONG)

    def exit(self) -> None:
        if self.is_running:
            self.is_running = False
            self._said.put(NoLine.ENDED)

    def send(self, line: bytes) -> NotSent | None:
        if not self.is_running:
            return NotSent.ENDED
        if self._unread >= MOST_UNREAD:
            return NotSent.UNREAD
        if self.is_deaf:
            self._unread += 1
            return None

        self.got.append(line)
        self._takes(self, line)
        return None

    def receive(self) -> bytes | NoLine:
        line = self._said.get()
        if line is NoLine.ENDED:
            self._said.put(line)  # for the next one who asks
        return line

    def end(self) -> None:
        self.exit()


class FakeToolServers:
    """Servers that a test plays; one that it does not play is not installed."""

    def __init__(self) -> None:
        self.begins: dict[str, Callable[[FakeToolServer], None]] = {}  # by name: what it does first
        self.takes: dict[str, Callable[[FakeToolServer, bytes], None]] = {}  # and with each line
        self.started: list[FakeToolServer] = []

    def start(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> FakeToolServer | NotStarted:
        if any("\0" in word for word in words):
            return NotStarted("its command contains a NUL character, which is not allowed")
        if words[0] not in self.takes:
            return NotStarted("there is no such program")

        server = FakeToolServer(self.takes[words[0]], tuple(words), folder, environment)
        self.started.append(server)
        if words[0] in self.begins:
            self.begins[words[0]](server)
        return server

    def is_installed(self, program: str, folder: Path, environment: Mapping[str, str]) -> bool:
        return program in self.takes


class FakeChild:
    """Runs until the test ends it, it is asked to end and listens, or it is killed."""

    def __init__(
        self,
        pid: int,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        log: Path | None,
        *,
        listens: bool,
    ) -> None:
        self.pid = pid
        self.arguments = tuple(arguments)
        self.environment = dict(environment)
        self.log = log
        self.asked: list[str] = []  # what it was asked for, in this order
        self._listens = listens
        self._exit_code: int | None = None
        self._reading = -1  # a pipe, made when the first one waits for the child
        self._writing = -1

    def end(self, exit_code: int) -> None:
        if self._exit_code is None:
            self._exit_code = exit_code
            self._close_writing()

    def fileno(self) -> int:
        if self._reading < 0:
            self._reading, self._writing = os.pipe()
            if self._exit_code is not None:
                self._close_writing()
        return self._reading

    def poll(self) -> int | None:
        return self._exit_code

    def ask_to_end(self) -> None:
        self.asked.append("end")
        if self._listens:
            self.end(-15)

    def kill(self) -> None:
        self.asked.append("kill")
        self.end(-9)

    def close(self) -> None:
        self.asked.append("close")
        self._close_reading()
        self._close_writing()

    def _close_reading(self) -> None:
        if self._reading >= 0:
            os.close(self._reading)
            self._reading = -1

    def _close_writing(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1

    def __del__(self) -> None:
        self._close_reading()
        self._close_writing()


class FakeChildren:
    """Children that a test ends by hand; `missing` programs cannot be started."""

    def __init__(self, missing: Sequence[str] = (), *, listen: bool = True) -> None:
        self.missing = frozenset(missing)
        self.started: list[FakeChild] = []
        self._listen = listen  # end when they are asked to

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> FakeChild:
        if arguments[0] in self.missing:
            raise HeartbeatError(
                f"{arguments[0]} could not be started: no such file.",
                "Is it still installed there?",
            )

        pid = 1000 + len(self.started)
        child = FakeChild(pid, arguments, environment, log, listens=self._listen)
        self.started.append(child)
        return child


class FakeOwnCommands:
    """Commands that print what a test says, nothing otherwise; `missing` programs cannot be
    started."""

    def __init__(self, missing: Sequence[str] = ()) -> None:
        self.missing = frozenset(missing)
        self.prints: dict[tuple[str, ...], str] = {}  # by command line
        self.started: list[tuple[str, ...]] = []

    def output(self, arguments: Sequence[str]) -> str:
        if arguments[0] in self.missing:
            raise HeartbeatError(f"{arguments[0]} could not be started: no such file.", "")

        self.started.append(tuple(arguments))
        return self.prints.get(tuple(arguments), "")


@dataclass
class FakeBackground:
    """Actions that run until the test takes them out of `running`."""

    running: set[str] = field(default_factory=set)
    started: list[Occurrence] = field(default_factory=list)

    def start(self, occurrence: Occurrence) -> None:
        self.started.append(occurrence)
        self.running.add(occurrence.item)

    def is_running(self, item: str) -> bool:
        return item in self.running


class FakeOtherProcess:
    """Ends when it is asked to, unless it is stubborn."""

    def __init__(self, *, is_stubborn: bool = False) -> None:
        self.is_stubborn = is_stubborn
        self.asked: list[str] = []  # what it was asked for, in this order
        self._has_ended = False

    def ask_to_end(self) -> None:
        self.asked.append("end")
        self._has_ended = self._has_ended or not self.is_stubborn

    def kill(self) -> None:
        self.asked.append("kill")
        self._has_ended = True

    def has_ended_within(self, seconds: float) -> bool:
        return self._has_ended

    def close(self) -> None:
        self.asked.append("close")


class FakeOtherProcesses:
    """Processes that a test puts there, by their number."""

    def __init__(self) -> None:
        self.running: dict[int, FakeOtherProcess] = {}
        self.of_others: set[int] = set()

    def find(self, pid: int, is_still_it: Callable[[], bool]) -> FakeOtherProcess | NotFound:
        if not is_still_it() or not self.running.keys() | self.of_others >= {pid}:
            return NotFound.GONE
        if pid in self.of_others:
            return NotFound.ANOTHER_USERS

        return self.running[pid]


class FakeLastLines:
    """The lines of this process."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}  # by item

    def tell(self, item: str, line: str) -> None:
        self.lines[item] = line

    def of(self, item: str) -> str:
        return self.lines.get(item, "")

    def forget(self, item: str) -> None:
        self.lines.pop(item, None)


class FakeHeldLock:
    def __init__(self, lock: "FakeLock") -> None:
        self._lock: FakeLock | None = lock

    def release(self) -> None:
        if self._lock is not None:
            self._lock.held_by = None
            self._lock = None

    def __enter__(self) -> "FakeHeldLock":
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class FakeLock:
    """One lock in one process; a test that plays the other process sets `held_by`."""

    def __init__(self) -> None:
        self.held_by: Holder | None = None
        # What the other process does before it gives the lock up.
        self.until_free: Callable[[], None] = self.release

    def acquire(self, purpose: Purpose, now: datetime) -> FakeHeldLock | Holder:
        if self.held_by is not None:
            return self.held_by

        self.held_by = Holder(os.getpid(), now, purpose)
        return FakeHeldLock(self)

    def wait(self, purpose: Purpose, now: datetime) -> FakeHeldLock:
        while self.held_by is not None:  # it takes as long as the other one needs
            self.until_free()

        held = self.acquire(purpose, now)
        assert isinstance(held, FakeHeldLock)
        return held

    def holder(self) -> Holder | None:
        return self.held_by

    def release(self) -> None:
        self.held_by = None
