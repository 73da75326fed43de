"""Makes text from outside safe to show. What a file, a command, a page or a model wrote cannot
reverse the writing direction, move a cursor or become a new line.

There are two rules. Text that is written into a file, recorded, or read by a model keeps every
character that Python calls printable: the variation selector of an emoji is part of the text. Where
a person decides whether something may run, nothing may hide, so `visible` shows those selectors
too, as code points.
"""

# What `str.isprintable` lets through although it shows nothing: fillers, joiners, variation
# selectors, blanks.
UNSEEN = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
LONGEST_SHOWN = 60
LONGEST_LINE = 200
_LEADING_MARKUP = ("#", ">", "- ", "* ", "+ ", "---", "***", "___", "===", "```", "~~~", "|", "[")


def is_visible(text: str) -> bool:
    """Whether every character can be seen, and changes nothing about how others are seen."""
    return text.isprintable() and UNSEEN.isdisjoint(text)


def printable(text: str, instead: str = " ", kept: str = "") -> str:
    """The text with another character in place of each one that is not printable."""
    if text.isprintable():
        return text

    return "".join(one if one in kept or one.isprintable() else instead for one in text)


def visible(text: str) -> str:
    """The text with every character that cannot be seen as its code point: nothing is lost."""
    if is_visible(text):
        return text

    return "".join(one if is_visible(one) else f"<U+{ord(one):04X}>" for one in text)


def without_markup(text: str) -> str:
    """The text as the notification services and panels of Linux take it, which read markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def for_terminal(text: str) -> str:
    """The text of a file, or its name, without what moves the cursor or colours the screen."""
    return printable(text, "·")


def shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    """A piece of a file as it may appear in a message: one line, printable, not too long."""
    piece = printable(text[: longest + 1])
    return piece[:longest] + "…" if len(piece) > longest else piece


def quoted(text: str) -> str:
    """The same, in backticks."""
    return f"`{shown(text)}`"


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """The text as one line that can be written into a person's file: no leading markup, so that
    it never becomes a new item."""
    start = text[: longest * 20]  # more than this cannot be shown, so the rest is not processed
    words = " ".join(printable(start).split())
    words = words.replace("<!--", "<\\!--").replace("-->", "--\\>")
    if words.startswith(_LEADING_MARKUP) or words in ("-", "*", "+"):
        words = "\\" + words

    return words[: longest - 1] + "…" if len(words) > longest else words


def as_sentence(words: str) -> str:
    """Words that were a part of something, as a sentence of their own."""
    if not words:
        return words

    end = "" if words[-1] in ".!?”" else "."
    return f"{words[0].upper()}{words[1:]}{end}"


def plain_lines(text: str) -> str:
    """The text with its line breaks, but no other control characters."""
    return "\n".join(printable(line) for line in text.splitlines())
