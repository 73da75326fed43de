"""The line that `write_back = "verdicts"` keeps under a task, as it is written and recognized.

    - [ ] inbox | Answer mail | verify: email_count > 0
      - heartbeat: verified, 10 points (2026-11-18 14:30)

Law: it has no word of a person, a file or a model, and is ours only if every character of it fits
this form and it is right below a task. Any other line is the person's.
"""

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.model.occurrence import Occurrence

MARK = "- heartbeat: "
CONTRADICTION = "contradiction"  # a measurement proves the claim false
CHECK_FAILS = "skipped although its check fails"
# By the verdict's value: reading a file does not import what only running needs.
VERDICT_WORDS = {
    "verified": "verified",
    "not_verified": "not verified",
    "unclear": "unclear",
}
# A run that did not end well and has no verdict, by its outcome.
FAILURE_WORDS = {"failed": "failed", "interrupted": "interrupted"}
_WORDS = frozenset((*VERDICT_WORDS.values(), *FAILURE_WORDS.values(), CONTRADICTION, CHECK_FAILS))


def word_of(run: "Occurrence") -> str | None:
    """The word that the line has after this run of a task; None if the line stays as it is: nothing
    was found out."""
    if run.contradiction:
        return CONTRADICTION
    if run.verdict:
        return VERDICT_WORDS[run.verdict]
    if run.check_fails:
        return CHECK_FAILS

    return FAILURE_WORDS.get(run.outcome or "")


def verdict_line(task_line: str, word: str, points: int, local: datetime) -> str:
    """The line for below this one, indented as what belongs to it."""
    indent = task_line[: len(task_line) - len(task_line.lstrip(" \t"))]
    return f"{indent}  {verdict_words(word, points, local)}"


def verdict_words(word: str, points: int, local: datetime) -> str:
    """The line without its indentation."""
    many = "point" if abs(points) == 1 else "points"
    return f"{MARK}{word}, {points} {many} ({_written(local)})"


def is_verdict_line(text: str) -> bool:
    """Whether the program writes such a line."""
    bare = text.lstrip(" \t")
    if not text.startswith((" ", "\t")) or not bare.startswith(MARK):
        return False

    word, comma, rest = bare[len(MARK) :].partition(", ")
    points, bracket, instant = rest.partition(" (")
    number, _, unit = points.partition(" ")
    return (
        bool(comma and bracket)
        and word in _WORDS
        and _is_number(number)
        and unit in ("point", "points")
        and instant.endswith(")")
        and _is_instant(instant[:-1])
    )


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 7


def _is_instant(text: str) -> bool:
    try:
        return _written(datetime.fromisoformat(text)) == text
    except ValueError:
        return False


def _written(local: datetime) -> str:
    return local.replace(tzinfo=None).isoformat(" ", "minutes")
