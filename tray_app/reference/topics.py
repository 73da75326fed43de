"""docs/format.md and its sections: each section is a topic of `heartbeat help`. Pure, but for
reading the page.

A new topic is a new section of that page; nothing else has to know of it.
"""

from pathlib import Path
from typing import NamedTuple

WHOLE = "format"


class Topic(NamedTuple):
    name: str  # as a person writes it: `plain-files`
    title: str
    words: str  # the first sentence of the section
    text: str  # Markdown, with the heading


def page() -> str:
    """In an installed program the page is inside the package, in the repository in docs/."""
    package = Path(__file__).parents[1]
    installed = package / "docs" / "format.md"
    path = installed if installed.is_file() else package.parent / "docs" / "format.md"

    return path.read_text(encoding="utf-8")


def topics(markdown: str) -> list[Topic]:
    """The whole page first, then its sections."""
    whole, *sections = markdown.split("\n## ")
    title = whole.partition("\n")[0].removeprefix("# ")
    found = [Topic(WHOLE, title, "Everything below, in one page.", markdown)]

    for section in sections:
        heading, _, body = section.partition("\n")
        name = heading.lower().replace(" ", "-")
        found.append(Topic(name, heading, first_sentence(body), f"## {section.rstrip()}\n"))

    return found


def first_sentence(text: str) -> str:
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".") + "."
