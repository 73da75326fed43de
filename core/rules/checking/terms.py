"""The terms after the path or the address of a check: `fresh<1d`, `contains "x"`. Pure."""

from collections.abc import Collection, Iterator

from core.model.diagnostic import Problem
from core.rules.printable import shown
from core.rules.reading.findings import did_you_mean

OPERATORS = "<>="
QUOTES = "\"'"


def first_word(text: str) -> tuple[str, str]:
    """A path or an address, in quotes where it holds spaces, and what follows it."""
    quote = text[:1] if text[:1] in ("'", '"') else ""
    word, _, rest = text[len(quote) :].partition(quote or " ")
    return word, rest


def read_terms(text: str) -> Iterator[tuple[str, str]]:
    """`fresh<1d`, `size > 0`, `contains "x"` as pairs: the name with its operator, and the
    value."""
    tokens = _tokens(text)
    while tokens:
        name = tokens.pop(0).lower()
        if tokens and tokens[0] in OPERATORS:
            name += tokens.pop(0)

        has_value = name[-1:] in OPERATORS or name == "contains"
        yield name, tokens.pop(0) if has_value and tokens else ""


def _tokens(text: str) -> list[str]:
    """Words, comparison operators, and quoted texts without their quotes."""
    tokens: list[str] = []
    word = ""
    quote = ""
    for character in [*text, " "]:
        if quote and character != quote:
            word += character
        elif quote:
            tokens.append(word)
            word = ""
            quote = ""
        elif character in QUOTES or character in OPERATORS or character in " \t":
            tokens += [word] if word else []
            tokens += [character] if character in OPERATORS else []
            word = ""
            quote = character if character in QUOTES else ""
        else:
            word += character

    return tokens


def not_a_term(term: str, value: str, known: Collection[str]) -> Problem:
    return Problem(
        f"`{shown(term + value)}` cannot be used here.", did_you_mean(term + value, known)
    )


def leaves_the_workspace(path: str) -> bool:
    """Whether a path leads out of the workspace, links aside."""
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True

    return path.startswith("~")


def outside_the_workspace(path: str) -> Problem:
    hint = f"Name a file of the workspace, or write `cmd:test -e {shown(path)}`."
    return Problem(f"`{shown(path)}` is outside the workspace, where checks cannot look.", hint)
