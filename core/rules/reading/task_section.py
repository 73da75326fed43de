"""The lines under `## Tasks`: which are tasks, which are details of one, which are only context.

Every list item is a task, with or without a box. What is indented under a task is its details, but
for further boxes, which are tasks too. Nothing else runs, and that is said.

One pass with a bounded amount of work per line.
"""

from collections.abc import Sequence
from typing import NamedTuple

from core.model.document import Line, NodeKind, Priority, Task
from core.rules.printable import shown
from core.rules.reading.blocks import Block, BlockKind, is_rule
from core.rules.reading.cut_commands import Cut
from core.rules.reading.fields import HintPrefixes, begins_action, is_key_of_action, width_of_indent
from core.rules.reading.findings import Findings
from core.rules.reading.sections import ACTIONS, TASKS, Section
from core.rules.reading.tasks import Box, changed_task, read_box, read_task
from core.rules.reading.verdict_lines import is_verdict_line

# A line is below an item where it is indented by two more columns. Markdown asks for three or four
# below a number, where people write two.
STEP = 2
# What other programs write in place of `- [ ]` and `-`.
OTHER_MARKS = "☐☑☒□■•◦▪‣·–—"
LONGEST_NUMBER = 9  # digits of a list item's number


class _Item(NamedTuple):
    """A list item without a readable box."""

    rest: str
    column: int  # of `rest` in the line, from 0


class _Mark(NamedTuple):
    """What a list item has in the place of a box: `[]`, `[-]`."""

    written: str
    rest: str  # what follows it
    checked: bool
    is_box: bool  # it is clear what was meant


class _Open(NamedTuple):
    """A list item that later lines may belong to."""

    indent: int
    task: int | None  # its index; None: it is not a task


def is_action_heading(block: Block) -> bool:
    """Say whether it is the heading of an action: one with a priority, at any level."""
    if not block.level:
        return False

    word, bracket, _ = block.title.removeprefix("[").partition("]")
    is_priority = word.strip().upper() in Priority.__members__
    return is_priority and (block.level == 3 or bool(bracket))


def is_action(lines: Sequence[Line], blocks: Sequence[Block], index: int) -> bool:
    """Say whether an action begins there: its heading, or one of level 3 with a key right below."""
    if is_action_heading(blocks[index]):
        return True
    if blocks[index].level != 3:
        return False

    below = index + 1
    while below < len(blocks) and blocks[below].kind is BlockKind.BLANK:
        below += 1

    is_text = below < len(blocks) and blocks[below].kind is BlockKind.TEXT
    return is_text and begins_action(lines[below])


