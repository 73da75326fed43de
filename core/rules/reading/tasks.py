"""Task lines: `- [ ] id | Description | required | verify: hint | max_attempts: N`.

Ids are read here too, also those of actions: written ones, and those made from a sentence.
"""

from collections.abc import Collection
from typing import NamedTuple

from core.model.diagnostic import Unclear
from core.model.document import RUN_TIMEOUT, Line, Task
from core.model.item import LONGEST_ID
from core.rules.printable import shown
from core.rules.reading.cut_commands import Cut, ends_of_code
from core.rules.reading.fields import (
    DEFAULT_HINT,
    LATER_FIELDS,
    NEEDS,
    TASK_KEYS,
    HintPrefixes,
    read_attempts,
    read_duration_field,
    read_schedule_field,
    without_backticks,
)
from core.rules.reading.findings import Findings
from core.rules.reading.hidden import report_hidden
from core.rules.reading.meant_fields import (
    Second,
    field_without_colon,
    is_schedule,
    meant_key,
    meant_need,
    second_field,
)
from core.rules.timing.words import WORDS
from core.rules.variables import NAMES, unknown_names

ADVISED_TASKS = 7
DEFAULT_ATTEMPTS = 3
WIDE_BAR = "\uff5c"  # what a Chinese or Japanese keyboard writes for a pipe


class Box(NamedTuple):
    checked: bool
    rest: str
    column: int  # of `rest` in the line, from 0


class _Part(NamedTuple):
    text: str
    column: int
    written: str  # the same with `\\|` as it is in the line


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


def read_numbered_box(text: str) -> Box | None:
    """Return the checkbox of `1. [ ] Call Anna`; None if the line has none."""
    bare = text.lstrip(" \t")
    rest = bare.lstrip("0123456789")
    if rest == bare or rest[:1] not in (".", ")"):
        return None

    return read_box(f"-{rest[1:]}")


def read_task(
    line: Line, box: Box, hint_prefixes: HintPrefixes, findings: Findings, cuts: dict[int, Cut]
) -> Task | None:
    """Return the task of the line; None, and a finding, where the line is empty after its box.

    Where words follow a command they are added to `cuts`.
    """
    parts = _split_parts(box)
    named = _named_parts(parts, line, hint_prefixes.all, findings)
    description = named[-1].text or named[0].text

    is_comment = box.rest.startswith("<!--") and box.rest.endswith("-->")
    if not description or is_comment:
        fix = "Write what is to be done after the box."
        findings.add("HB201", line.number, box.column + 1, "This task is empty.", fix)
        return None

    if WIDE_BAR in box.rest:
        column = line.text.index(WIDE_BAR) + 1
        message = "The wide bar `\uff5c` does not separate fields; only `|` does."
        findings.add("HB217", line.number, column, message, "Write `|` where a field ends.")

    identifier = _identifier(named, description, line, findings)
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
    fields.read_all(parts, len(named))
    if fields.cut:
        cuts[line.number] = fields.cut

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


def _named_parts(
    parts: list[_Part], line: Line, hint_prefixes: Collection[str], findings: Findings
) -> list[_Part]:
    """Return the parts that name the task: its id and description, or its description alone."""
    if len(parts) == 1 or not parts[1].text:
        return parts[:2]

    first, second = parts[:2]
    found = second_field(second.text, hint_prefixes, findings)
    if found is Second.DESCRIPTION:
        return parts[:2]

    field = shown(second.text)
    words = shown(first.text, 30)
    identifier = slug(first.text)
    if found is Second.FIELD and identifier != first.text:
        fix = f"Write: `{shown(identifier, 30)} | {words} | {field}`."
    else:
        fix = f"Write: `{words} | what to do | {field}`."

    message = f"`{field}` is read as the description."
    if found is Second.FIELD:
        message = f"`{field}` is where the description belongs; `{words}` is read as what to do."

    findings.add("HB207", line.number, second.column + 1, message, fix)
    return parts[:1] if found is Second.FIELD else parts[:2]


def _split_parts(box: Box) -> list[_Part]:
    r"""Return the parts between the pipes; `\|` is a pipe inside one."""
    if "|" not in box.rest:
        return [_Part(box.rest, box.column, box.rest)]

    parts: list[_Part] = []
    column = box.column
    for piece in box.rest.replace("\\|", "\0").split("|"):
        bare = piece.strip(" \t")
        lead = len(piece) - len(piece.lstrip(" \t"))
        text = bare.replace("\0", "|")
        parts.append(_Part(text, column + lead, bare.replace("\0", "\\|")))
        column += len(piece) + piece.count("\0") + 1

    return parts


