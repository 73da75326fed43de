"""Task lines: `- [ ] id | Description | required | verify: hint | max_attempts: N`.

Ids are read here too, also those of actions: written ones, and those made from a sentence.
"""

from collections.abc import Collection
from typing import NamedTuple

from core.model.diagnostic import Unclear
from core.model.document import Line, Task
from core.model.item import LONGEST_ID
from core.rules.printable import shown
from core.rules.reading.fields import read_attempts, read_schedule_field, without_backticks
from core.rules.reading.findings import Findings
from core.rules.variables import NAMES, unknown_names

ADVISED_TASKS = 7
DEFAULT_HINT = "task_completed"
DEFAULT_ATTEMPTS = 3
NEEDS = ("required", "optional")
KEYS = ("verify", "max_attempts", "run", "schedule")


class Box(NamedTuple):
    checked: bool
    rest: str
    column: int  # of `rest` in the line, from 0


class _Part(NamedTuple):
    text: str
    column: int


def read_box(text: str) -> Box | None:
    """Return the checkbox of a list item; None if the line has none."""
    bare = text.lstrip(" \t")
    if len(bare) < 5 or bare[0] not in "-*+" or bare[1] not in " \t":
        return None

    item = bare[1:].lstrip(" \t")
    if (
        len(item) < 3
        or item[0] != "["
        or item[2] != "]"
        or item[1] not in " xX"
        or item[3:4] in ("(", "[", ":")
    ):
        return None

    rest = item[3:].lstrip(" \t")
    return Box(item[1] != " ", rest.rstrip(" \t"), len(text) - len(rest))


def read_task(
    line: Line, box: Box, hint_prefixes: Collection[str], findings: Findings
) -> Task | None:
    """Return the task of the line; None, and a finding, where the line is empty after its box."""
    parts = _split_parts(box)
    description = parts[0].text if len(parts) == 1 else parts[1].text or parts[0].text

    is_comment = box.rest.startswith("<!--") and box.rest.endswith("-->")
    if not description or is_comment:
        fix = "Write what is to be done after the box."
        findings.add("HB201", line.number, box.column + 1, "This task is empty.", fix)
        return None

    identifier = _identifier(parts, description, line, findings)
    if len(parts) == 1:  # made directly: a file may have a hundred thousand of them
        return Task(
            identifier,
            description,
            True,
            DEFAULT_HINT,
            DEFAULT_ATTEMPTS,
            box.checked,
            None,
            None,
            line.number,
        )

    fields = _Fields(line, hint_prefixes, findings)
    for part in parts[2:]:
        fields.read(part)

    if _looks_like_a_field(description, is_last=len(parts) == 2):
        fix = f"Write: `{shown(parts[0].text, 30)} | what to do | {shown(description)}`."
        message = f"`{shown(description)}` is read as the description."
        findings.add("HB207", line.number, parts[1].column + 1, message, fix)

    return fields.task(identifier, description, box.checked)


def _identifier(parts: list[_Part], description: str, line: Line, findings: Findings) -> str:
    """Return the id that is written before the first pipe, or one made from the description."""
    first = parts[0]
    column = first.column + 1
    if len(parts) == 1:
        identifier = slug(first.text)
    else:
        identifier = read_id(first.text, "HB211", line.number, column, findings)

    if not identifier:
        identifier = slug(description) or "task"
        message = f"This task has no id; `{identifier}` is used."
        findings.add(
            "HB202", line.number, column, message, "Start it with a short word and a pipe."
        )

    return identifier


def _looks_like_a_field(description: str, is_last: bool) -> bool:
    key, colon, _ = description.partition(":")
    if colon and key.strip().lower() in KEYS:
        return True

    return is_last and description.lower() in NEEDS


def _split_parts(box: Box) -> list[_Part]:
    r"""Return the parts between the pipes; `\|` is a pipe inside one."""
    if "|" not in box.rest:
        return [_Part(box.rest, box.column)]

    parts: list[_Part] = []
    column = box.column
    for piece in box.rest.replace("\\|", "\0").split("|"):
        bare = piece.strip(" \t")
        lead = len(piece) - len(piece.lstrip(" \t"))
        parts.append(_Part(bare.replace("\0", "|"), column + lead))
        column += len(piece) + piece.count("\0") + 1

    return parts


