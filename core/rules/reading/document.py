"""HEARTBEAT.md as one lossless document: every byte in a line, every line in a node.

Any bytes give a document; nothing raises.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from core.model.diagnostic import Diagnostic, Problem, Unclear
from core.model.document import (
    Action,
    ActionStatus,
    Completed,
    Document,
    Format,
    Frontmatter,
    Line,
    Node,
    NodeKind,
    Probe,
    Task,
)
from core.model.item import LONGEST_ID
from core.model.kinds import Kinds
from core.rules.checking.hints import read_check
from core.rules.printable import shown
from core.rules.reading.actions import read_action
from core.rules.reading.blocks import BOM, Block, BlockKind, scan_blocks, split_lines
from core.rules.reading.cut_commands import Cut, without_cut_commands
from core.rules.reading.decoding import decode
from core.rules.reading.fields import HintPrefixes, without_backticks
from core.rules.reading.findings import Findings
from core.rules.reading.frontmatter import check_keys, read_frontmatter
from core.rules.reading.hidden import report_hidden
from core.rules.reading.relations import related
from core.rules.reading.sections import (
    ACTIONS,
    COMPLETED,
    PROBES,
    REVIEW,
    TASKS,
    Section,
    format_of,
    is_section_heading,
    report_near_misses,
    sections_in_use,
    split_sections,
)
from core.rules.reading.task_section import TaskSection, is_action
from core.rules.reading.tasks import ADVISED_TASKS, Box, made_unique, read_box, read_numbered_box

# What people write after the name of a file in place of a check.
EXISTS = ("exists", "exist", "is there", "is present", "was written", "was created", "is created")

# Where items stand, as it is written.
_ITEM_HEADINGS = (f"## {TASKS}".lower(), f"## {ACTIONS}".lower())

# Headings of a plain file below which the person keeps what is done.
DONE = ("completed", COMPLETED.lower())

# A node of one of these kinds is a single line, even next to another of its kind.
_SINGLE_LINES = (NodeKind.TASK, NodeKind.HEADING, NodeKind.PROBE)


class _Advice(NamedTuple):
    code: str
    message: str
    hint: str


def read_document(data: bytes, kinds: Kinds) -> Document:
    """Return the document of these bytes."""
    findings = Findings()
    whole = decode(data, findings)
    if whole is None:
        return refused_document(data, findings.sorted())

    text = whole.lstrip(BOM)  # there may be two, where two programs each add their own
    bom = whole[: len(whole) - len(text)]
    lines = split_lines(text)
    front = read_frontmatter(lines, text, findings)
    held = check_keys(front, lines, findings)

    return _Body(bom, text, lines, front, held, kinds, findings).document()


def refused_document(data: bytes, diagnostics: tuple[Diagnostic, ...]) -> Document:
    """Return the document of a file from which nothing runs. Its bytes are kept anyway."""
    text = data.decode("utf-8", "surrogateescape")
    lines = tuple(split_lines(text))
    nodes = (Node(NodeKind.REFUSED, 1, len(lines), 0, len(text)),) if lines else ()

    return Document(
        bom="",
        text=text,
        lines=lines,
        nodes=nodes,
        frontmatter=Frontmatter(),
        format=Format.PLAIN,
        context="",
        tasks=(),
        actions=(),
        probes=(),
        completed=(),
        review=None,
        active=False,
        diagnostics=diagnostics,
        refused=True,
    )


class _Body:
    """Reads the sections one after another; each line gets its meaning exactly once."""

    def __init__(
        self,
        bom: str,
        text: str,
        lines: list[Line],
        front: Frontmatter,
        held: Unclear | None,
        kinds: Kinds,
        findings: Findings,
    ) -> None:
        self.bom = bom
        self.text = text
        self.lines = lines
        self.front = front
        self.held = held
        self.kinds = kinds
        self.findings = findings

        scan = scan_blocks(lines[front.last_line :])
        self.blocks = [Block(BlockKind.TEXT)] * front.last_line + scan.blocks
        self.headings = [front.last_line + index for index in scan.headings]
        self.open_fence = scan.open_fence
        self.open_comment = scan.open_comment

        # Of each line: its kind, and the id of the task, action or probe that it belongs to.
        self.meaning: list[tuple[NodeKind, str]] = [(NodeKind.FRONTMATTER, "")] * front.last_line
        self.tasks: list[Task] = []
        self.without_box: set[int] = set()  # the lines of tasks that have none
        self.cuts: dict[int, Cut] = {}  # what stands right after a command, by the line of its task
        self.actions: list[Action] = []
        self.probes: dict[str, Probe] = {}
        self.completed: list[Completed] = []
        self.review: str | None = None
        self.plain_boxes: list[int] = []  # of a plain file: the lines with an unchecked box
        self.kept_back: list[Section] = []  # of a plain file: what is not part of its text

    def document(self) -> Document:
        sections = split_sections(self.blocks, self.headings, self.front.last_line)
        form = format_of(sections, self.front.text("format") or "auto")
        self._report_unclosed(form)
        report_near_misses(self.lines, self.blocks, self.headings, form, self.findings)

        for section in sections_in_use(sections, form):
            self._read(section, form)

        self.tasks = made_unique(self.tasks, self.findings, self.without_box)
        if self.cuts:
            self.tasks = without_cut_commands(
                self.tasks, self.cuts, self.probes.keys(), self.kinds.checks, self.findings
            )

        self.actions = related(self.actions, self.findings)
        self._match_completed()
        self._advise(form)
        nodes = self._nodes()

        return Document(
            bom=self.bom,
            text=self.text,
            lines=tuple(self.lines),
            nodes=tuple(nodes),
            frontmatter=self.front,
            format=form,
            context=self._context(form, nodes),
            tasks=tuple(self.tasks),
            actions=tuple(self.actions),
            probes=tuple(self.probes.values()),
            completed=tuple(self.completed),
            review=self.review,
            active=self._active(),
            diagnostics=self.findings.sorted(),
            never_run=tuple(self.findings.never_run),
            held=self.held,
        )

    # -- the sections ------------------------------------------------------------------------------

    def _read(self, section: Section, form: Format) -> None:
        if form is Format.PLAIN and section.name not in (PROBES, REVIEW):
            self._read_plain(section)
        elif section.name == TASKS:
            self._read_tasks(section)
        elif section.name == ACTIONS:
            self._read_actions(section)
        elif section.name == PROBES:
            self._read_probes(section)
        elif section.name == COMPLETED:
            self._read_completed(section)
        elif section.name == REVIEW:
            self._read_review(section)
        else:
            self._read_other(section)

    def _read_plain(self, section: Section) -> None:
        is_unread = self._is_unread(section)
        is_done = self._is_done(section)
        if is_done:
            self.kept_back.append(section)

        for index in range(section.first, section.last):
            if self.blocks[index].kind is BlockKind.BLANK:
                self._mean(NodeKind.BLANK)
                continue

            if section.name == COMPLETED:
                self._report_completed(index)
            elif not is_unread and not is_done:
                self._note_outside(index)

            if self._is_active(index) and not is_done:
                self._mean(NodeKind.PLAIN)
            else:
                self._mean(self._quiet_kind(index, NodeKind.INACTIVE))

    def _note_outside(self, index: int) -> None:
        """Report an action in a plain file; keep a box until it is known what becomes of it."""
        if self._is_open_box(index):
            self.plain_boxes.append(index)
        elif self.blocks[index].level:
            self._report_outside(index)

    def _is_open_box(self, index: int) -> bool:
        """Say whether a line is an unchecked box, after a mark or a number."""
        text = self.lines[index].text
        if self.blocks[index].kind is not BlockKind.TEXT or "[" not in text:
            return False

        box = read_box(text) or read_numbered_box(text)
        return box is not None and not box.checked

    def _is_unread(self, section: Section) -> bool:
        """Say whether the format does not read this section of items.

        That has been reported already; to move the items elsewhere would not help.
        """
        return self.blocks[section.first].title.lower() in (TASKS.lower(), ACTIONS.lower())

    def _is_done(self, section: Section) -> bool:
        """Whether the person keeps there what is done."""
        heading = self.blocks[section.first]
        return heading.level == 2 and heading.title.lower() in DONE

    def _read_other(self, section: Section) -> None:
        is_unread = self._is_unread(section)
        for index in range(section.first, section.last):
            if not is_unread:
                self._report_outside(index)

            self._mean(self._quiet_kind(index, NodeKind.CONTEXT))

    def _report_outside(self, index: int, place: str = "") -> None:
        """Report a line that looks like an action or a task where none is read."""
        if is_action(self.lines, self.blocks, index):
            thing = "An action"
            home = ACTIONS
        elif self._is_open_box(index) or ((box := self._box(index)) and "|" in box.rest):
            thing = "A task"
            home = TASKS
        else:
            return

        if place == home:
            self._report_level(index)
            return

        where = f"under `## {place}`" if place else f"outside `## {home}`"
        self.findings.add_never_run(
            "HB606",
            self.lines[index].number,
            1,
            f"{thing} {where} does not run.",
            f"Move it under `## {home}`.",
        )

    def _report_level(self, index: int) -> None:
        """Report the heading of an action that is of another level than 3."""
        title = shown(self.blocks[index].title, 40)
        message = "The heading of an action has three `#`, so this one does not run."
        fix = f"Write `### {title}`."
        self.findings.add_never_run("HB606", self.lines[index].number, 1, message, fix)

    def _read_tasks(self, section: Section) -> None:
        tasks = TaskSection(
            self.lines, self.blocks, section, _hint_prefixes(self.kinds), self.findings
        )
        tasks.read()

        self.tasks += tasks.tasks
        self.meaning += tasks.meaning
        self.without_box |= tasks.without_box
        self.cuts.update(tasks.cuts)

    def _read_actions(self, section: Section) -> None:
        indices = range(section.first, section.last)
        starts = [index for index in indices if self.blocks[index].level == 3]
        first_start = starts[0] if starts else section.last

        for index in range(section.first, first_start):
            if index > section.first:
                self._report_outside(index, ACTIONS)

            self._mean(self._quiet_kind(index, NodeKind.CONTEXT))

        for start, end in pairwise([*starts, section.last]):
            while end > start + 1 and self.blocks[end - 1].kind is BlockKind.BLANK:
                end -= 1

            action = read_action(
                self.blocks[start].title,
                self.lines[start:end],
                self.blocks[start:end],
                self.kinds.actions,
                self.findings,
            )
            if action:
                self.actions.append(action)

            self.meaning += [(NodeKind.ACTION, action.id if action else "")] * (end - start)
            self._mean_blanks(section.last)

    def _mean_blanks(self, last: int) -> None:
        """Give the blank lines that come next their meaning, up to the index `last`."""
        while len(self.meaning) < last and self.blocks[len(self.meaning)].kind is BlockKind.BLANK:
            self._mean(NodeKind.BLANK)

    def _read_probes(self, section: Section) -> None:
        for index in range(section.first, section.last):
            line = self.lines[index]
            if self.blocks[index].level:
                self._report_outside(index, PROBES)

            name = self._read_probe(line) if self.blocks[index].kind is BlockKind.TEXT else ""
            self._mean(self._quiet_kind(index, NodeKind.PROBE), name)

    def _read_probe(self, line: Line) -> str:
        """Keep the probe of the line; return its name, or "" where the line is not a probe."""
        bare = line.text.strip(" \t")
        name, _, command = bare[1:].partition(":") if bare[0] in "-*+" else ("", "", "")
        name = name.strip().strip("*`")
        command = without_backticks(command.strip())

        if not name.isidentifier() or not command:
            message = "This line is not a probe, so it is not measured."
            hint = "Write `- name: command`, the name in one word."
            self.findings.add("HB701", line.number, 1, message, hint)
            return ""

        if name in self.probes:
            message = f"The probe `{shown(name)}` appears twice; the first one is used."
            hint = "Give it another name, or remove it."
            self.findings.add("HB702", line.number, 1, message, hint)
        else:
            self.probes[name] = Probe(name, command, line.number)
            report_hidden(line.text, line.number, 1, self.findings)

        return name

    def _read_completed(self, section: Section) -> None:
        for index in range(section.first, section.last):
            self._report_completed(index)
            box = self._box(index)
            rest = box.rest if box and box.checked else ""
            identifier, colon, _ = rest.partition(":")
            if colon:
                number = self.lines[index].number
                self.completed.append(Completed(identifier.strip(), number, rest))

            self._mean(self._quiet_kind(index, NodeKind.COMPLETED))

    def _match_completed(self) -> None:
        """Find the ids that have a colon in them: `- [x] back:up: OK (10:00:00)`."""
        known = {action.id for action in self.actions if ":" in action.id}
        if not known:
            return

        for place, done in enumerate(self.completed):
            start = done.words[: LONGEST_ID + 1]
            ends = [index for index, character in enumerate(start) if character == ":"]
            matching = [start[:end].strip() for end in ends if start[:end].strip() in known]
            if matching:
                self.completed[place] = done._replace(id=matching[-1])

    def _report_completed(self, index: int) -> None:
        """Report an action or an open box that was added below `## Completed Today`: it looks
        done. What is ticked is done, also a result of ours that has a pipe in it."""
        if not is_action(self.lines, self.blocks, index):
            box = self._box(index)
            if box and not box.checked:
                self._report_outside(index, COMPLETED)

            return

        message = f"An action under `## {COMPLETED}` never runs: all that is there counts as done."
        fix = f"Move it up, under `## {ACTIONS}`."
        self.findings.add_never_run("HB321", self.lines[index].number, 1, message, fix)

    def _read_review(self, section: Section) -> None:
        self.kept_back.append(section)
        for index in range(section.first, section.last):
            self._mean(self._quiet_kind(index, NodeKind.REVIEW))

        start = self.lines[section.first].end
        end = self.lines[section.last - 1].end
        words = self.text[start:end].strip()

        if any(map(self._says_something, range(section.first + 1, section.last))):
            self.review = f"{self.review}\n\n{words}" if self.review else words

    # -- single lines ------------------------------------------------------------------------------

    def _mean(self, kind: NodeKind, owner: str = "") -> None:
        self.meaning.append((kind, owner))

    def _quiet_kind(self, index: int, otherwise: NodeKind) -> NodeKind:
        block = self.blocks[index]
        if block.kind is BlockKind.BLANK:
            return NodeKind.BLANK

        return NodeKind.HEADING if block.level in (1, 2) else otherwise

    def _box(self, index: int) -> Box | None:
        if self.blocks[index].kind is not BlockKind.TEXT:
            return None

        return read_box(self.lines[index].text)

    def _says_something(self, index: int) -> bool:
        """Say whether a line is neither blank nor a comment."""
        kind = self.blocks[index].kind
        if kind is BlockKind.COMMENT:
            return bool(_outside_comments(self.lines[index].text).strip())

        return kind is not BlockKind.BLANK

    def _is_active(self, index: int) -> bool:
        """Say whether a line of a plain file is something to do.

        Blank lines, comments, headings and unchecked boxes are not.
        """
        if not self._says_something(index) or self.blocks[index].kind is BlockKind.HEADING:
            return False

        box = self._box(index)
        return box is None or box.checked

    # -- the whole ---------------------------------------------------------------------------------

    def _nodes(self) -> list[Node]:
        """Join neighbouring lines of one meaning; a task, heading, probe or action is a node of its
        own."""
        starts: list[int] = []
        before = None

        for index, meaning in enumerate(self.meaning):
            kind = meaning[0]
            if meaning != before:
                starts.append(index)
                before = meaning
            elif kind in _SINGLE_LINES:
                starts.append(index)
            elif kind is NodeKind.ACTION and self.blocks[index].level == 3:
                starts.append(index)  # two actions may have the same id

        nodes: list[Node] = []
        for first, after in pairwise([*starts, len(self.lines)]):
            kind, owner = self.meaning[first]
            start = self.lines[first].start
            end = self.lines[after - 1].end
            nodes.append(Node(kind, first + 1, after, start, end, owner))

        return nodes

    def _context(self, form: Format, nodes: Sequence[Node]) -> str:
        """Return the text that is for the model and for nothing else."""
        if form is Format.PLAIN:
            return self._plain_text()

        kept: list[str] = []
        for node in nodes:
            first = node.first - 1
            if node.kind is NodeKind.CONTEXT:
                kept += [line.text for line in self.lines[first : node.last]]
            elif node.kind is NodeKind.BLANK:
                if kept and kept[-1]:
                    kept.append("")
            elif node.kind is NodeKind.HEADING and not is_section_heading(self.blocks[first]):
                kept.append(self.lines[first].text)

        return "\n".join(kept).strip("\n")

    def _plain_text(self) -> str:
        """Return a plain file as it is, without what is done and without the review, which is an
        item of its own."""
        kept: list[str] = []
        first = self.front.last_line
        for section in (*self.kept_back, Section("", len(self.lines), len(self.lines))):
            if first < section.first:
                start = self.lines[first].start
                kept.append(self.text[start : self.lines[section.first - 1].end])

            first = section.last

        return "".join(kept)

    def _active(self) -> bool:
        """Say whether there is anything to do."""
        return (
            any(not task.checked for task in self.tasks)
            or any(map(_may_run, self.actions))
            or self.review is not None
            or any(kind is NodeKind.PLAIN for kind, _ in self.meaning)
        )

    def _advise(self, form: Format) -> None:
        # A file may have a hundred thousand tasks with the same few checks.
        known: dict[tuple[str, bool], _Advice | None] = {}
        for task in self.tasks:
            if task.checked:
                continue

            key = (task.verify, bool(task.run))
            if key not in known:
                known[key] = self._advice_on_check(task)
            if advice := known[key]:
                self.findings.add(advice.code, task.line, 1, advice.message, advice.hint)

        if len(self.tasks) > ADVISED_TASKS:
            line = self.tasks[ADVISED_TASKS].line
            message = f"These are {len(self.tasks)} tasks; 3 to 7 are done more reliably."
            hint = "Join small ones, or give some a schedule."
            self.findings.add("HB210", line, 1, message, hint)

        if form is Format.PLAIN:
            self._advise_on_plain_file()

    def _advise_on_plain_file(self) -> None:
        """Say what becomes of the boxes: text for the model, or nothing at all."""
        if not self._active():
            for index in self.plain_boxes:
                if "|" in self.lines[index].text:
                    self._report_outside(index)

            self._advise_on_inactive_file()
            return

        is_sent = any(kind is NodeKind.PLAIN for kind, _ in self.meaning)
        for index in self.plain_boxes:
            if not is_sent:
                self._report_outside(index)
                continue

            message = (
                "This box goes to the model as text; Heartbeat does not check whether it is done."
            )
            fix = f"Write it under `## {TASKS}` to make it a task."
            self.findings.add("HB609", index + 1, 1, message, fix)

    def _advise_on_inactive_file(self) -> None:
        inactive = (NodeKind.INACTIVE, NodeKind.HEADING)
        kinds = [kind for kind, _ in self.meaning]
        first = next((index for index, kind in enumerate(kinds) if kind in inactive), None)
        if first is None:
            return

        sections = (TASKS.lower(), ACTIONS.lower())
        has_items = any(one.level == 2 and one.title.lower() in sections for one in self.blocks)
        if has_items:
            hint = "Remove `format: plain`."
        else:
            hint = "Write `## Tasks`, and the boxes below it."

        message = (
            "Every line of this file is inactive: headings, comments and empty boxes start nothing."
        )
        boxes = [index for index in self.plain_boxes if kinds[index] is NodeKind.INACTIVE]
        self.findings.add("HB607", (boxes[0] if boxes else first) + 1, 1, message, hint)
        known = set(self.findings.never_run)
        self.findings.never_run += [
            index + 1
            for index, kind in enumerate(kinds)
            if kind is NodeKind.INACTIVE and self._box(index) and index + 1 not in known
        ]

    def _advice_on_check(self, task: Task) -> _Advice | None:
        check = read_check(task, self.probes.keys(), self.kinds.checks)
        if isinstance(check, Problem):
            return _Advice("HB212", f"The check cannot be read: {check.message}", check.hint)

        if self.kinds.checks.of(check).needs_judge:
            if advice := self._advice_on_sentence(task.verify):
                return advice

            words = shown(task.verify.strip())
            message = f"`{words}` cannot be measured; only a judge could decide it."
            hint = "Write something to measure, for example `verify: file:report.md fresh<1d`."
            return _Advice("HB208", message, hint)

        return None

    def _advice_on_sentence(self, hint: str) -> _Advice | None:
        """Return what to write for a hint that reads like a check: `report.txt exists`."""
        prefix, colon, rest = hint.partition(":")
        known = self.kinds.checks.by_prefix
        if colon and prefix.isalpha() and (meant := self.findings.nearest(prefix, known)):
            message = f"The check cannot be read: `{shown(prefix)}:` is not a kind of check."
            return _Advice("HB212", message, f"Write `{meant}:{shown(rest.strip())}`.")

        words = hint.split()
        name = words[0].strip("`'\"") if words else ""
        if " ".join(words[1:]).rstrip(".").lower() not in EXISTS or not _is_path(name):
            return None

        message = f"`{shown(hint.strip())}` is a sentence: it is not measured."
        return _Advice("HB221", message, f"Write `verify: file:{shown(name)}`.")

    def _report_unclosed(self, form: Format) -> None:
        offset = self.front.last_line + 1
        if self.open_fence >= 0:
            message = "This code fence is never closed, so the rest of the file is not read."
            hint = "Close it with a line of the same marks."
            self._add_unclosed("HB601", self.open_fence + offset, message, hint, form)

        if self.open_comment >= 0:
            message = "This comment is never closed, so the rest of the file is not read."
            hint = "Close it with `-->`."
            self._add_unclosed("HB602", self.open_comment + offset, message, hint, form)

    def _add_unclosed(self, code: str, number: int, message: str, hint: str, form: Format) -> None:
        """Report a fence or a comment; what it swallows can never run.

        A plain file goes to the model with all that is in it, unless a section of items is lost.
        """
        swallowed = [line.text.strip() for line in self.lines[number:]]
        if form is Format.PLAIN:
            is_lost = any(text.lower() in _ITEM_HEADINGS for text in swallowed)
        else:
            is_lost = any(swallowed)

        add = self.findings.add_never_run if is_lost else self.findings.add
        add(code, number, 1, message, hint)


def _hint_prefixes(kinds: Kinds) -> HintPrefixes:
    by_prefix = kinds.checks.by_prefix
    of_commands = {
        prefix
        for prefix, kind in by_prefix.items()
        if kind.execution and kind.execution.command(prefix)
    }
    return HintPrefixes(by_prefix, of_commands)


def _outside_comments(text: str) -> str:
    """Return what a line on which a comment ends says outside of comments."""
    _, _, rest = text.partition("-->")
    first, *others = rest.split("<!--")
    return first + "".join(other.partition("-->")[2] for other in others)


def _is_path(word: str) -> bool:
    return "/" in word or "." in word.strip(".")


def _may_run(action: Action) -> bool:
    if action.unclear:
        return False

    return action.schedule is not None or action.status in (
        ActionStatus.PENDING,
        ActionStatus.RUNNING,
    )
