"""The `- **key**: value` lines of an action block, and single values that several formats share.

A line becomes an `Entry`, with the list nested under it. The values are a command in backticks, a
schedule and a duration; what is wrong with one of them is reported where it is written.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import NamedTuple

from core.model.diagnostic import Problem
from core.model.document import Line
from core.model.light_dataclass import field, light_dataclass
from core.rules.reading.blocks import Block, BlockKind
from core.rules.reading.findings import Findings
from core.rules.timing.durations import read_duration
from core.rules.timing.expressions import read_schedule

# Fields of a task.
NEEDS = ("required", "optional")
TASK_KEYS = ("verify", "max_attempts", "run", "timeout", "schedule")
DEFAULT_HINT = "task_completed"

# What only an action has -> the field of a task that does the same, if there is one.
KEYS_OF_ACTIONS = {
    "priority": None,
    "retry": "max_attempts",
    "retry_delay": None,
    "depends_on": None,
    "condition": None,
    "command": "run",
}

# What the first line below the heading of an action is.
KEYS_OF_AN_ACTION = ("id", "type", "command")

# Fields for every kind of item that a later version will have.
LATER_FIELDS = ("model", "max_usd", "channel", "on", "may", "sandbox")


class HintPrefixes(NamedTuple):
    """What a hint may begin with, before a colon."""

    all: Collection[str]
    of_commands: Collection[str]  # those whose hints a shell runs


# -- lines -----------------------------------------------------------------------------------------


@light_dataclass(frozen=True, slots=True)
class Entry:
    """One list item of a block: a key with its value, or (with an empty key) a bare text."""

    key: str
    value: str
    line: int
    column: int  # of the key or text, from 0
    value_column: int  # of the value, from 1
    start: int  # of the value, in the document's text
    end: int
    children: list["Entry"] = field(default_factory=list)


def read_entries(lines: Sequence[Line], blocks: Sequence[Block]) -> tuple[list[Entry], list[Line]]:
    """Return the items of a block as a tree, by their indentation, and the lines that are not
    items."""
    top: list[Entry] = []
    other: list[Line] = []
    # The indentation of each open level, and the list that its items go to.
    open_levels: list[tuple[int, list[Entry]]] = []
    before = BlockKind.BLANK

    for line, block in zip(lines, blocks, strict=True):
        if not _is_item(line, block):
            opens_fence = block.kind is BlockKind.FENCE and before is not BlockKind.FENCE
            if opens_fence or block.kind in (BlockKind.TEXT, BlockKind.HEADING):
                other.append(line)

            before = block.kind
            continue

        before = BlockKind.TEXT
        indent = width_of_indent(line.text)
        while open_levels and indent < open_levels[-1][0]:
            open_levels.pop()

        if not open_levels:
            open_levels.append((indent, top))
        elif indent > open_levels[-1][0]:
            parent = open_levels[-1][1][-1]
            open_levels.append((indent, parent.children))

        open_levels[-1][1].append(_entry(line))

    return top, other


def _is_item(line: Line, block: Block) -> bool:
    if block.kind is not BlockKind.TEXT:
        return False

    bare = line.text.lstrip(" \t")
    return bare[0] in "-*+" and bare[1:2] in (" ", "\t")


def width_of_indent(text: str) -> int:
    """Return how many columns of blanks the line starts with; a tab reaches the next fourth."""
    if text[:1] not in (" ", "\t"):
        return 0

    bare = text.lstrip(" \t")
    return len(text[: len(text) - len(bare)].expandtabs(4))


def _entry(line: Line) -> Entry:
    body = line.text.rstrip(" \t")
    text = body.lstrip(" \t")[1:].lstrip(" \t")
    key, value = _split(text)
    end = line.start + len(body)

    return Entry(
        key,
        value,
        line=line.number,
        column=len(body) - len(text),
        value_column=len(body) - len(value) + 1,
        start=end - len(value),
        end=end,
    )


def _split(text: str) -> tuple[str, str]:
    """Split `**key**: value`, `**key:** value` or `key: value`; a bare text has an empty key."""
    is_bold = text.startswith("**")
    if is_bold:
        key, stars, rest = text[2:].partition("**")
        if stars and key.endswith(":"):
            key = key[:-1]
            rest = ":" + rest

        if not stars or not rest.startswith(":"):
            return "", text

        rest = rest[1:]
    else:
        key, colon, rest = text.partition(":")
        if not colon or (rest and rest[0] not in " \t"):
            return "", text

    key = key.strip()
    if not _is_key(key, is_bold):
        return "", text

    return key, rest.strip(" \t")


def is_key_of_action(text: str) -> bool:
    """Say whether a list item is a line that only actions have, such as `**command**: make`."""
    return text.startswith("**") and _split(text)[0].lower() in KEYS_OF_AN_ACTION


def begins_action(line: Line) -> bool:
    """Say whether a line below a heading makes it an action: `- command: make`, bold or not."""
    text = line.text.lstrip(" \t")
    if text[:1] not in tuple("-*+") or text[1:2] not in (" ", "\t"):
        return False

    key, value = _split(text[1:].strip(" \t"))
    return key.lower() == "command" or (
        key.lower() in KEYS_OF_AN_ACTION and len(value.split()) == 1
    )


def _is_key(key: str, is_bold: bool) -> bool:
    if key.isidentifier():  # nearly all are
        return True

    # The others may have a dash and, in bold, spaces.
    letters = key.replace("_", "").replace("-", "")
    if is_bold:
        letters = letters.replace(" ", "")

    return letters.isalnum()


# -- values ----------------------------------------------------------------------------------------


def without_backticks(value: str) -> str:
    """Return a command without Markdown's `code` marks: a shell would run its output as a
    command."""
    if len(value) > 2 and value[0] == value[-1] == "`" and "`" not in value[1:-1]:
        return value[1:-1].strip()

    return value


def read_schedule_field(value: str, line: int, column: int, findings: Findings) -> Problem | None:
    """Report what is wrong with a schedule; return why the item cannot run, or None."""
    schedule = read_schedule(value)
    if isinstance(schedule, Problem):
        findings.add("HB401", line, column, schedule.message, schedule.hint)
        return schedule

    if tip := schedule.advice():
        message = "Not every month or year has that day; there is no run then."
        findings.add("HB402", line, column, message, tip)

    return None


def read_duration_field(value: str, line: int, column: int, findings: Findings) -> timedelta | None:
    """Return the duration; None, and a finding, where it cannot be read."""
    duration = read_duration(value)
    if isinstance(duration, Problem):
        findings.add("HB403", line, column, duration.message, duration.hint)
        return None

    return duration


def read_attempts(value: str) -> int | None:
    """Return the number of attempts, from 1 to 100; None if it is something else."""
    if value.isascii() and value.isdigit() and len(value) <= 3 and 1 <= int(value) <= 100:
        return int(value)

    return None