class TaskSection:
    def __init__(
        self,
        lines: Sequence[Line],
        blocks: Sequence[Block],
        section: Section,
        hint_prefixes: HintPrefixes,
        findings: Findings,
    ) -> None:
        self.lines = lines
        self.blocks = blocks
        self.section = section
        self.hint_prefixes = hint_prefixes
        self.findings = findings

        self.tasks: list[Task] = []
        self.meaning: list[tuple[NodeKind, str]] = []  # of each line, with the id of its task
        self.without_box: set[int] = set()  # the lines of tasks that have none
        self.cuts: dict[int, Cut] = {}  # what stands right after a command, by the line of its task

        self._details: dict[int, list[str]] = {}  # index of a task -> its lines
        self._open: list[_Open] = []
        self._is_below_heading = False
        self._in_action = False  # below the heading of an action, which belongs elsewhere
        self._prose: list[int] = []  # numbers of the lines that are only context
        self._was_prose = False  # the line before was

    def read(self) -> None:
        for index in range(self.section.first, self.section.last):
            meaning = self._line(index)
            self.meaning.append(meaning)

        for index, lines in self._details.items():
            task = self.tasks[index]
            self.tasks[index] = changed_task(task, task.id, _joined(lines))

        if self._prose and not self.tasks:
            message = f"Nothing under this `## {TASKS}` runs: it reads as text."
            line = self.lines[self.section.first].number
            self.findings.add_never_run("HB218", line, 1, message, "Write `- [ ] what to do`.")

    def _line(self, index: int) -> tuple[NodeKind, str]:
        block = self.blocks[index]
        was_prose = self._was_prose
        self._was_prose = False

        match block.kind:
            case BlockKind.BLANK:
                self._add_blank()
                return NodeKind.BLANK, ""
            case BlockKind.HEADING:
                return self._heading(index, block)
            case BlockKind.FENCE | BlockKind.COMMENT:
                return self._hidden(index, block)
            case BlockKind.TEXT:
                return self._text(index, was_prose)

    def _text(self, index: int, was_prose: bool) -> tuple[NodeKind, str]:
        text = self.lines[index].text
        if text[0] in " \t" and self._is_own_verdict(text):
            return NodeKind.VERDICT, self.meaning[-1][1]

        indent = width_of_indent(text)
        self._close(indent)
        if box := read_box(text):
            return self._task(index, box, indent)

        if self._open:
            return self._below_item(index, indent) if "[" in text else self._below(text)

        item = _read_item(text) if self.blocks[index].in_item else None
        if item:
            return self._item(index, item, indent)

        self._was_prose = self._report_prose(index, was_prose)
        return NodeKind.CONTEXT, ""

    def _below_item(self, index: int, indent: int) -> tuple[NodeKind, str]:
        """Read a line below a list item: a detail, or a box that is not as it should be."""
        text = self.lines[index].text
        item = _read_item(text) if self.blocks[index].in_item else None
        if not item or self._in_action or not (mark := _odd_mark(item)):
            return self._below(text)
        if mark.is_box:
            return self._odd_box(index, item, mark, indent)

        self._report_not_a_box(index, item, mark)
        return self._below(text)

    # -- kinds of lines ----------------------------------------------------------------------------

    def _is_own_verdict(self, text: str) -> bool:
        """Say whether the program wrote this line: right below a task, and in its form."""
        is_below_task = bool(self.meaning) and self.meaning[-1][0] is NodeKind.TASK
        return is_below_task and is_verdict_line(text)

    def _heading(self, index: int, block: Block) -> tuple[NodeKind, str]:
        if index == self.section.first:
            return NodeKind.HEADING, ""
        if block.in_item and self._open:
            return self._below(self.lines[index].text)

        self._open.clear()
        self._is_below_heading = True
        self._in_action = False
        if is_action(self.lines, self.blocks, index):
            self._report_action(self.lines[index].number)

        return NodeKind.CONTEXT, ""

    def _report_action(self, number: int) -> None:
        """Report an action; its lines are not tasks."""
        self._in_action = True
        message = f"An action outside `## {ACTIONS}` does not run."
        self.findings.add_never_run("HB606", number, 1, message, f"Move it under `## {ACTIONS}`.")

    def _hidden(self, index: int, block: Block) -> tuple[NodeKind, str]:
        """Read a line of a fence or a comment: what it begins in, it stays in."""
        is_first = self.blocks[index - 1].kind is not block.kind
        text = self.lines[index].text
        if is_first:
            self._close(width_of_indent(text))

        if block.in_item and self._open:
            return self._below(text)

        return NodeKind.CONTEXT, ""

    def _task(self, index: int, box: Box, indent: int) -> tuple[NodeKind, str]:
        task = read_task(self.lines[index], box, self.hint_prefixes, self.findings, self.cuts)
        self._open.append(_Open(indent, len(self.tasks) if task else None))
        if not task:
            return NodeKind.CONTEXT, ""

        self.tasks.append(task)
        return NodeKind.TASK, task.id

    def _below(self, text: str) -> tuple[NodeKind, str]:
        task = self._open[-1].task
        if task is None:
            return NodeKind.CONTEXT, ""

        self._details.setdefault(task, []).append(text)
        return NodeKind.DETAILS, self.tasks[task].id

    def _add_blank(self) -> None:
        """Keep a blank line between two details of one task."""
        task = self._open[-1].task if self._open else None
        if task is not None and task in self._details:
            self._details[task].append("")

    def _item(self, index: int, item: _Item, indent: int) -> tuple[NodeKind, str]:
        """Read a list item at the left margin that has no box as it should be."""
        number = self.lines[index].number
        if mark := _odd_mark(item):
            return self._odd_box(index, item, mark, indent)

        if not self._in_action and self._is_below_heading and is_key_of_action(item.rest):
            self._report_action(number)

        if not item.rest or self._in_action:
            self._open.append(_Open(indent, None))
            return NodeKind.CONTEXT, ""

        self.without_box.add(number)
        return self._task(index, Box(False, item.rest.rstrip(" \t"), item.column), indent)

    def _odd_box(self, index: int, item: _Item, mark: _Mark, indent: int) -> tuple[NodeKind, str]:
        line = self.lines[index]
        if not mark.is_box:
            self._report_not_a_box(index, item, mark)
            self._open.append(_Open(indent, None))
            return NodeKind.CONTEXT, ""

        if mark.written not in ("[ ]", "[x]", "[X]"):
            state = "ticked" if mark.checked else "empty"
            message = f"`{shown(mark.written, 8)}` is read as {state}: a box has one character."
            fix = self._box_fix("HB214", mark.rest, mark.checked)
            self.findings.add("HB214", line.number, item.column + 1, message, fix)

        self.without_box.add(line.number)
        column = len(line.text) - len(mark.rest)
        return self._task(index, Box(mark.checked, mark.rest.rstrip(" \t"), column), indent)

    def _report_not_a_box(self, index: int, item: _Item, mark: _Mark) -> None:
        number = self.lines[index].number
        message = "This is not a task: a box is `[ ]` or `[x]`, with a space after it."
        fix = self._box_fix("HB219", mark.rest, mark.checked)
        self.findings.add_never_run("HB219", number, item.column + 1, message, fix)

    def _box_fix(self, code: str, rest: str, checked: bool) -> str:
        if not self.findings.lists(code):
            return ""

        return f"Write `- [{'x' if checked else ' '}] {shown(rest.strip(), 40)}`."

    # -- context -----------------------------------------------------------------------------------

    def _report_prose(self, index: int, was_prose: bool) -> bool:
        """Report the first line of a table or a sentence; say whether the line is part of one."""
        line = self.lines[index]
        text = line.text.strip(" \t")
        if text[0] == ">" and read_box(text.lstrip("> \t")):
            message = "This is not a task: it is in a quotation."
            fix = "Remove the `>` before it."
            self.findings.add_never_run("HB219", line.number, 1, message, fix)
            return was_prose

        if self.blocks[index].underline or is_rule(text) or not _says_something(text):
            return was_prose

        self._prose.append(line.number)
        if text[0] in OTHER_MARKS and text[1:2] in (" ", "\t"):
            message = "This is not a task: a list begins with `-`, `*` or `+`."
            fix = f"Write `- [ ] {shown(text[1:].strip(), 40)}`."
            self.findings.add_never_run("HB219", line.number, 1, message, fix)
            return was_prose

        bare = text.lstrip("-*+")
        box, bracket, after = bare.partition("]")
        if bracket and box in ("[ ", "[x", "[X", "[") and after[:1] not in ("(", "[", ":"):
            message = "This is not a task: it needs a list mark and a space before the box."
            fix = f"Write `- [ ] {shown(after.strip(), 40)}`."
            self.findings.add_never_run("HB219", line.number, 1, message, fix)
            return was_prose

        if not was_prose:
            thing = "table" if text[0] == "|" else "text"
            fix = (
                "Write `- ` before what is to be done, or indent it to make it part of the task "
                "above."
            )
            message = f"This {thing} is context for the model; it does not run."
            self.findings.add("HB220", line.number, 1, message, fix)

        return True

    def _close(self, indent: int) -> None:
        """Close the items that a line with this indentation is not below."""
        while self._open and indent < self._open[-1].indent + STEP:
            self._open.pop()


