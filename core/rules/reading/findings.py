"""The diagnostics that are collected while a file is read.

The table of codes gives each one its severity. A file full of the same mistake stays readable and
fast: only the first of them are listed, and only so many words are compared with the known ones.
"""

from collections.abc import Iterable

from core.model.codes import CODES
from core.model.diagnostic import Diagnostic
from core.rules.spelling import LIKENESS, nearest

MOST_OF_ONE_CODE = 200  # listed one by one; anyone who has more of them fixes them all at once
# A comparison of a misspelt word with a known one is slow, and a file may have a million.
MOST_COMPARISONS = 5000


class Findings:
    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Diagnostic] = []
        self._counts: dict[str, int] = {}
        self._left_out: dict[str, int] = {}  # code -> the first line that is not listed for it
        self._comparisons = 0
        self.never_run: list[int] = []  # lines that look like something to do and never run

    def add_never_run(self, code: str, line: int, column: int, message: str, hint: str) -> None:
        """Add a finding about a line that looks like something to do and can never run."""
        self.never_run.append(line)
        self.add(code, line, column, message, hint)

    def add(self, code: str, line: int, column: int, message: str, hint: str) -> None:
        count = self._counts.get(code, 0) + 1
        self._counts[code] = count

        if count <= MOST_OF_ONE_CODE:
            self.found.append(self._diagnostic(code, line, column, message, hint))
        else:
            self._left_out[code] = min(line, self._left_out.get(code, line))

    def lists(self, code: str) -> bool:
        """Say whether the next one with this code is listed: for one whose words take time."""
        return self._counts.get(code, 0) < MOST_OF_ONE_CODE

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return all of them in file order.

        Where one code has too many, the last of them says how many more there are.
        """
        found = list(self.found)
        for code, line in self._left_out.items():
            row = CODES[code]
            number = self._counts[code] - MOST_OF_ONE_CODE
            title = row.title[0].upper() + row.title[1:]  # not `capitalize`: YAML stays YAML
            message = f"{title}: {number} more from here on, not listed one by one."
            found.append(self._diagnostic(code, line, 1, message, row.fix))

        return tuple(sorted(found, key=lambda one: (one.line, one.column, one.code)))

    def _diagnostic(self, code: str, line: int, column: int, message: str, hint: str) -> Diagnostic:
        return Diagnostic(line, column, CODES[code].severity, code, message, hint, self.file)

    def nearest(self, word: str, known: Iterable[str], likeness: float = LIKENESS) -> str | None:
        """Return the known word that was probably meant.

        None if nothing is close, or if too many words have been compared already.
        """
        names = list(known)
        self._comparisons += len(names)
        if not names or self._comparisons > MOST_COMPARISONS:
            return None

        return nearest(word, names, likeness)

    def did_you_mean(self, word: str, known: Iterable[str]) -> str:
        """Return a hint: the nearest known word, or the list of them."""
        names = list(known)
        return _hint(self.nearest(word, names), names)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint: the nearest known word, or the list of them."""
    names = list(known)
    return _hint(nearest(word, names), names)


def _hint(close: str | None, names: list[str]) -> str:
    return f"Did you mean `{close}`?" if close else f"Write one of: {', '.join(names)}."
