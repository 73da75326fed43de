"""Task lines: `- [ ] id | Description | required | verify: hint | max_attempts: N`."""

from typing import NamedTuple

from core.model.document import Line, Task
from core.rules.reading.findings import Findings, shown
from core.rules.reading.values import read_schedule_field, without_backticks
from core.rules.variables import NAMES, unknown_names

LONGEST_ID = 64
ADVISED_TASKS = 7
DEFAULT_HINT = "task_completed"
DEFAULT_ATTEMPTS = 3
NEEDS = ("required", "optional")
KEYS = ("verify", "max_attempts", "run", "schedule")
HINT_PREFIXES = ("cmd", "file", "http", "https", "json")


class Box(NamedTuple):
    checked: bool
    rest: str
    column: int  # of `rest` in the line, from 0


def read_box(text: str) -> Box | None:
    """The checkbox of a list item; None where the line has none."""
    bare = text.lstrip(" \t")
    if len(bare) < 5 or bare[0] not in "-*+" or bare[1] not in " \t":
        return None
    item = bare[1:].lstrip(" \t")
    if len(item) < 3 or item[0] != "[" or item[2] != "]" or item[1] not in " xX" or item[3:4] in ("(", "[", ":"):
        return None
    rest = item[3:].lstrip(" \t")
    return Box(item[1] != " ", rest.rstrip(" \t"), len(text) - len(rest))


def read_task(line: Line, box: Box, findings: Findings) -> Task | None:
    """The task that the line holds; None (and a finding) where it says nothing."""
    fields = _split_fields(box)
    first = fields[0].text
    description = first if len(fields) == 1 else fields[1].text or first
    if not description or (box.rest.startswith("<!--") and box.rest.endswith("-->")):
        findings.add(
            "HB201", line.number, box.column + 1, "This task is empty.", "Write what is to be done after the box."
        )
        return None
    identifier = slug(first) if len(fields) == 1 else read_id(first, "HB211", line.number, box.column + 1, findings)
    if not identifier:
        identifier = slug(description) or "task"
        message = f"This task has no id; `{identifier}` is used."
        findings.add("HB202", line.number, box.column + 1, message, "Start it with a short word and a pipe.")
    if len(fields) == 1:
        return Task(identifier, description, True, DEFAULT_HINT, DEFAULT_ATTEMPTS, box.checked, None, None, line.number)
    reading = _Fields(line, findings)
    for field in fields[2:]:
        reading.read(field)
    key, colon, _ = description.partition(":")
    if (len(fields) == 2 and description.lower() in NEEDS) or (colon and key.strip().lower() in KEYS):
        mend = f"Write: `{shown(first, 30)} | what to do | {shown(description)}`."
        message = f"`{shown(description)}` is read as the description."
        findings.add("HB207", line.number, fields[1].column + 1, message, mend)
    return reading.task(identifier, description, box.checked)


class _Part(NamedTuple):
    text: str
    column: int


