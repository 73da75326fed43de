"""The one form in which every benchmark reports: a name, a value, and the most it may be.

A benchmark module has a function `figures` that measures, prints what is worth reading on the way,
and returns its figures. `report` makes a command of it: `python -m tests.bench.NAME` prints the
figures and ends with 1 where a goal is missed. `python -m tests.bench` runs all of them.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """`most` is the goal: smaller is better for every figure here. None: shown, not compared."""

    what: str
    value: float
    most: float | None = None
    unit: str = ""

    @property
    def is_met(self) -> bool:
        return self.most is None or self.value <= self.most

    def value_in_words(self) -> str:
        return in_words(self.value, self.unit)

    def goal_in_words(self) -> str:
        return "" if self.most is None else in_words(self.most, self.unit)


def in_words(value: float, unit: str) -> str:
    """Whole numbers as they are, others with as many digits as mean something."""
    if value == int(value):
        number = f"{int(value):,}"
    elif value >= 100:
        number = f"{value:,.0f}"
    elif value >= 10:
        number = f"{value:.1f}"
    else:
        number = f"{value:.2f}"

    return f"{number} {unit}".rstrip()


def lines_of(figures: Sequence[Figure]) -> list[str]:
    """One line per figure for a terminal."""
    lines = []
    for figure in figures:
        goal = figure.goal_in_words()
        words = f"{figure.what:<76} {figure.value_in_words():>10}"

        if goal:
            words += f"   goal: at most {goal:<8} {'met' if figure.is_met else 'MISSED'}"

        lines.append(words.rstrip())

    return lines


def report(measure: Callable[[], Sequence[Figure]], description: str | None) -> int:
    """The command of one benchmark: 0 where all goals are met, 1 where one is missed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--figures", type=Path, metavar="FILE", help="also write them as JSON")
    options = parser.parse_args()

    figures = measure()

    print()
    print(*lines_of(figures), sep="\n")

    if options.figures:
        rows = [asdict(figure) for figure in figures]
        options.figures.write_text(json.dumps(rows), encoding="utf-8")

    return 0 if all(figure.is_met for figure in figures) else 1


def read_figures(file: Path) -> list[Figure]:
    """What `--figures FILE` wrote; nothing where the benchmark did not get that far."""
    if not file.is_file():
        return []

    return [Figure(**row) for row in json.loads(file.read_text(encoding="utf-8"))]
