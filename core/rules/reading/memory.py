"""The two sections of the memory file that a model gets. Pure: text -> sections."""

from core.rules.reading.blocks import scan_blocks
from core.rules.reading.lines import split_lines

PATTERNS, PENDING = "Observed Patterns", "Pending"
MOST_CHARACTERS = 4000  # of a section; its newest lines, which stand last


def memory_section(text: str, name: str) -> str:
    """What stands under the level-2 heading of this name, until the next heading of level 1 or 2."""
    lines = split_lines(text)
    found: list[str] = []
    inside = False
    for line, block in zip(lines, scan_blocks(lines).blocks, strict=True):
        if block.level in (1, 2):
            inside = block.level == 2 and block.title.casefold() == name.casefold()
        elif inside:
            found.append(line.text)
    section = "\n".join(found).strip()
    return section if len(section) <= MOST_CHARACTERS else "…" + section[-MOST_CHARACTERS:]
