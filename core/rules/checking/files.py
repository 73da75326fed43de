"""Whether a file is as a `file:` check asks. Pure: what was seen comes in."""

from datetime import datetime, timedelta

from core.model.check import FileCheck, Finding, Measurement
from core.model.seen_file import NoFile, Seen, SeenFile, UnseenFile
from core.rules.timing.durations import duration_words
from core.rules.writing.harmless import one_line

AHEAD = timedelta(minutes=5)  # clocks differ by so much; a time further ahead says nothing about freshness


def file_finding(check: FileCheck, seen: Seen, before: Seen | None, now: datetime) -> Measurement:
    """All that is asked must hold: one part that does not makes it fail, one that nobody can tell unmeasured."""
    match seen:
        case UnseenFile(reason):
            return Measurement(Finding.UNMEASURED, reason)
        case NoFile():
            return Measurement(Finding.FAILS, "it is not there")
    parts = [(True, f"{seen.size} bytes"), *_asked(check, seen, before, now)]
    words = ", ".join(words for _, words in parts)
    if any(holds is False for holds, _ in parts):
        return Measurement(Finding.FAILS, words)
    return Measurement(Finding.UNMEASURED if any(holds is None for holds, _ in parts) else Finding.PASSES, words)


def _asked(check: FileCheck, seen: SeenFile, before: Seen | None, now: datetime) -> list[tuple[bool | None, str]]:
    """Each part with whether it holds, None where nobody can tell, and what was found."""
    parts: list[tuple[bool | None, str]] = []
    if check.larger_than is not None:
        parts.append((seen.size > check.larger_than, f"asked for more than {check.larger_than}"))
    if check.fresh is not None:
        age = now - seen.modified
        if age < -AHEAD:
            parts.append((None, "changed in the future"))
        else:
            parts.append((age < check.fresh, f"changed {duration_words(max(age, timedelta()))} ago"))
    for text in check.contains:
        holds = None if seen.text is None else text in seen.text
        words = {True: "with", False: "without", None: "too large to look for"}[holds]
        parts.append((holds, f"{words} “{one_line(text, 40)}”"))
    if check.changed:
        parts.append(_changed(seen, before))
    return parts


def _changed(seen: SeenFile, before: Seen | None) -> tuple[bool | None, str]:
    match before:
        case None | UnseenFile():
            return None, "nobody looked at it before"
        case NoFile():
            return True, "made since"
        case SeenFile(fingerprint=mark):
            changed = mark != seen.fingerprint
            return changed, "changed since" if changed else "not changed since"
