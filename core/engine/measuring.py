"""Measures what the checks of a beat ask for, through ports. What cannot be measured never counts as failed."""

from dataclasses import replace
from datetime import timedelta
from typing import assert_never

from core.engine.world import World
from core.model.check import (
    Check,
    CommandCheck,
    ExitCodeCheck,
    ExpressionCheck,
    FileCheck,
    Finding,
    HttpCheck,
    JsonCheck,
    Label,
    Measurement,
    Value,
)
from core.model.diagnostic import Problem
from core.model.document import Document
from core.model.http import NoAnswer, Request
from core.model.process import Command, Ending, How
from core.model.seen_file import NoFile, Seen, SeenFile, UnseenFile
from core.rules.checking.evaluating import is_true
from core.rules.checking.expressions import Expression, read_expression, with_values
from core.rules.checking.files import file_finding
from core.rules.checking.hints import MEASURED
from core.rules.checking.values import read_json, read_value, shown_value
from core.rules.timing.durations import duration_words
from core.rules.writing.harmless import one_line

PROBE_LIMIT = timedelta(seconds=10)
COMMAND_LIMIT = timedelta(seconds=60)
ANSWER_LIMIT = timedelta(seconds=30)
NO_COMMAND = (126, 127)  # what a shell says where it finds no such command, or may not run it
ARROW = "  →  "


class Measurer:
    """The measurements of one beat; a probe runs at most once."""

    def __init__(self, world: World, document: Document) -> None:
        self._world = world
        self._commands = {probe.name: probe.command for probe in document.probes}
        self._probed: dict[str, Value | Problem] = {}
        self._before: dict[str, Seen] = {}

    def look_before(self, task: str, check: Check | Problem) -> None:
        """What `changed` compares with: to be called before anything is done for the task."""
        if isinstance(check, FileCheck) and check.changed:
            self._before[task] = self._world.file_look.look(check.path)

    def measure(self, task: str, hint: str, check: Check | Problem, exit_code: int | None = None) -> Measurement:
        """What is so now; `exit_code` is that of the task's own command."""
        match check:
            case Problem(message, _):
                found = Measurement(Finding.UNMEASURED, message)
            case Label():
                found = Measurement(Finding.UNMEASURED, "only a judge could decide it")
            case ExitCodeCheck():
                found = _by_exit_code(exit_code)
                hint = "its exit code"
            case CommandCheck(line):
                found = self._command(line)
            case FileCheck():
                found = self._file(task, check)
            case HttpCheck():
                found = self._http(check)
            case JsonCheck():
                found = self._json(check)
            case ExpressionCheck():
                found = self._expression(check)
            case _:
                assert_never(check)
        return replace(found, words=ARROW.join([hint, *([found.words] if found.words else []), found.finding]))

    # -- one kind each ------------------------------------------------------------------------------------------

    def _command(self, line: str) -> Measurement:
        ending = self._run(line, COMMAND_LIMIT)
        trouble = _trouble(ending, COMMAND_LIMIT)
        if trouble:
            return Measurement(Finding.UNMEASURED, trouble)
        return _by_exit_code(ending.exit_code)

    def _file(self, task: str, check: FileCheck) -> Measurement:
        seen = self._world.file_look.look(check.path)
        return file_finding(check, seen, self._before.get(task), self._world.clock.now())

    def _http(self, check: HttpCheck) -> Measurement:
        answer = self._world.http.send(Request("GET", check.url, timeout=ANSWER_LIMIT), self._world.cancelled)
        if isinstance(answer, NoAnswer):
            return Measurement(Finding.UNMEASURED, answer.reason)
        missing = [text for text in check.contains if text not in answer.body]
        is_fine = answer.status == check.status if check.status else 200 <= answer.status < 300
        lacks = "".join(f", without “{one_line(text, 40)}”" for text in missing)
        finding = Finding.PASSES if is_fine and not missing else Finding.FAILS
        return Measurement(finding, f"status {answer.status}{lacks}", {"status": answer.status})

    def _json(self, check: JsonCheck) -> Measurement:
        seen = self._world.file_look.look(check.path)
        match seen:
            case UnseenFile(reason):
                return Measurement(Finding.UNMEASURED, reason)
            case NoFile():
                return Measurement(Finding.FAILS, "the file is not there")
            case SeenFile(text=None):
                return Measurement(Finding.UNMEASURED, "the file is too large to be read")
        assert isinstance(seen, SeenFile)
        value = _pointed_at(seen.text or "", check.pointer)
        if isinstance(value, Problem):
            return Measurement(Finding.FAILS, value.message)
        expression = read_expression(f"{MEASURED} {check.comparison}", {MEASURED}, "value")
        assert isinstance(expression, Expression)
        named: dict[str, Value] = {check.pointer[-1]: value} if check.pointer else {}
        holds = is_true(expression, {MEASURED: value})
        if isinstance(holds, Problem):  # the value was measured, and it is of a kind that cannot be what was asked for
            return Measurement(Finding.FAILS, f"{shown_value(value)}: {holds.message}", named)
        return Measurement(_finding(holds), with_values(expression, {MEASURED: value}), named)

    def _expression(self, check: ExpressionCheck) -> Measurement:
        values: dict[str, Value] = {}
        for name in check.probes:
            value = self._probe(name)
            if isinstance(value, Problem):
                return Measurement(Finding.UNMEASURED, f"{name}: {value.message}", values)
            values[name] = value
        expression = read_expression(check.text, check.probes)
        assert isinstance(expression, Expression)
        holds = is_true(expression, values)
        shown = with_values(expression, values)
        if isinstance(holds, Problem):
            return Measurement(Finding.UNMEASURED, f"{shown}: {holds.message}", values)
        return Measurement(_finding(holds), shown, values)

    def _probe(self, name: str) -> Value | Problem:
        if name not in self._probed:
            self._probed[name] = self._measured(self._commands[name])
        return self._probed[name]

    def _measured(self, line: str) -> Value | Problem:
        ending = self._run(line, PROBE_LIMIT)
        trouble = _trouble(ending, PROBE_LIMIT)
        if trouble:
            return Problem(trouble, "")
        value = read_value(ending.output)
        # `grep -c` prints 0 and exits with 1; any other words beside a failure are most likely about the failure
        if ending.exit_code != 0 and not isinstance(value, int | float):
            last = one_line(ending.last_line, 80)
            return Problem(f"exit code {ending.exit_code}" + (f": {last}" if last else ""), "")
        return value

    def _run(self, line: str, limit: timedelta) -> Ending:
        return self._world.processes.run(Command(line, self._world.root, limit), self._world.cancelled)