def _split_fields(box: Box) -> list[_Part]:
    r"""The fields between the pipes; `\|` is a pipe inside one."""
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
    """The third and later fields, in any order; each may stand once."""

    def __init__(self, line: Line, findings: Findings) -> None:
        self.line = line
        self.findings = findings
        self.required: bool | None = None
        self.values: dict[str, str] = {}
        self.max_attempts = DEFAULT_ATTEMPTS
        self.unclear = ""

    def read(self, part: _Part) -> None:
        if not part.text:
            return
        lower = part.text.lower()
        if lower in NEEDS:
            if self.required is not None:
                self._report(
                    "HB204", part, f"`{lower}` stands beside another one.", "Keep one of the two; the first holds."
                )
            else:
                self.required = lower == "required"
            return
        key, colon, value = part.text.partition(":")
        key = key.strip().lower()
        if colon and key in KEYS:
            self._set(key, value.strip(), part)
        elif colon and key not in HINT_PREFIXES and (close := self._misspelt(key)):
            self._report("HB205", part, f"`{shown(key)}:` is not a field of a task.", f"Did you mean `{close}:`?")
        elif not colon and lower[:3] in ("req", "opt") and (close := self.findings.nearest(lower, NEEDS)):
            self._report("HB205", part, f"`{shown(part.text)}` is not a field of a task.", f"Did you mean `{close}`?")
        else:
            self._set("verify", part.text, part)

    def _misspelt(self, key: str) -> str | None:
        """The field that `max attempts` and `schedul` were meant to be; a phrase before a colon is a hint."""
        return self.findings.nearest(key.replace(" ", "_"), KEYS) if key.count(" ") <= 1 else None

    def _set(self, key: str, value: str, part: _Part) -> None:
        if key in self.values:
            mend = "Keep one of the two; the first holds. A pipe inside a command is written \\|."
            self._report("HB204", part, f"This is a second `{key}`.", mend)
        elif not value:
            self._report("HB205", part, f"`{key}:` has no value.", "Write it after the colon, or remove the field.")
        else:
            self.values[key] = value
            if key == "max_attempts":
                self._attempts(value, part)
            elif key == "schedule":
                at = part.column + len(part.text) - len(value) + 1
                self.unclear = self.unclear or read_schedule_field(value, self.line.number, at, self.findings)
            elif key == "run":
                self._variables(value, part)

    def _variables(self, command: str, part: _Part) -> None:
        for name in unknown_names(command):
            message = f"`{{{{{shown(name)}}}}}` is not a variable."
            self._report("HB213", part, message, self.findings.did_you_mean(name, NAMES))
            self.unclear = self.unclear or message.rstrip(".")

    def _attempts(self, value: str, part: _Part) -> None:
        if value.isascii() and value.isdigit() and len(value) <= 3 and 1 <= int(value) <= 100:
            self.max_attempts = int(value)
        else:
            mend = "Write a whole number from 1 to 100; 3 is used until then."
            self._report("HB206", part, f"`{shown(value)}` is no number of attempts.", mend)

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


def identifier_of(text: str) -> str:
    """A written id: lower case, runs of spaces as one `_`, nothing that cannot be seen or typed."""
    words = text.lower().split()
    if not text.isprintable():
        words = [word for word in ("".join(filter(str.isprintable, word)) for word in words) if word]
    return "_".join(words)[:LONGEST_ID]


def read_id(text: str, code: str, line: int, column: int, findings: Findings) -> str:
    """A written id; where it cannot be kept as it is, that is reported."""
    identifier = identifier_of(text)
    if identifier != "_".join(text.lower().split()):
        message = f"The id is too long or holds characters that cannot be seen; `{identifier}` is used."
        findings.add(code, line, column, message, f"Write at most {LONGEST_ID} visible characters.")
    return identifier


def slug(text: str) -> str:
    """An id made from a sentence: letters, digits, `_` and `-`."""
    words = "_".join(text.lower().split())
    if not words.isalnum():
        words = "".join(sign for sign in words if sign.isalnum() or sign in "_-")
    return words[:LONGEST_ID].strip("_")


def _renamed(task: Task, new: str) -> Task:
    """As dataclasses.replace does, at a sixth of its time: a file may hold a hundred thousand equal tasks."""
    values = (task.required, task.verify, task.max_attempts, task.checked, task.schedule, task.run)
    return Task(new, task.description, *values, task.line, task.unclear)


def made_unique(tasks: list[Task], findings: Findings) -> list[Task]:
    """Every id once: the second of two equal ones gets `_2`, the third `_3`."""
    taken = {task.id for task in tasks}
    last_number: dict[str, int] = {}
    result: list[Task] = []
    for task in tasks:
        number = last_number.get(task.id, 0) + 1
        if number > 1:
            while f"{task.id}_{number}" in taken:
                number += 1
            new = f"{task.id}_{number}"
            taken.add(new)
            message = f"The id `{shown(task.id)}` is already taken; this task is called `{shown(new)}`."
            findings.add("HB203", task.line, 1, message, "Give each task an id of its own.")
            result.append(_renamed(task, new))
        else:
            result.append(task)
        last_number[task.id] = number
    return result
