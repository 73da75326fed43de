"""Measures what the checks of a beat ask for, through ports. What cannot be measured never
counts as failed."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from core import checks
from core.checks.command import not_measured
from core.engine.contents import WatchedContents, watched_file
from core.model.check import Check, Finding, Measurement, Value
from core.model.diagnostic import Problem
from core.model.document import Document
from core.model.evidence import Named
from core.model.file_work import Seen
from core.model.http import Answer, NoAnswer, Request
from core.model.light_dataclass import light_dataclass, replace
from core.model.process import Command, Ending, How
from core.ports.world import World
from core.rules.checking.touching import names_a_file
from core.rules.checking.values import read_value
from core.rules.printable import one_line

PROBE_LIMIT = timedelta(seconds=10)
BEFORE_LIMIT = timedelta(seconds=10)  # for each command and page, before anything is done
ARROW = "  →  "
FINDING_WORDS = {
    Finding.PASSES: "passes",
    Finding.FAILS: "fails",
    Finding.UNMEASURED: "cannot be measured",
}


class Measurer:
    """The measurements of one beat; a probe runs at most once before and once after the work."""

    def __init__(self, world: World, document: Document) -> None:
        self._world = world
        self._commands = {probe.name: probe.command for probe in document.probes}
        self._probed: dict[str, Value | Problem] = {}
        self._probed_before: dict[str, Value | Problem] = {}
        self._before: dict[str, Seen] = {}
        self._prepared: dict[str, datetime] = {}  # when each task was about to begin
        self.contents = WatchedContents(world, document)

    def prepare(self, task: str, check: Check | Problem) -> None:
        """What `fresh<` and `changed` compare with: to be called before anything is done for the
        task."""
        self._prepared[task] = self._world.clock.now()
        if path := watched_file(check):
            self._before[task] = self.contents.look(path)

    def needs_judge(self, check: Check | Problem) -> bool:
        """Whether nothing can measure it."""
        return isinstance(check, Problem) or checks.CHECK_KINDS.of(check).needs_judge

    def values_before(self, check: Check | Problem) -> Mapping[str, Value] | None:
        """The values that the check names, before anything is done for a task: what a model read
        then and reports later is true. None: a report is not compared with them, as they have no
        names of their own, or take too long to know."""
        if isinstance(check, Problem):
            return None

        kind = checks.CHECK_KINDS.of(check)
        if not kind.has_values:
            return None

        measuring = _MeasuringBefore(self._world, self._probe_before)
        found = kind.measure(measuring, check)
        return None if measuring.took_too_long else found.values

    def names(self, check: Check | Problem, words: str, known: Collection[str]) -> Named:
        """The files that a check and the words about its task name."""
        if isinstance(check, Problem):
            return Named(words=words, by_any_reading=True)

        names = checks.CHECK_KINDS.of(check).names(check)
        root = f"{self._world.root}/"
        probes = [self._commands[name] for name in check.measured_probes()]
        lines = [line.replace(root, "") for line in (names.command, *probes) if line]
        names_files = bool(names.paths) or names_a_file(names.command.replace(root, ""), known)

        return Named(names.paths, names.sources, tuple(lines), words, not names_files)

    def measure(
        self, task: str, hint: str, check: Check | Problem, exit_code: int | None = None
    ) -> Measurement:
        """Measure it now; `exit_code` is that of the task's own command."""
        written = hint
        if isinstance(check, Problem):
            found = Measurement(Finding.UNMEASURED, check.message)
        else:
            kind = checks.CHECK_KINDS.of(check)
            hint = kind.title(hint)
            began = self._prepared.get(task) if exit_code is not None else None
            measuring = _Measuring(
                self._world, self._probe, self.contents, self._before.get(task), exit_code, began
            )
            found = kind.measure(measuring, check)

        words = [hint, *([found.words] if found.words else []), FINDING_WORDS[found.finding]]
        return replace(found, words=ARROW.join(words), found=(written, *found.found))

    def _probe(self, name: str) -> Value | Problem:
        if name not in self._probed:
            self._probed[name] = self._measured(self._commands[name])
        return self._probed[name]

    def _probe_before(self, name: str) -> Value | Problem:
        if name not in self._probed_before:
            self._probed_before[name] = self._measured(self._commands[name])
        return self._probed_before[name]

    def _measured(self, line: str) -> Value | Problem:
        ending = _run(self._world, line, PROBE_LIMIT)
        problem = not_measured(ending, PROBE_LIMIT)
        if problem:
            return problem

        value = read_value(ending.output)
        # `grep -c` prints 0 and exits with 1; any other words with a failure are most likely about
        # the failure.
        if ending.exit_code != 0 and not isinstance(value, int | float):
            last = one_line(ending.last_line, 80)
            return Problem(f"exit code {ending.exit_code}" + (f": {last}" if last else ""), "")

        return value


@light_dataclass(frozen=True, slots=True)
class _Measuring:
    """What one measurement can ask for."""

    world: World
    probe: Callable[[str], Value | Problem]
    contents: WatchedContents
    before: Seen | None
    exit_code: int | None
    command_began: datetime | None  # of a `run:` task

    def now(self) -> datetime:
        return self.world.clock.now()

    def inspect(self, path: str) -> Seen:
        return self.contents.inspect(path, self.command_began)

    def run(self, line: str, limit: timedelta) -> Ending:
        return _run(self.world, line, limit)

    def send(self, request: Request) -> Answer | NoAnswer:
        return self.world.http.send(request, self.world.cancelled)


class _MeasuringBefore:
    """What a measurement before the work can ask for. It gets little time: the work waits."""

    before = None
    exit_code = None

    def __init__(self, world: World, probe: Callable[[str], Value | Problem]) -> None:
        self._world = world
        self.probe = probe
        self.took_too_long = False

    def now(self) -> datetime:
        return self._world.clock.now()

    def inspect(self, path: str) -> Seen:
        return self._world.file_inspector.inspect(path)

    def run(self, line: str, limit: timedelta) -> Ending:
        ending = _run(self._world, line, min(limit, BEFORE_LIMIT))
        self.took_too_long = self.took_too_long or ending.how is How.TIMED_OUT
        return ending

    def send(self, request: Request) -> Answer | NoAnswer:
        hurried = replace(request, timeout=min(request.timeout, BEFORE_LIMIT))
        return self._world.http.send(hurried, self._world.cancelled)


def _run(world: World, line: str, limit: timedelta) -> Ending:
    return world.processes.run(Command(line, world.root, limit), world.cancelled)