class _Fields:
    """The third and later parts, in any order; each field may appear once."""

    def __init__(self, line: Line, hint_prefixes: Collection[str], findings: Findings) -> None:
        self.line = line
        self.hint_prefixes = hint_prefixes
        self.findings = findings
        self.required: bool | None = None
        self.values: dict[str, str] = {}
        self.max_attempts = DEFAULT_ATTEMPTS
        self.unclear: Unclear | None = None

    def read(self, part: _Part) -> None:
        if not part.text:
            return

        if part.text.lower() in NEEDS:
            self._set_required(part)
            return

        key, colon, value = part.text.partition(":")
        key = key.strip().lower()
        if colon and key in KEYS:
            self._set(key, value.strip(), part)
            return

        meant = self._meant(key, bool(colon))
        if meant:
            written = f"{shown(key)}:" if colon else shown(part.text)
            message = f"`{written}` is not a field of a task."
            self._report("HB205", part, message, f"Did you mean `{meant}`?")
        else:
            self._set("verify", part.text, part)

    def _set_required(self, part: _Part) -> None:
        word = part.text.lower()
        if self.required is None:
            self.required = word == "required"
            return

        message = f"`{word}` is next to another one."
        self._report("HB204", part, message, "Keep one of the two; the first one is used.")

    def _meant(self, key: str, has_colon: bool) -> str | None:
        """Return the field or word that a misspelt one was meant to be; None if it is a hint."""
        if has_colon:
            close = None if key in self.hint_prefixes else self._misspelt(key)
            return f"{close}:" if close else None

        return self.findings.nearest(key, NEEDS) if key[:3] in ("req", "opt") else None

    def _misspelt(self, key: str) -> str | None:
        """Return the field that `max attempts` or `schedul` were meant to be.

        A phrase before a colon is a hint.
        """
        if key.count(" ") > 1:
            return None

        return self.findings.nearest(key.replace(" ", "_"), KEYS)

    def _set(self, key: str, value: str, part: _Part) -> None:
        if key in self.values:
            fix = (
                "Keep one of the two; the first one is used. A pipe inside a command is written "
                "\\|."
            )
            self._report("HB204", part, f"This is a second `{key}`.", fix)
            return

        if not value:
            fix = "Write it after the colon, or remove the field."
            self._report("HB205", part, f"`{key}:` has no value.", fix)
            return

        self.values[key] = value
        if key == "max_attempts":
            self._set_attempts(value, part)
        elif key == "schedule":
            self._check_schedule(value, part)
        elif key == "run":
            self._check_variables(value, part)

    def _check_schedule(self, value: str, part: _Part) -> None:
        column = part.column + len(part.text) - len(value) + 1
        problem = read_schedule_field(value, self.line.number, column, self.findings)
        if problem:
            words = problem.message.rstrip(".")
            self.unclear = self.unclear or Unclear(words, "HB401", value)

    def _check_variables(self, command: str, part: _Part) -> None:
        for name in unknown_names(command):
            message = f"`{{{{{shown(name)}}}}}` is not a variable."
            self._report("HB213", part, message, self.findings.did_you_mean(name, NAMES))
            self.unclear = self.unclear or Unclear(message.rstrip("."), "HB213", name)

    def _set_attempts(self, value: str, part: _Part) -> None:
        attempts = read_attempts(value)
        if attempts is not None:
            self.max_attempts = attempts
            return

        fix = "Write a whole number from 1 to 100; for now 3 is used."
        self._report("HB206", part, f"`{shown(value)}` is not a number of attempts.", fix)

    def task(self, identifier: str, description: str, checked: bool) -> Task:
        run = self.values.get("run")
        return Task(
            id=identifier,
            description=description,
            required=self.required is not False,
            verify=self.values.get("verify", DEFAULT_HINT),
            max_attempts=self.max_attempts,
            checked=checked,
            schedule=self.values.get("schedule"),
            run=without_backticks(run) if run else None,
            line=self.line.number,
            unclear=self.unclear,
        )

    def _report(self, code: str, part: _Part, message: str, hint: str) -> None:
        self.findings.add(code, self.line.number, part.column + 1, message, hint)


# -- ids -------------------------------------------------------------------------------------------


def identifier_of(text: str) -> str:
    """Return a written id in lower case, with `_` for spaces and only characters that can be seen
    and typed."""
    words = text.lower().split()
    if not text.isprintable():
        printable = ["".join(filter(str.isprintable, word)) for word in words]
        words = [word for word in printable if word]

    return "_".join(words)[:LONGEST_ID]


def read_id(text: str, code: str, line: int, column: int, findings: Findings) -> str:
    """Return a written id; where it cannot be kept as it is, report that."""
    identifier = identifier_of(text)
    if identifier != "_".join(text.lower().split()):
        message = f"The id is too long or has invisible characters; `{identifier}` is used."
        findings.add(code, line, column, message, f"Write at most {LONGEST_ID} visible characters.")

    return identifier


def slug(text: str) -> str:
    """Return an id made from a sentence: letters, digits, `_` and `-`."""
    words = "_".join(text.lower().split())
    if not words.isalnum():
        words = "".join(
            character for character in words if character.isalnum() or character in "_-"
        )

    return words[:LONGEST_ID].strip("_")


def made_unique(tasks: list[Task], findings: Findings) -> list[Task]:
    """Return the tasks with every id once: the second of two equal ones gets `_2`, a third `_3`."""
    taken = {task.id for task in tasks}
    last_number: dict[str, int] = {}
    result: list[Task] = []

    for task in tasks:
        number = last_number.get(task.id, 0) + 1
        if number == 1:
            last_number[task.id] = number
            result.append(task)
            continue

        while f"{task.id}_{number}" in taken:
            number += 1

        new = f"{task.id}_{number}"
        taken.add(new)
        last_number[task.id] = number
        result.append(_renamed(task, new))

        message = f"The id `{shown(task.id)}` is already taken; this task is called `{shown(new)}`."
        findings.add("HB203", task.line, 1, message, "Give each task an id of its own.")

    return result


def _renamed(task: Task, new: str) -> Task:
    """Return the task with another id.

    dataclasses.replace takes six times as long, and a file may have a hundred thousand equal tasks.
    """
    return Task(
        new,
        task.description,
        task.required,
        task.verify,
        task.max_attempts,
        task.checked,
        task.schedule,
        task.run,
        task.line,
        task.unclear,
    )
