"""Collects diagnostics while a file is read; the code's row in the table gives the severity."""

from collections.abc import Iterable

from core.model.codes import CODES
from core.model.diagnostic import Diagnostic


class Findings:
    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Diagnostic] = []

    def add(self, code: str, line: int, column: int, message: str, hint: str) -> None:
        self.found.append(Diagnostic(line, column, CODES[code].severity, code, message, hint, self.file))

    def sorted(self) -> tuple[Diagnostic, ...]:
        return tuple(sorted(self.found, key=lambda one: (one.line, one.column, one.code)))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; None where nothing is close."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word[:64].lower(), list(by_lower), n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint: the nearest known word, or the list of them."""
    names = list(known)
    close = nearest(word, names)
    return f"Did you mean `{close}`?" if close else f"Write one of: {', '.join(names)}."


def shown(text: str, longest: int = 60) -> str:
    """A piece of the file as it may stand in a message: one line, printable, not too long."""
    harmless = "".join(sign if sign.isprintable() else " " for sign in text[: longest + 1])
    return harmless[:longest] + "…" if len(harmless) > longest else harmless
