"""Collects diagnostics while a file is read; the code's row in the table gives the severity."""

from collections.abc import Iterable

from core.model.codes import CODES
from core.model.diagnostic import Diagnostic
from core.rules.timing.mending import nearest

MOST_OF_ONE_CODE = 200  # listed one by one; who has more of the same slip mends them all at once
MOST_COMPARISONS = 5000  # of a misspelt word with a known one: they are slow, and a file may hold a million


class Findings:
    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Diagnostic] = []
        self._counts: dict[str, int] = {}
        self._left_out: dict[str, int] = {}  # code -> the first line that is not listed for it
        self._comparisons = 0

    def add(self, code: str, line: int, column: int, message: str, hint: str) -> None:
        count = self._counts[code] = self._counts.get(code, 0) + 1
        if count <= MOST_OF_ONE_CODE:
            self.found.append(Diagnostic(line, column, CODES[code].severity, code, message, hint, self.file))
        else:
            self._left_out[code] = min(line, self._left_out.get(code, line))

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All of them in file order; where one code has too many, the last of them says how many more there are."""
        more = [
            Diagnostic(line, 1, CODES[code].severity, code, self._more_of(code), CODES[code].mend, self.file)
            for code, line in self._left_out.items()
        ]
        return tuple(sorted(self.found + more, key=lambda one: (one.line, one.column, one.code)))

    def _more_of(self, code: str) -> str:
        number = self._counts[code] - MOST_OF_ONE_CODE
        return f"{CODES[code].title.capitalize()}: {number} more from here on, not listed one by one."

    def nearest(self, word: str, known: Iterable[str]) -> str | None:
        """The known word that was probably meant; None where nothing is close, or too much was compared already."""
        names = list(known)
        self._comparisons += len(names)
        return nearest(word, names) if names and self._comparisons <= MOST_COMPARISONS else None

    def did_you_mean(self, word: str, known: Iterable[str]) -> str:
        """A hint: the nearest known word, or the list of them."""
        names = list(known)
        return _hint(self.nearest(word, names), names)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint: the nearest known word, or the list of them."""
    names = list(known)
    return _hint(nearest(word, names), names)


def _hint(close: str | None, names: list[str]) -> str:
    return f"Did you mean `{close}`?" if close else f"Write one of: {', '.join(names)}."


def shown(text: str, longest: int = 60) -> str:
    """A piece of the file as it may stand in a message: one line, printable, not too long."""
    if len(text) <= longest and text.isprintable():
        return text
    harmless = "".join(sign if sign.isprintable() else " " for sign in text[: longest + 1])
    return harmless[:longest] + "…" if len(harmless) > longest else harmless
