"""What HEARTBEAT.md's frontmatter may say. A zone or active hours that cannot be read hold everything back."""

from collections.abc import Sequence

from core.model.diagnostic import Problem
from core.model.document import Frontmatter, Line
from core.rules.reading.findings import Findings, did_you_mean, shown
from core.rules.reading.sections import FORMATS
from core.rules.timing.active import read_active
from core.rules.timing.mending import nearest
from core.rules.timing.zones import read_zone

WRITTEN = ("last_wake", "next_wake", "status", "error_count", "last_error")
KEYS = ("version", *WRITTEN, "timezone", "format", "active")
HOLDING = ("timezone", "active")  # nothing starts by itself while one of these cannot be read
STATUSES = ("idle", "running", "error")


def check_header(front: Frontmatter, lines: Sequence[Line], findings: Findings) -> str:
    """Reports what is wrong; returns why nothing may start by itself, or nothing."""
    held = _hidden_by_problems(front, lines) if findings.found else ""
    for key, entry in front.values.items():
        message, mend, holds = _problem(key, entry.value)
        if message:
            code = "HB107" if key in KEYS else "HB106"
            findings.add("HB108" if holds else code, entry.line, entry.column, message, mend)
            held = held or (message.rstrip(".") if holds else "")
    return held


def _hidden_by_problems(front: Frontmatter, lines: Sequence[Line]) -> str:
    """Frontmatter that cannot be read may hold the zone or the hours; without them nobody knows when to start."""
    if not front.last_line:
        return "the frontmatter is never closed"
    written = "".join(line.text for line in lines[: front.last_line])
    hidden = [key for key in HOLDING if key in written and key not in front.values]
    return f"`{hidden[0]}` in the frontmatter cannot be read" if hidden else ""


def _problem(key: str, value: object) -> tuple[str, str, bool]:
    """What is wrong with the value, what to write, and whether nothing may start until it is mended."""
    match key:
        case "version" if value != 1:
            return f"Version {shown(str(value))} is not known; it is read as version 1.", "Write `version: 1`.", False
        case "status" if value not in STATUSES:
            return f"`{shown(str(value))}` is not a status.", did_you_mean(str(value), STATUSES), False
        case "error_count" if not isinstance(value, int) or isinstance(value, bool):
            return f"`{shown(str(value))}` is not a number.", "Write `error_count: 0`.", False
        case "format" if value not in FORMATS:
            return (
                f"`{shown(str(value))}` is not a format; the headings decide.",
                did_you_mean(str(value), FORMATS),
                False,
            )
        case _ if key in HOLDING:
            read = read_zone(str(value)) if key == "timezone" else read_active(str(value))
            if isinstance(read, Problem):
                return f"{read.message.rstrip('.')}; nothing starts until it can be read.", read.hint, True
        case _ if key not in KEYS:
            close = nearest(key, KEYS)
            mend = f"Did you mean `{close}`?" if close else "It stays as it is."
            return f"`{shown(key)}` is not a key that Heartbeat knows; it is not used.", mend, False
    return "", "", False
