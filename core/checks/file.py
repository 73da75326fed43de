"""`file:PATH`: the file exists, and everything that is asked of it is true."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, assert_never

from core.checks.measurable import CheckNames, MeasurableKind, Measuring, unmeasured
from core.model.check import (
    Check,
    Finding,
    Hint,
    Measurement,
    as_written,
    claims_nothing,
)
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass, replace
from core.rules.checking.terms import (
    first_word,
    leaves_the_workspace,
    not_a_term,
    outside_the_workspace,
    read_terms,
)
from core.rules.printable import one_line
from core.rules.timing.durations import duration_words, read_duration

if TYPE_CHECKING:
    from datetime import datetime

    from core.model.file_work import Seen, SeenFile

TERMS = ("fresh<DURATION", "size>N", 'contains "text"', "changed")


@light_dataclass(frozen=True, slots=True)
class FileCheck(Check):
    path: str
    fresh: timedelta | None = None  # changed less than this long ago
    larger_than: int | None = None  # bytes
    contains: tuple[str, ...] = ()
    changed: bool = False  # since before the task


def _read(hint: Hint) -> FileCheck | Problem:
    path, terms = first_word(hint.rest)
    if not path:
        return Problem("`file:` has no path.", "Write `file:report.md fresh<1d`.")
    if leaves_the_workspace(path):
        return outside_the_workspace(path)

    check = FileCheck(path)
    for term, value in read_terms(terms):
        extended = _with_term(check, term, value)
        if isinstance(extended, Problem):
            return extended

        check = extended

    return check


def _with_term(check: FileCheck, term: str, value: str) -> FileCheck | Problem:
    """The check with one more thing that is asked of the file."""
    match term:
        case "fresh<":
            duration = read_duration(value)
            return duration if isinstance(duration, Problem) else replace(check, fresh=duration)
        case "size>" if value.isascii() and value.isdigit() and len(value) < 16:
            return replace(check, larger_than=int(value))
        case "contains" if value:
            return replace(check, contains=(*check.contains, value))
        case "changed":
            return replace(check, changed=True)
        case _:
            return not_a_term(term, value, TERMS)


def _watched_file(check: FileCheck) -> str:
    return check.path if check.changed or check.fresh is not None else ""


def _measure(measuring: Measuring, check: FileCheck) -> Measurement:
    return file_finding(check, measuring.inspect(check.path), measuring.before, measuring.now())


class _Part(NamedTuple):
    """One thing that is asked of the file."""

    holds: bool | None  # None: what was seen does not decide it
    words: str
    asked: str = ""
    got: str = ""


def file_finding(check: FileCheck, seen: Seen, before: Seen | None, now: datetime) -> Measurement:
    """Everything that is asked must be true. One part that is false makes the check fail;
    otherwise one that cannot be decided makes it unmeasured."""
    from core.model.file_work import NoFile, SeenFile, UnseenFile

    match seen:
        case UnseenFile(reason):
            return unmeasured(reason)
        case NoFile():
            return Measurement(
                Finding.FAILS,
                "it does not exist",
                found=("not_there",),
                asked=one_line(check.path, 60),
                got="no such file",
            )
        case SeenFile():
            pass
        case _:
            assert_never(seen)

    parts = [_Part(True, f"{seen.size} bytes"), *_asked(check, seen, before, now)]
    words = ", ".join(part.words for part in parts)
    if any(part.holds is False for part in parts):
        false = [part for part in parts if part.holds is False]
        return Measurement(
            Finding.FAILS,
            words,
            found=_facts(seen, parts),
            asked=" and ".join(part.asked for part in false),
            got=", ".join(part.got for part in false),
        )
    if any(part.holds is None for part in parts):
        return unmeasured(words)

    return Measurement(Finding.PASSES, words)


def _facts(seen: SeenFile, parts: list[_Part]) -> tuple[str, ...]:
    """What was found, without the time of the last change: a file that is written again or grows
    older fails in the same way."""
    return (str(seen.size), *(str(part.holds) for part in parts))


def _asked(check: FileCheck, seen: SeenFile, before: Seen | None, now: datetime) -> list[_Part]:
    parts: list[_Part] = []
    if check.larger_than is not None:
        wanted = f"more than {check.larger_than}"
        parts.append(
            _Part(
                seen.size > check.larger_than,
                f"asked for {wanted}",
                f"{wanted} bytes",
                f"{seen.size} bytes",
            )
        )

    if check.fresh is not None:
        parts.append(_freshness(check.fresh, now - seen.modified))

    parts += [_contained(text, seen) for text in check.contains]
    if check.changed:
        parts.append(_changed(seen, before))

    return parts


def _freshness(wanted: timedelta, age: timedelta) -> _Part:
    age_words = duration_words(max(age, timedelta()))
    return _Part(
        age < wanted,
        f"changed {age_words} ago",
        f"new content in the last {duration_words(wanted)}",
        f"the same content for {age_words}",
    )


def _contained(text: str, seen: SeenFile) -> _Part:
    holds = None if seen.text is None else text in seen.text
    words = {True: "with", False: "without", None: "too large to look for"}[holds]

    quoted = f"“{one_line(text, 40)}”"
    return _Part(holds, f"{words} {quoted}", f"the text {quoted}", f"a text without {quoted}")


def _changed(seen: SeenFile, before: Seen | None) -> _Part:
    from core.model.file_work import NoFile, SeenFile, UnseenFile

    match before:
        case None | UnseenFile():
            return _Part(None, "not inspected before")
        case NoFile():
            return _Part(True, "made since")
        case SeenFile():
            changed = before.fingerprint != seen.fingerprint
            words = "changed since" if changed else "not changed since"
            return _Part(changed, words, "a change", "the same text as before")
        case _:
            assert_never(before)


FILE = MeasurableKind(
    value=FileCheck,
    prefixes=("file",),
    claims=claims_nothing,
    read=_read,
    title=as_written,
    needs_judge=False,
    execution=None,
    watched_file=_watched_file,
    names=lambda check: CheckNames(paths=(check.path,)),
    has_values=False,
    measure=_measure,
)