class _Fields:
    """The third and later parts, in any order; each field may appear once."""

    def __init__(self, line: Line, hint_prefixes: HintPrefixes, findings: Findings) -> None:
        self.line = line
        self.hint_prefixes = hint_prefixes.all
        self.command_prefixes = hint_prefixes.of_commands
        self.findings = findings
        self.required: bool | None = None
        self.values: dict[str, str] = {}
        self.max_attempts = DEFAULT_ATTEMPTS
        self.timeout = RUN_TIMEOUT
        self.unclear: Unclear | None = None
        self.command = ""  # the part before, if a shell runs it
        self.pipes = 1  # after it
        self.cut: Cut | None = None

    def read_all(self, parts: list[_Part], first: int) -> None:
        """Read the fields from this index on."""
        has_code = "`" in self.line.text
        ends = ends_of_code(part.text for part in parts) if has_code else []

        for index in range(1 if ends else first, len(parts)):
            part = parts[index]
            if not part.text:
                self.pipes += 1
            elif ends and ends[index]:
                self._report_code(part, is_used=index < first)
            elif index >= first:
                self._read(part)

    def _read(self, part: _Part) -> None:
        command = self.command
        self.command = ""
        if self._read_field(part):
            self.pipes = 1
            return

        if command:
            self._keep_cut(command, part)
        elif meant := meant_need(part.text.lower(), self.findings):
            self._report_unused(part, f"Did you mean `{meant}`?")
        elif fix := field_without_colon(part.text, self.hint_prefixes):
            self._report_unused(part, fix)
        else:
            self._set("verify", part.text, part)

    def _report_unused(self, part: _Part, fix: str) -> None:
        message = f"`{shown(part.text)}` is not a field of a task, so it is not used."
        self._report("HB205", part, message, fix)

    def _read_field(self, part: _Part) -> bool:
        """Read a part that begins as a field or as a check; say whether it does."""
        if part.text.lower() in NEEDS:
            self._set_required(part)
            return True

        key, colon, value = part.text.partition(":")
        key = key.strip().lower()
        if key in WORDS and (colon or is_schedule(part.text)):
            self._set("schedule", part.text, part)
            return True

        if not colon:
            return False
        if key in TASK_KEYS:
            self._set(key, value.strip(), part)
        elif key in LATER_FIELDS:
            self._report_later(key, part)
        elif key in self.hint_prefixes:
            self._set("verify", part.text, part)
        elif self._is_field(key):
            self._report_unknown(key, part)
        else:
            return False

        return True

    def _keep_cut(self, command: str, part: _Part, surely: bool = False) -> None:
        """Keep words right after a command: only the probes tell whether they are a check."""
        self.command = command
        is_second = "verify" in self.values
        if not self.cut:
            # `echo hello | at 18:00` is a command.
            is_program = part.text.startswith("at ")
            meant = "" if is_program else field_without_colon(part.text, self.hint_prefixes)
            self.cut = Cut(
                command, self.pipes, part.text, part.column + 1, is_second, surely, meant
            )
        if not is_second:
            self.values["verify"] = part.text

    def _report_code(self, part: _Part, is_used: bool) -> None:
        """Report what a pipe cuts off from a code span; `is_used`: it is the description."""
        if self.command:
            self._keep_cut(self.command, part, surely=True)
            return

        rest = "" if is_used else ", so it is not used"
        message = f"`{shown(part.text.replace('`', ''))}` is the end of a code span{rest}."
        self._report("HB224", part, message, "A pipe that does not end a field is written `\\|`.")

    def _set_required(self, part: _Part) -> None:
        word = part.text.lower()
        if self.required is None:
            self.required = word == "required"
            return

        message = f"`{word}` is next to another one."
        self._report("HB204", part, message, "Keep one of the two; the first one is used.")

    def _is_field(self, key: str) -> bool:
        """Say whether what stands before a colon is the name of a field, known or not.

        One word is; of two words only a misspelt field, such as `max attempts`. A longer phrase
        before a colon is a hint, and so is an expression.
        """
        if key.replace("_", "").replace("-", "").isalnum():
            return True

        return key.count(" ") == 1 and meant_key(key, self.findings) is not None

    def _report_unknown(self, key: str, part: _Part) -> None:
        meant = meant_key(key, self.findings, self.hint_prefixes)
        if meant:
            hint = f"Did you mean `{meant}:`?"
        else:
            known = ", ".join(f"{one}:" for one in TASK_KEYS)
            hint = f"Write one of {known} or a check such as `file:report.md`."

        message = f"`{shown(key)}:` is not a field of a task, so the task does not run."
        self._hold("HB215", key, part, message, hint)

    def _report_later(self, key: str, part: _Part) -> None:
        message = f"`{key}:` is not supported in a task yet, so the task does not run."
        self._hold("HB216", key, part, message, "Remove the field for now.")

    def _hold(self, code: str, key: str, part: _Part, message: str, hint: str) -> None:
        """Report what keeps the task from running."""
        self._report(code, part, message, hint)
        words = message.partition(",")[0]
        self.unclear = self.unclear or Unclear(words, code, key)

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
        elif key == "timeout":
            self._set_timeout(value, part)
        elif key == "schedule":
            self._check_schedule(value, part)
        elif key == "run":
            self.command = part.text
            self._check_variables(value, part)
            self._report_hidden(part)
        elif (prefix := value.partition(":")[0].strip().lower()) in self.hint_prefixes:
            self.command = part.text if prefix in self.command_prefixes else ""
            self._report_hidden(part)

    def _check_schedule(self, value: str, part: _Part) -> None:
        column = self._value_column(value, part)
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

    def _set_timeout(self, value: str, part: _Part) -> None:
        column = self._value_column(value, part)
        timeout = read_duration_field(value, self.line.number, column, self.findings)
        if timeout:
            self.timeout = timeout
            return

        words = "`timeout` cannot be read"
        if timeout is not None:
            words = "A timeout of 0 leaves the command no time"
            self._report("HB403", part, f"{words}.", "Write for example `5m`.")

        self.unclear = self.unclear or Unclear(words, "HB403", f"timeout: {value}")

    def _value_column(self, value: str, part: _Part) -> int:
        return part.column + len(part.text) - len(value) + 1

    def _report_hidden(self, part: _Part) -> None:
        report_hidden(part.written, self.line.number, part.column + 1, self.findings)

    def task(self, identifier: str, description: str, checked: bool) -> Task:
        run = self.values.get("run")
        if "timeout" in self.values and not run:
            message = "`timeout:` is for a task with `run:`; here it does nothing."
            self.findings.add("HB222", self.line.number, 1, message, "Remove it, or add `run:`.")

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
            timeout=self.timeout,
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
    if not words.replace("_", "").replace("-", "").isalnum():
        words = "".join(
            character for character in words if character.isalnum() or character in "_-"
        )

    return words[:LONGEST_ID].strip("_")


