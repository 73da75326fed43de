"""How python-frontmatter takes a file of ours apart: by a handler that is strict and keeps every
place.

Law: of the library only `parse` is called, and always with this handler. The library imports YAML,
which takes longer than the rest of reading a file, so this module is imported only where it is
needed: for a prompt, and for a HEARTBEAT.md with more than simple lines in its frontmatter.
"""

from typing import NamedTuple, cast

import frontmatter
from frontmatter.default_handlers import BaseHandler

from core.model.document import Frontmatter, FrontmatterValue
from core.rules.reading.front_block import FENCE, FrontBlock


class FileParts(NamedTuple):
    front: Frontmatter
    body: str  # what is below the frontmatter, without the blank space around it


def read_parts(block: FrontBlock) -> FileParts:
    """Return the parts of the file, whatever is in it; nothing raises."""
    values, body = frontmatter.parse(block.text, handler=StrictHandler(block))
    read = cast("dict[str, FrontmatterValue]", values)  # as the handler's `load` returns them

    return FileParts(Frontmatter(read, block.last_line, block.writable), body)


class StrictHandler(BaseHandler):
    """Answers for the block of the one file that it is made for.

    The library trims the text and makes LF of CRLF before it asks a handler. Then lines and
    positions would not be those of the file, and a `---` after blank lines would be at the top.
    So the handler answers for the file's own text, and not for the copy that it is given.
    """

    FM_BOUNDARY = FENCE

    def __init__(self, block: FrontBlock) -> None:
        super().__init__()
        self.block = block

    def detect(self, text: str) -> bool:
        return self.block.last_line > 0

    def split(self, text: str) -> tuple[str, str]:
        """Return the two parts. It never raises the ValueError by which a handler may say that
        there is no frontmatter: the body would then be the library's copy."""
        return self.block.split()

    def load(self, fm: str) -> dict[str, FrontmatterValue]:
        return self.block.load()
