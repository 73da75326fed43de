"""HEARTBEAT.md as one lossless document: every byte in a line, every line in a node. Total: any bytes give one."""

from itertools import pairwise

from core.model.check import Label
from core.model.diagnostic import Diagnostic, Problem
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
    Priority,
    Probe,
    Task,
)
from core.rules.checking.hints import read_check
from core.rules.reading.actions import read_action
from core.rules.reading.blocks import Block, BlockKind, scan_blocks
from core.rules.reading.findings import Findings, shown
from core.rules.reading.frontmatter import read_frontmatter
from core.rules.reading.header import check_header
from core.rules.reading.lines import BOM, split_lines
from core.rules.reading.refusals import decode
from core.rules.reading.relations import related
from core.rules.reading.sections import (
    ACTIONS,
    COMPLETED,
    PROBES,
    REVIEW,
    TASKS,
    Section,
    format_of,
    report_near_misses,
    sections_in_use,
    split_sections,
)
from core.rules.reading.tasks import ADVISED_TASKS, Box, made_unique, read_box, read_task
from core.rules.reading.values import without_backticks

BOXES = ("[ ", "[x", "[X", "[")  # up to their `]`; the last one lacks its space


def read_document(data: bytes) -> Document:
    """The document that the bytes hold."""
    findings = Findings()
    whole = decode(data, findings)
    if whole is None:
        return refused_document(data, findings.sorted())
    text = whole.lstrip(BOM)  # two of them happen where programs each add their own
    bom = whole[: len(whole) - len(text)]
    lines = split_lines(text)
    front = read_frontmatter(lines, text, findings)
    held = check_header(front, lines, findings)
    return _Body(bom, text, lines, front, held, findings).document()


def refused_document(data: bytes, diagnostics: tuple[Diagnostic, ...]) -> Document:
    """A file from which nothing runs. Its bytes are kept all the same."""
    text = data.decode("utf-8", "surrogateescape")
    lines = tuple(split_lines(text))
    nodes = (Node(NodeKind.REFUSED, 1, len(lines), 0, len(text)),) if lines else ()
    return Document(
        "", text, lines, nodes, Frontmatter(), Format.PLAIN, "", (), (), (), (), None, False, diagnostics, refused=True
    )