def made_unique(
    tasks: list[Task], findings: Findings, without_box: Collection[int] = ()
) -> list[Task]:
    """Return the tasks with every id once: the second of two equal ones gets `_2`, a third `_3`.

    A task that has no box, by its line, leaves an id to one that has: an item that is added to a
    list must not take the id from a task that has run under it.
    """
    if not without_box:
        return _renumbered(tasks, set(), findings)

    boxed = [task for task in tasks if task.line not in without_box]
    others = [task for task in tasks if task.line in without_box]
    unique = _renumbered(boxed, set(), findings)
    unique += _renumbered(others, {task.id for task in unique}, findings)

    return sorted(unique, key=lambda task: task.line)


def _renumbered(tasks: list[Task], gone: set[str], findings: Findings) -> list[Task]:
    """Return the tasks with ids of their own, none of which is among those that are gone."""
    taken = gone | {task.id for task in tasks}
    last_number = dict.fromkeys(gone, 1)
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
        result.append(changed_task(task, new, task.details))

        words = _taken_words(task.id, new) if findings.lists("HB203") else ""
        findings.add("HB203", task.line, 1, words, "Give each task an id of its own.")

    return result


def _taken_words(identifier: str, new: str) -> str:
    return f"The id `{shown(identifier)}` is already taken; this task is called `{shown(new)}`."


def changed_task(task: Task, identifier: str, details: str) -> Task:
    """Return the task with another id or other details.

    dataclasses.replace takes six times as long, and a file may have a hundred thousand equal tasks.
    """
    return Task(
        identifier,
        task.description,
        task.required,
        task.verify,
        task.max_attempts,
        task.checked,
        task.schedule,
        task.run,
        task.line,
        task.unclear,
        task.timeout,
        details,
    )
