"""The sections of a workspace's files: which one a line is in.

HEARTBEAT.md has five sections that the program reads; headings that look like one of them but are
not are reported. Of the memory file, a model gets the text of two.
"""

from collections.abc import Sequence
from typing import NamedTuple

from core.model.document import Format, Line
from core.rules.printable import shown
from core.rules.reading.blocks import Block, scan_blocks, split_lines
from core.rules.reading.findings import Findings

TASKS = "Tasks"
ACTIONS = "Pending Actions"
COMPLETED = "Completed Today"
PROBES = "Probes"
REVIEW = "Proactive Review"
OTHER = ""  # any other heading, and what comes before the first one
_NAMES = {name.lower(): name for name in (TASKS, ACTIONS, COMPLETED, PROBES, REVIEW)}

FORMATS = ("auto", "contract", "actions", "plain")
# The sections that a format takes for text. Only the frontmatter can give a file with such a
# section that format.
_UNREAD = {Format.CONTRACT: (ACTIONS,), Format.ACTIONS: (TASKS,), Format.PLAIN: (TASKS, ACTIONS)}

# Of the memory file.
PATTERNS = "Observed Patterns"
PENDING = "Pending"
MOST_CHARACTERS = 4000  # of a section; its last lines are its newest


# -- sections of HEARTBEAT.md ----------------------------------------------------------------------


class Section(NamedTuple):
    name: str
    first: int  # index of its heading line (or of the first line of the file's body)
    last: int  # index after its last line


def split_sections(blocks: Sequence[Block], headings: Sequence[int], first: int) -> list[Section]:
    """Cut the body's lines, from index `first` on, at every heading of level 1 or 2."""
    sections: list[Section] = []
    name = OTHER
    start = first

    for index in headings:
        block = blocks[index]
        if block.level in (1, 2):
            if index > start:
                sections.append(Section(name, start, index))

            name = _NAMES.get(block.title.lower(), OTHER) if block.level == 2 else OTHER
            start = index

    if start < len(blocks):
        sections.append(Section(name, start, len(blocks)))

    return sections


def is_section_heading(block: Block) -> bool:
    return block.level == 2 and block.title.lower() in _NAMES


def format_of(sections: Sequence[Section], wanted: str) -> Format:
    """Return the format that the frontmatter asks for, or else the one that the headings show."""
    if wanted in ("contract", "actions", "plain"):
        return Format(wanted)

    names = {section.name for section in sections}
    if TASKS in names and ACTIONS in names:
        return Format.MIXED
    if TASKS in names:
        return Format.CONTRACT

    return Format.ACTIONS if ACTIONS in names else Format.PLAIN


def sections_in_use(sections: Sequence[Section], form: Format) -> list[Section]:
    """Return the sections as this format reads them: what it does not know is text."""
    unread = _UNREAD.get(form, ())
    return [
        section._replace(name=OTHER) if section.name in unread else section for section in sections
    ]


def report_near_misses(
    lines: Sequence[Line],
    blocks: Sequence[Block],
    headings: Sequence[int],
    form: Format,
    findings: Findings,
) -> None:
    """Report headings that were probably meant as a section: wrong level, misspelt, underlined."""
    for index in headings:
        line = lines[index]
        block = blocks[index]
        if block.level:
            _report_heading(line, block, form, findings)
        elif block.underline and (name := _NAMES.get(lines[index - 1].text.strip().lower())):
            message = f"`{name}` with a line under it is not read as a heading."
            findings.add("HB603", line.number - 1, 1, message, f"Write `## {name}`.")


def _report_heading(line: Line, block: Block, form: Format, findings: Findings) -> None:
    bare = block.title.rstrip(": ").lower()
    name = _NAMES.get(bare)
    if not name and (extra := _addition(bare)):
        message = f"{extra} keeps this heading from starting a section."
        findings.add("HB604", line.number, 1, message, f"Write `## {_NAMES[_plain(bare)]}`.")
    elif name and (block.level != 2 or bare != block.title.lower()):
        message = f"This heading does not start the section `{name}`."
        findings.add("HB604", line.number, 1, message, f"Write `## {name}`.")
    elif not name and block.level == 2 and (close := _misspelt(bare, findings)):
        message = f"`{shown(block.title)}` is not a section; its lines are context."
        findings.add("HB605", line.number, 1, message, f"Did you mean `## {_NAMES[close]}`?")
    elif name and name in _UNREAD.get(form, ()):
        means = "plain text" if form is Format.PLAIN else "context"
        message = f"`format: {form}` in the frontmatter makes this section {means}."
        findings.add("HB608", line.number, 1, message, "Remove `format`, or this section.")


def _plain(title: str) -> str:
    """Return the title with usual spaces, and without an anchor such as `{#x}`."""
    return " ".join(title.partition("{")[0].split())


def _addition(title: str) -> str:
    """Return what a heading has next to the name of a section; empty if that is not all it is."""
    if _plain(title) not in _NAMES:
        return ""
    if "{" in title:
        return f"`{shown(title[title.index('{') :])}`"

    return "A space of another kind (no-break, or more than one)"


def _misspelt(word: str, findings: Findings) -> str | None:
    """Return the section with one or two letters too many, missing or wrong, if there is one.

    A longer phrase with the name of a section in it is not a misspelling.
    """
    close = findings.nearest(word, [name for name in _NAMES if abs(len(word) - len(name)) <= 2])
    if not close:
        return None

    from difflib import SequenceMatcher

    return close if SequenceMatcher(None, word, close).ratio() > 0.78 else None


# -- sections of the memory file -------------------------------------------------------------------


def memory_section(text: str, name: str) -> str:
    """Return the text under the level-2 heading of this name, up to the next heading of level 1
    or 2."""
    lines = split_lines(text)
    found: list[str] = []
    inside = False

    for line, block in zip(lines, scan_blocks(lines).blocks, strict=True):
        if block.level in (1, 2):
            inside = block.level == 2 and block.title.casefold() == name.casefold()
        elif inside:
            found.append(line.text)

    section = "\n".join(found).strip()
    if len(section) <= MOST_CHARACTERS:
        return section

    return "…" + section[-MOST_CHARACTERS:]