class _Body:
    """Reads the sections one after another; each line gets its meaning exactly once."""

    def __init__(
        self, bom: str, text: str, lines: list[Line], front: Frontmatter, held: str, findings: Findings
    ) -> None:
        self.bom, self.text, self.lines, self.front, self.held = bom, text, lines, front, held
        self.findings = findings
        scan = scan_blocks(lines[front.last_line :])
        self.blocks = [Block(BlockKind.TEXT)] * front.last_line + scan.blocks
        self._report_unclosed(scan.open_fence, scan.open_comment)
        self.meaning: list[tuple[NodeKind, str]] = [(NodeKind.FRONTMATTER, "")] * front.last_line
        self.tasks: list[Task] = []
        self.actions: list[Action] = []
        self.probes: dict[str, Probe] = {}
        self.completed: list[Completed] = []
        self.review: str | None = None

    def document(self) -> Document:
        sections = split_sections(self.blocks, self.front.last_line)
        form = format_of(sections, self.front.text("format") or "auto")
        report_near_misses(self.lines, self.blocks, form, self.findings)
        for section in sections_in_use(sections, form):
            self._read(section, form)
        self.tasks = made_unique(self.tasks, self.findings)
        self.actions = related(self.actions, self.findings)
        self._advise(form)
        return Document(
            bom=self.bom,
            text=self.text,
            lines=tuple(self.lines),
            nodes=tuple(self._nodes()),
            frontmatter=self.front,
            format=form,
            context=self._context(form),
            tasks=tuple(self.tasks),
            actions=tuple(self.actions),
            probes=tuple(self.probes.values()),
            completed=tuple(self.completed),
            review=self.review,
            active=self._active(),
            diagnostics=self.findings.sorted(),
            held=self.held,
        )

    # -- the sections -------------------------------------------------------------------------------------------

    def _read(self, section: Section, form: Format) -> None:
        if form is Format.PLAIN and section.name not in (PROBES, REVIEW):
            return self._read_plain(section)
        match section.name:
            case "Tasks":
                self._read_tasks(section)
            case "Pending Actions":
                self._read_actions(section)
            case "Probes":
                self._read_probes(section)
            case "Completed Today":
                self._read_completed(section)
            case "Proactive Review":
                self._read_review(section)
            case _:
                self._read_other(section)
        return None

    def _read_plain(self, section: Section) -> None:
        title = self.blocks[section.first].title.lower()
        is_unread = title in (TASKS.lower(), ACTIONS.lower())  # that has been said, and moving it would help nobody
        for index in range(section.first, section.last):
            if self.blocks[index].kind is BlockKind.BLANK:
                self._mean(NodeKind.BLANK)
                continue
            if not is_unread:
                self._report_outside(index)
            self._mean(NodeKind.PLAIN if self._is_active(index) else self._quiet_kind(index, NodeKind.INACTIVE))

    def _read_other(self, section: Section) -> None:
        for index in range(section.first, section.last):
            self._report_outside(index)
            self._mean(self._quiet_kind(index, NodeKind.CONTEXT))

    def _report_outside(self, index: int) -> None:
        """What has the shape of an action or a task but stands where none counts."""
        block, text = self.blocks[index], self.lines[index].text
        if block.level == 3 and block.title.partition("]")[0].lstrip("[").upper() in Priority.__members__:
            thing, home = "An action", ACTIONS
        elif "|" in text and self._box(index):
            thing, home = "A task", TASKS
        else:
            return
        message = f"{thing} outside `## {home}` does not run."
        self.findings.add("HB606", self.lines[index].number, 1, message, f"Move it under `## {home}`.")

    def _read_tasks(self, section: Section) -> None:
        for index in range(section.first, section.last):
            box = self._box(index)
            task = read_task(self.lines[index], box, self.findings) if box else None
            if task:
                self.tasks.append(task)
                self._mean(NodeKind.TASK, task.id)
            else:
                if not box and index > section.first:
                    self._report_no_box(index)
                self._mean(self._quiet_kind(index, NodeKind.CONTEXT))

    def _report_no_box(self, index: int) -> None:
        """An item under `## Tasks` that was perhaps meant as a task."""
        text = self.lines[index].text
        bare = text.lstrip(" \t").lstrip("0123456789")
        is_item = bare[:1] in "-*+.)" and bare[1:2] in (" ", "\t")
        rest = bare[1:].lstrip(" \t") if is_item else bare.lstrip("-*+.)")
        box, bracket, words = rest.partition("]")
        if self.blocks[index].kind is not BlockKind.TEXT or not (is_item or box in BOXES):
            return
        if rest[:1] == "[" and bracket and len(box) < 5 and words[:1] not in ("(", "[", ":"):
            message = "This is no task: it needs a list mark, a space and a box that is empty or ticked."
        elif is_item and text == bare:
            message, words = "This item has no box, so it is context and no task.", rest
        else:
            return  # a remark below a task, or a numbered item
        self.findings.add("HB209", self.lines[index].number, 1, message, f"Write `- [ ] {shown(words.strip(), 40)}`.")

    def _read_actions(self, section: Section) -> None:
        starts = [i for i in range(section.first, section.last) if self.blocks[i].level == 3]
        for index in range(section.first, starts[0] if starts else section.last):
            self._mean(self._quiet_kind(index, NodeKind.CONTEXT))
        for start, end in pairwise([*starts, section.last]):
            while end > start + 1 and self.blocks[end - 1].kind is BlockKind.BLANK:
                end -= 1
            title, blocks = self.blocks[start].title, self.blocks[start:end]
            action = read_action(title, self.lines[start:end], blocks, self.findings)
            if action:
                self.actions.append(action)
            self.meaning += [(NodeKind.ACTION, action.id if action else "")] * (end - start)
            while len(self.meaning) < section.last and self.blocks[len(self.meaning)].kind is BlockKind.BLANK:
                self._mean(NodeKind.BLANK)

    def _read_probes(self, section: Section) -> None:
        for index in range(section.first, section.last):
            line = self.lines[index]
            name = self._read_probe(line) if self.blocks[index].kind is BlockKind.TEXT else ""
            self._mean(self._quiet_kind(index, NodeKind.PROBE), name)

    def _read_probe(self, line: Line) -> str:
        bare = line.text.strip(" \t")
        name, colon, command = bare[1:].partition(":") if bare[0] in "-*+" else ("", "", "")
        name, command = name.strip().strip("*`"), without_backticks(command.strip())
        if not colon or not name.isidentifier() or not command:
            message = "This line is no probe, so it is not measured."
            self.findings.add("HB701", line.number, 1, message, "Write `- name: command`, the name in one word.")
            return ""
        if name in self.probes:
            message = f"The probe `{shown(name)}` stands twice; the first holds."
            self.findings.add("HB702", line.number, 1, message, "Give it another name, or remove it.")
        else:
            self.probes[name] = Probe(name, command, line.number)
        return name

    def _read_completed(self, section: Section) -> None:
        for index in range(section.first, section.last):
            box = self._box(index)
            identifier, colon, _ = box.rest.partition(":") if box and box.checked else ("", "", "")
            if colon:
                self.completed.append(Completed(identifier.strip(), self.lines[index].number))
            self._mean(self._quiet_kind(index, NodeKind.COMPLETED))

    def _read_review(self, section: Section) -> None:
        for index in range(section.first, section.last):
            self._mean(self._quiet_kind(index, NodeKind.REVIEW))
        words = self.text[self.lines[section.first].end : self.lines[section.last - 1].end].strip()
        if any(map(self._says_something, range(section.first + 1, section.last))):
            self.review = f"{self.review}\n\n{words}" if self.review else words

    # -- single lines -------------------------------------------------------------------------------------------

    def _mean(self, kind: NodeKind, owner: str = "") -> None:
        self.meaning.append((kind, owner))

    def _quiet_kind(self, index: int, otherwise: NodeKind) -> NodeKind:
        block = self.blocks[index]
        if block.kind is BlockKind.BLANK:
            return NodeKind.BLANK
        return NodeKind.HEADING if block.level in (1, 2) else otherwise

    def _box(self, index: int) -> Box | None:
        return read_box(self.lines[index].text) if self.blocks[index].kind is BlockKind.TEXT else None

    def _says_something(self, index: int) -> bool:
        """Whether a line is neither blank nor a comment."""
        kind = self.blocks[index].kind
        if kind is BlockKind.COMMENT:
            return bool(_beside_comments(self.lines[index].text).strip())
        return kind is not BlockKind.BLANK

    def _is_active(self, index: int) -> bool:
        """Seed 003: blank lines, comments, headings and unchecked boxes wake nobody; any other line does."""
        if not self._says_something(index) or self.blocks[index].kind is BlockKind.HEADING:
            return False
        box = self._box(index)
        return box is None or box.checked

    # -- the whole ----------------------------------------------------------------------------------------------

    def _nodes(self) -> list[Node]:
        """Neighbouring lines of one meaning together; a task, a heading, a probe and each action alone."""
        starts: list[int] = []
        alone = (NodeKind.TASK, NodeKind.HEADING, NodeKind.PROBE)
        before = None
        for index, meaning in enumerate(self.meaning):
            kind = meaning[0]
            if meaning != before or kind in alone or (kind is NodeKind.ACTION and self.blocks[index].level == 3):
                starts.append(index)
            before = meaning
        nodes: list[Node] = []
        for first, after in pairwise([*starts, len(self.lines)]):
            kind, owner = self.meaning[first]
            start, end = self.lines[first].start, self.lines[after - 1].end
            nodes.append(Node(kind, first + 1, after, start, end, owner))
        return nodes

    def _context(self, form: Format) -> str:
        if form is Format.PLAIN:
            return self.text[self.lines[self.front.last_line].start :] if len(self.lines) > self.front.last_line else ""
        kept: list[str] = []
        named = {TASKS.lower(), ACTIONS.lower(), COMPLETED.lower(), PROBES.lower(), REVIEW.lower()}
        for line, (kind, _), block in zip(self.lines, self.meaning, self.blocks, strict=True):
            if kind is NodeKind.CONTEXT:
                kept.append(line.text)
            elif kind is NodeKind.BLANK:
                if kept and kept[-1]:
                    kept.append("")
            elif kind is NodeKind.HEADING and not (block.level == 2 and block.title.lower() in named):
                kept.append(line.text)
        return "\n".join(kept).strip("\n")

    def _active(self) -> bool:
        """Whether there is anything to do."""
        waiting = any(not task.checked for task in self.tasks) or any(map(_may_run, self.actions))
        return waiting or self.review is not None or any(kind is NodeKind.PLAIN for kind, _ in self.meaning)

    def _advise(self, form: Format) -> None:
        for task in self.tasks:
            if not task.checked:
                self._advise_on_check(task)
        if len(self.tasks) > ADVISED_TASKS:
            message = f"These are {len(self.tasks)} tasks; 3 to 7 are done more reliably."
            self.findings.add(
                "HB210", self.tasks[ADVISED_TASKS].line, 1, message, "Join small ones, or give some a schedule."
            )
        asleep = (NodeKind.INACTIVE, NodeKind.HEADING)
        first = next((index for index, (kind, _) in enumerate(self.meaning) if kind in asleep), None)
        if form is Format.PLAIN and first is not None and not self._active():
            message = "Every line of this file is inactive: headings, comments and unchecked boxes wake nobody."
            sections = (TASKS.lower(), ACTIONS.lower())
            is_plain_by_name = any(one.level == 2 and one.title.lower() in sections for one in self.blocks)
            mend = "Remove `format: plain`" if is_plain_by_name else "Write `## Tasks`, and the boxes below it"
            self.findings.add("HB607", first + 1, 1, message, f"{mend}.")

    def _advise_on_check(self, task: Task) -> None:
        match read_check(task, self.probes.keys()):
            case Problem(message, mend):
                self.findings.add("HB212", task.line, 1, f"The check cannot be read: {message}", mend)
            case Label(words):
                message = f"`{shown(words)}` cannot be measured; only a judge could decide it."
                mend = "Write something to measure, for example `verify: file:report.md fresh<1d`."
                self.findings.add("HB208", task.line, 1, message, mend)

    def _report_unclosed(self, fence: int, comment: int) -> None:
        offset = self.front.last_line + 1
        if fence >= 0:
            message = "This code fence is never closed, so the rest of the file is not read."
            self.findings.add("HB601", fence + offset, 1, message, "Close it with a line of the same marks.")
        if comment >= 0:
            message = "This comment is never closed, so the rest of the file is not read."
            self.findings.add("HB602", comment + offset, 1, message, "Close it with `-->`.")


def _beside_comments(text: str) -> str:
    """What a line on which a comment ends says outside of comments."""
    _, _, rest = text.partition("-->")
    first, *others = rest.split("<!--")
    return first + "".join(other.partition("-->")[2] for other in others)


def _may_run(action: Action) -> bool:
    if action.unclear:
        return False
    return action.schedule is not None or action.status in (ActionStatus.PENDING, ActionStatus.RUNNING)
