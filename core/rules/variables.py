"""`{{name}}` in the values of actions. A command gets the value in a quoted environment variable,
so that it is never code."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

NAMES = (
    *("date", "time", "timestamp", "weekday"),
    *("last_error", "failure_count", "completed_count", "next_wake"),
)
SECRET = "secret:"  # noqa: S105 - the prefix of a variable's name
PREFIX = "HEARTBEAT_"


class Piece(NamedTuple):
    """A stretch of a value: plain text, or the name of a variable."""

    text: str
    is_variable: bool


def pieces(value: str) -> Iterator[Piece]:
    """The value, divided at its variables; `{{` without an end is text."""
    position = 0
    while (start := value.find("{{", position)) >= 0 and (end := value.find("}}", start)) >= 0:
        if start > position:
            yield Piece(value[position:start], False)

        yield Piece(value[start + 2 : end].strip(), True)
        position = end + 2

    if position < len(value):
        yield Piece(value[position:], False)


def names_in(value: str) -> list[str]:
    return [piece.text for piece in pieces(value) if piece.is_variable]


def unknown_names(value: str) -> list[str]:
    return [name for name in names_in(value) if name not in NAMES and not _is_secret(name)]


def secrets_in(value: str) -> list[str]:
    """The keyring names that the value asks for."""
    return [name[len(SECRET) :] for name in names_in(value) if _is_secret(name)]


def _is_secret(name: str) -> bool:
    bare = name.removeprefix(SECRET).replace("-", "").replace("_", "")
    return name.startswith(SECRET) and bare.isalnum()


def filled(value: str, look_up: Callable[[str], str]) -> str:
    """The value with every variable replaced; for values that no shell reads."""
    return "".join(
        look_up(piece.text) if piece.is_variable else piece.text for piece in pieces(value)
    )


def as_shell(line: str, look_up: Callable[[str], str]) -> tuple[str, dict[str, str]]:
    """The command line with environment variables, quoted as their place needs it, and the values
    of these."""
    environment: dict[str, str] = {}
    result: list[str] = []
    quote = ""

    for piece in pieces(line):
        if not piece.is_variable:
            quote = _quote_after(piece.text, quote)
            result.append(piece.text)
            continue

        name = PREFIX + "".join(one if one.isalnum() else "_" for one in piece.text).upper()
        value = look_up(piece.text)
        while environment.setdefault(name, value) != value:  # `secret:a-b` and `secret:a_b` are two
            name += "_"

        inside = "${" + name + "}"
        result.append({"": f'"{inside}"', '"': inside, "'": f"'\"{inside}\"'"}[quote])

    return "".join(result), environment


def _quote_after(text: str, quote: str) -> str:
    """Which quotation mark is open at the end of a piece of a command line."""
    escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character

    return quote
