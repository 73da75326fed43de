"""Which section of HEARTBEAT.md each line stands in, and headings that look like a section but are none."""

from collections.abc import Sequence
from typing import NamedTuple

from core.model.document import Format, Line
from core.rules.reading.blocks import Block
from core.rules.reading.findings import Findings, shown

TASKS, ACTIONS, COMPLETED = "Tasks", "Pending Actions", "Completed Today"
PROBES, REVIEW, OTHER = "Probes", "Proactive Review", ""
_NAMES = {name.lower(): name for name in (TASKS, ACTIONS, COMPLETED, PROBES, REVIEW)}
FORMATS = ("auto", "contract", "actions", "plain")


class Section(NamedTuple):
    name: str
    first: int  # index of its heading line (or of the first line of the file's body)
    last: int  # index after its last line


def split_sections(blocks: Sequence[Block], first: int) -> list[Section]:
    """The body's lines from index `first` on, cut at every level-1 and level-2 heading."""
    sections: list[Section] = []
    name, start = OTHER, first
    for index in range(first, len(blocks)):
        block = blocks[index]
        if block.level in (1, 2):
            if index > start:
                sections.append(Section(name, start, index))
            name = _NAMES.get(block.title.lower(), OTHER) if block.level == 2 else OTHER
            start = index
    if start < len(blocks):
        sections.append(Section(name, start, len(blocks)))
    return sections


def format_of(sections: Sequence[Section], wanted: str) -> Format:
    """The format that the frontmatter asks for, else the one that the headings show."""
    if wanted in ("contract", "actions", "plain"):
        return Format(wanted)
    names = {section.name for section in sections}
    if TASKS in names and ACTIONS in names:
        return Format.MIXED
    if TASKS in names:
        return Format.CONTRACT
    return Format.ACTIONS if ACTIONS in names else Format.PLAIN


def sections_in_use(sections: Sequence[Section], form: Format) -> list[Section]:
    """The sections as this format reads them: what it does not know is text."""
    unread = _UNREAD.get(form, ())
    return [section._replace(name=OTHER) if section.name in unread else section for section in sections]


# Only the frontmatter makes a file of such a section another format.
_UNREAD = {Format.CONTRACT: (ACTIONS,), Format.ACTIONS: (TASKS,), Format.PLAIN: (TASKS, ACTIONS)}


def report_near_misses(lines: Sequence[Line], blocks: Sequence[Block], form: Format, findings: Findings) -> None:
    """Headings that a person probably meant as a section: wrong level, misspelt, underlined."""
    for index, (line, block) in enumerate(zip(lines, blocks, strict=True)):
        if block.level:
            _report_heading(line, block, form, findings)
        elif block.underline and (name := _NAMES.get(lines[index - 1].text.strip().lower())):
            message = f"`{name}` with a line under it is not read as a heading."
            findings.add("HB603", line.number - 1, 1, message, f"Write `## {name}`.")


def _report_heading(line: Line, block: Block, form: Format, findings: Findings) -> None:
    bare = block.title.rstrip(": ").lower()
    name = _NAMES.get(bare)
    if name and (block.level != 2 or bare != block.title.lower()):
        message = f"This heading does not start the section `{name}`."
        findings.add("HB604", line.number, 1, message, f"Write `## {name}`.")
    elif not name and block.level == 2 and (close := _misspelt(bare, findings)):
        message = f"`{shown(block.title)}` is not a section; its lines are context."
        findings.add("HB605", line.number, 1, message, f"Did you mean `## {_NAMES[close]}`?")
    elif name and name in _UNREAD.get(form, ()):
        means = "plain text" if form is Format.PLAIN else "context"
        message = f"`format: {form}` in the frontmatter makes this section {means}."
        findings.add("HB608", line.number, 1, message, "Remove `format`, or this section.")


def _misspelt(word: str, findings: Findings) -> str | None:
    """The section with one or two letters too many, missing or wrong; not a longer phrase with its name in it."""
    close = findings.nearest(word, [name for name in _NAMES if abs(len(word) - len(name)) <= 2])
    if not close:
        return None
    from difflib import SequenceMatcher

    return close if SequenceMatcher(None, word, close).ratio() > 0.78 else None
