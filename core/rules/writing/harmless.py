"""Foreign text made fit for one line: what a command or a page printed can never become a new line or a new item."""

import json

from core.rules.reading.strict_yaml import resolve

LONGEST = 200
_LEADING = ("#", ">", "- ", "* ", "+ ", "---", "***", "___", "===", "```", "~~~", "|", "[")


def one_line(text: str, longest: int = LONGEST) -> str:
    """The text as one printable line: no control, line-separator or direction character, no leading markup."""
    start = text[: longest * 20]  # only so much can show; the rest is not looked at
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in start).split())
    words = words.replace("<!--", "<\\!--").replace("-->", "--\\>")
    if words.startswith(_LEADING) or words in ("-", "*", "+"):
        words = "\\" + words
    return words[: longest - 1] + "…" if len(words) > longest else words


def plain_lines(text: str) -> str:
    """The text with its lines, and without any other control or direction character: a terminal obeys those."""
    return "\n".join("".join(sign if sign.isprintable() else " " for sign in line) for line in text.splitlines())


def yaml_value(value: str | int | None) -> str:
    """A frontmatter value as it is written: plain where that reads back as the same, else in quotes."""
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    words = one_line(value)
    plain = words.replace("-", "").replace(":", "").replace(".", "").replace("+", "").replace("_", "")
    if plain.isascii() and plain.isalnum() and words[0].isalnum() and words[-1] != ":" and resolve(words) == words:
        return words
    return json.dumps(words, ensure_ascii=False)
