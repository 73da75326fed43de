"""The frontmatter of HEARTBEAT.md: which keys it may have, and what each of them may say.

A time zone or active hours that cannot be read hold everything back.
"""

from collections.abc import Callable, Sequence

from core.model.diagnostic import Problem, Unclear
from core.model.document import Frontmatter, Line
from core.model.light_dataclass import light_dataclass
from core.rules.fingerprint import what_is_written
from core.rules.printable import shown
from core.rules.reading.findings import Findings, did_you_mean
from core.rules.reading.front_block import FrontBlock
from core.rules.reading.sections import FORMATS
from core.rules.spelling import nearest
from core.rules.timing.active import read_active
from core.rules.timing.zones import read_zone

HOLDING_CODE = "HB108"  # of a key that holds everything back
STATUSES = ("idle", "running", "error")


# -- the block -------------------------------------------------------------------------------------


def read_frontmatter(lines: Sequence[Line], text: str, findings: Findings) -> Frontmatter:
    """Return the frontmatter of the file.

    A part that cannot be read is reported, and the other parts still count.
    """
    block = FrontBlock(lines, text, findings)
    if block.needs_yaml():
        from core.rules.reading.strict_handler import read_parts

        return read_parts(block).front

    return Frontmatter(block.load(), block.last_line, block.writable)


# -- the keys of HEARTBEAT.md ----------------------------------------------------------------------


def check_keys(front: Frontmatter, lines: Sequence[Line], findings: Findings) -> Unclear | None:
    """Report what is wrong with the values; return why nothing may start by itself, or None."""
    held = _hidden_by_problems(front, lines) if findings.found else None
    for key, entry in front.values.items():
        problem = _problem_with(key, entry.value)
        if problem is None:
            continue

        findings.add(_code_for(key), entry.line, entry.column, problem.message, problem.hint)
        if _holds_back(key) and not held:
            held = Unclear(
                problem.message.rstrip("."), HOLDING_CODE, what_is_written(key, entry.value)
            )

    return held


def _code_for(key: str) -> str:
    if _holds_back(key):
        return HOLDING_CODE

    return "HB107" if key in KEYS else "HB106"


def _hidden_by_problems(front: Frontmatter, lines: Sequence[Line]) -> Unclear | None:
    """Return why nothing may start: unreadable frontmatter may contain the zone or the hours."""
    if not front.last_line:
        return Unclear("the frontmatter is never closed", HOLDING_CODE)

    written = "".join(line.text for line in lines[: front.last_line])
    for key in filter(_holds_back, KEYS):
        if key in written and key not in front.values:
            return Unclear(f"`{key}` in the frontmatter cannot be read", HOLDING_CODE, key)

    return None


def _problem_with(key: str, value: object) -> Problem | None:
    if known := KEYS.get(key):
        return known.problem_with(value)

    close = nearest(key, KEYS)
    fix = f"Did you mean `{close}`?" if close else "It stays as it is."
    return Problem(f"`{shown(key)}` is not a key that Heartbeat knows; it is not used.", fix)


def _holds_back(key: str) -> bool:
    return key in KEYS and KEYS[key].holds_back


# -- what each key may say -------------------------------------------------------------------------


@light_dataclass(frozen=True, slots=True)
class FrontmatterKey:
    problem_with: Callable[[object], Problem | None]  # with the value
    holds_back: bool  # nothing starts by itself while its value cannot be read
    model_may_change: bool  # nothing that runs depends on it


def _anything(_: object) -> None:
    """What only the program writes: a beat replaces it, and nothing depends on what it was."""
    return


def _version(value: object) -> Problem | None:
    if value == 1:
        return None

    return Problem(
        f"Version {shown(str(value))} is not known; it is read as version 1.", "Write `version: 1`."
    )


def _status(value: object) -> Problem | None:
    if value in STATUSES:
        return None

    return Problem(f"`{shown(str(value))}` is not a status.", did_you_mean(str(value), STATUSES))


def _error_count(value: object) -> Problem | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return None

    return Problem(f"`{shown(str(value))}` is not a number.", "Write `error_count: 0`.")


def _format(value: object) -> Problem | None:
    if value in FORMATS:
        return None

    return Problem(
        f"`{shown(str(value))}` is not a format; the headings decide.",
        did_you_mean(str(value), FORMATS),
    )


def _timezone(value: object) -> Problem | None:
    return _holding_problem(read_zone(str(value)))


def _active(value: object) -> Problem | None:
    return _holding_problem(read_active(str(value)))


def _holding_problem(found: object) -> Problem | None:
    if not isinstance(found, Problem):
        return None

    message = f"{found.message.rstrip('.')}; nothing starts until it can be read."
    return Problem(message, found.hint)


KEYS = {
    "version": FrontmatterKey(_version, holds_back=False, model_may_change=True),
    "last_wake": FrontmatterKey(_anything, holds_back=False, model_may_change=True),
    "next_wake": FrontmatterKey(_anything, holds_back=False, model_may_change=True),
    "status": FrontmatterKey(_status, holds_back=False, model_may_change=True),
    "error_count": FrontmatterKey(_error_count, holds_back=False, model_may_change=True),
    "last_error": FrontmatterKey(_anything, holds_back=False, model_may_change=True),
    "timezone": FrontmatterKey(_timezone, holds_back=True, model_may_change=False),
    "format": FrontmatterKey(_format, holds_back=False, model_may_change=False),
    "active": FrontmatterKey(_active, holds_back=True, model_may_change=False),
}