def _read_item(text: str) -> _Item | None:
    bare = text.lstrip(" \t")
    if is_rule(bare):
        return None

    if bare[0] in "-*+":
        width = 1
    else:
        width = len(bare) - len(bare.lstrip("0123456789")) + 1
        if not 1 < width <= LONGEST_NUMBER + 1 or bare[width - 1 : width] not in (".", ")"):
            return None

    if bare[width : width + 1] not in ("", " ", "\t"):
        return None

    rest = bare[width:].lstrip(" \t")
    return _Item(rest, len(text) - len(rest))


def _odd_mark(item: _Item) -> _Mark | None:
    """Return what stands in the place of a box; a link or a word in brackets does not."""
    if item.rest[:1] != "[":
        return None

    inside, bracket, after = item.rest.partition("]")
    mark = inside[1:].strip(" \t")
    if not bracket or after[:1] in ("(", "[") or len(mark) > 1:
        return None

    checked = mark in ("x", "X")
    is_box = after[:1] != ":" and (not mark or checked)
    return _Mark(f"{inside}]", after.lstrip(" \t"), checked, is_box)


def _says_something(text: str) -> bool:
    """Say whether it is words of the person: no quotation, no definition of a link."""
    if text[0] == ">" or not any(map(str.isalnum, text)):
        return False

    return not (text[0] == "[" and "]:" in text)


def _joined(lines: list[str]) -> str:
    """Return the details without the indentation that all of them have."""
    if len(lines) == 1:  # nearly always
        return lines[0].expandtabs(4).lstrip(" ").rstrip()

    indents = [width_of_indent(line) for line in lines if line.strip()]
    least = min(indents, default=0)
    cut = [line.expandtabs(4)[least:].rstrip() if line.strip() else "" for line in lines]

    return "\n".join(cut).strip("\n")
