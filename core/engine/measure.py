"""Measures what the checks of a beat ask for, through ports. What cannot be measured never
counts as failed."""

from collections.abc import Callable
from datetime import datetime, timedelta

from core import checks
from core.checks.command import not_measured
from core.model.check import Check, Finding, Measurement, Value
from core.model.diagnostic import Problem
from core.model.document import Document
from core.model.file_work import Seen
from core.model.http import Answer, NoAnswer, Request
from core.model.light_dataclass import light_dataclass, replace
from core.model.process import Command, Ending
from core.ports.world import World
from core.rules.checking.values import read_value
from core.rules.printable import one_line

PROBE_LIMIT = timedelta(seconds=10)
ARROW = "  →  "
FINDING_WORDS = {
    Finding.PASSES: "passes",
    Finding.FAILS: "fails",
    Finding.UNMEASURED: "cannot be measured",
}


class Measurer:
    """The measurements of one beat; a probe runs at most once."""

    def __init__(self, world: World, document: Document) -> None:
        self._world = world
        self._commands = {probe.name: probe.command for probe in document.probes}
        self._probed: dict[str, Value | Problem] = {}
        self._before: dict[str, Seen] = {}

    def prepare(self, task: str, check: Check | Problem) -> None:
        """What `changed` compares with: to be called before anything is done for the task."""
        if isinstance(check, Problem):
            return

        path = checks.CHECK_KINDS.of(check).watched_file(check)
        if path:
            self._before[task] = self._world.file_inspector.inspect(path)

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
            measuring = _Measuring(self._world, self._probe, self._before.get(task), exit_code)
            found = kind.measure(measuring, check)

        words = [hint, *([found.words] if found.words else []), FINDING_WORDS[found.finding]]
        return replace(found, words=ARROW.join(words), found=(written, *found.found))

    def _probe(self, name: str) -> Value | Problem:
        if name not in self._probed:
            self._probed[name] = self._measured(self._commands[name])
        return self._probed[name]

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
    before: Seen | None
    exit_code: int | None

    def now(self) -> datetime:
        return self.world.clock.now()

    def inspect(self, path: str) -> Seen:
        return self.world.file_inspector.inspect(path)

    def run(self, line: str, limit: timedelta) -> Ending:
        return _run(self.world, line, limit)

    def send(self, request: Request) -> Answer | NoAnswer:
        return self.world.http.send(request, self.world.cancelled)


def _run(world: World, line: str, limit: timedelta) -> Ending:
    return world.processes.run(Command(line, world.root, limit), world.cancelled)