def _by_exit_code(code: int | None) -> Measurement:
    if code is None:
        return Measurement(Finding.UNMEASURED, "its command did not end by itself")
    return Measurement(_finding(code == 0), f"exit code {code}", {"exit_code": code})


def _finding(holds: bool) -> Finding:
    return Finding.PASSES if holds else Finding.FAILS


def _trouble(ending: Ending, limit: timedelta) -> str:
    """Why a command measured nothing; empty where it ended by itself."""
    match ending.how:
        case How.EXITED if ending.exit_code in NO_COMMAND:
            return one_line(ending.last_line, 80) or "there is no such command"
        case How.EXITED:
            return ""
        case How.TIMED_OUT:
            return f"it took longer than {duration_words(limit)}"
        case How.CANCELLED:
            return "it was ended before it was done"
        case How.COULD_NOT_START:
            return one_line(ending.last_line, 80) or "it could not be started"
        case _:
            assert_never(ending.how)


def _pointed_at(text: str, pointer: tuple[str, ...]) -> Value | Problem:
    """The value that a JSON pointer names."""
    value = read_json(text)
    for part in pointer:
        if isinstance(value, Problem):
            break
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isascii() and part.isdigit() and len(part) < 9 and int(part) < len(value):
            value = value[int(part)]
        else:
            return Problem(f"it has no `{one_line(part, 40)}`", "")
    return value
