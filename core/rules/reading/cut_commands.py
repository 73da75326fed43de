r"""Commands that a pipe without its backslash cuts in two: `run: ls | wc -l`.

Law: nothing of a half command runs. What follows a command may be a field, a check with a prefix,
or an expression over the file's probes; any other words are taken for the rest of the command.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from core.model.check import Hint
from core.model.diagnostic import Problem, Unclear
from core.model.document import Task
from core.model.light_dataclass import replace
from core.rules.checking.hints import Kinds
from core.rules.printable import shown
from core.rules.reading.fields import DEFAULT_HINT
from core.rules.reading.findings import Findings

PIPE_FIX = "A pipe inside a command is written `\\|`"


class Cut(NamedTuple):
    """Words that stand right after a command, as if they were a field."""

    command: str  # the field before
    pipes: int  # between the two
    words: str
    column: int  # from 1
    is_second: bool  # the task has a check already
    surely: bool = False  # no expression: the command ends within a code span
    meant: str = ""  # what to write, where the words are nearly a field


def without_cut_commands(
    tasks: Iterable[Task],
    cuts: Mapping[int, Cut],
    probes: Collection[str],
    kinds: Kinds,
    findings: Findings,
) -> list[Task]:
    """Return the tasks; those whose command is cut say so and do not run.

    The cuts are by the lines of their tasks. It takes the probes to tell a check from the rest of
    a command, so this comes after the whole file is read.
    """
    return [
        _checked(task, cuts[task.line], probes, kinds, findings) if task.line in cuts else task
        for task in tasks
    ]


def _checked(
    task: Task, cut: Cut, probes: Collection[str], kinds: Kinds, findings: Findings
) -> Task:
    if cut.surely or not _is_check(task, cut.words, probes, kinds):
        return _held(task, cut, findings)

    if cut.is_second:
        fix = f"Keep one of the two; the first one is used. {PIPE_FIX}."
        findings.add("HB204", task.line, cut.column, "This is a second `verify`.", fix)

    return task


def _is_check(task: Task, words: str, probes: Collection[str], kinds: Kinds) -> bool:
    hint = Hint(words, words, probes, bool(task.run))
    kind = kinds.claiming(hint)

    return not kind.needs_judge and not isinstance(kind.read(hint), Problem)


def _held(task: Task, cut: Cut, findings: Findings) -> Task:
    command = shown(cut.command)
    words = shown(cut.words)
    message = f"`{words}` after `{command}` is no field, so the task does not run."
    pipes = "\\|" * min(cut.pipes, 2)
    fix = f"{PIPE_FIX}: `{command} {pipes} {words}`. A check in words needs `verify:` before it."
    if cut.meant:
        fix = f"{cut.meant} {PIPE_FIX}."
    findings.add("HB223", task.line, cut.column, message, fix)

    reason = Unclear(f"A pipe cuts its command `{command}`", "HB223", cut.words)
    verify = task.verify if cut.is_second else DEFAULT_HINT
    return replace(task, unclear=task.unclear or reason, verify=verify)


# -- code spans ------------------------------------------------------------------------------------


def ends_of_code(parts: Iterable[str]) -> list[bool]:
    """Return of each part whether a code span that began in an earlier one goes on or ends in it:
    the pipe between them was meant as a character."""
    inside = False
    found: list[bool] = []
    for part in parts:
        found.append(inside)
        if part.count("`") % 2:
            inside = not inside

    return found if not inside else []
