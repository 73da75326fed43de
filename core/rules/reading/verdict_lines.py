"""The line that `write_back = "verdicts"` keeps under a task, as it is written and recognized.

    - [ ] inbox | Answer mail | verify: email_count > 0
      - heartbeat: verified, 10 points (2026-11-18 14:30)

Law: it has no word of a person, a file or a model, and is ours only if every character of it fits
this form and it is right below a task. Any other line is the person's.
"""

from datetime import datetime

MARK = "- heartbeat: "
CONTRADICTION = "contradiction"  # a measurement proves the claim false
# By the verdict's value: reading a file does not import what only running needs.
VERDICT_WORDS = {
    "verified": "verified",
    "not_verified": "not verified",
    "unclear": "unclear",
}
_WORDS = frozenset((*VERDICT_WORDS.values(), CONTRADICTION))


def verdict_line(
    task_line: str, verdict: str, contradiction: bool, points: int, local: datetime
) -> str:
    """The line for below this one, indented as what belongs to it."""
    indent = task_line[: len(task_line) - len(task_line.lstrip(" \t"))]
    return f"{indent}  {verdict_words(verdict, contradiction, points, local)}"


def verdict_words(verdict: str, contradiction: bool, points: int, local: datetime) -> str:
    """The line without its indentation."""
    word = CONTRADICTION if contradiction else VERDICT_WORDS[verdict]
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
