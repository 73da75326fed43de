"""The frontmatter: the block between two `---` lines at the top of a file.

First where it is, what it says and where each value is written; then which keys HEARTBEAT.md may
have. A time zone or active hours that cannot be read hold everything back.
"""

from collections.abc import Callable, Sequence

from core.model.diagnostic import Problem, Unclear
from core.model.document import Frontmatter, FrontmatterValue, Line
from core.model.light_dataclass import light_dataclass
from core.rules.fingerprint import what_is_written
from core.rules.printable import shown
from core.rules.reading.findings import Findings, did_you_mean
from core.rules.reading.sections import FORMATS
from core.rules.reading.strict_yaml import MAXIMUM_VALUES, YamlProblem, read_yaml
from core.rules.spelling import nearest
from core.rules.timing.active import read_active
from core.rules.timing.zones import read_zone

HOLDING_CODE = "HB108"  # of a key that holds everything back
STATUSES = ("idle", "running", "error")

FIXES = {
    "HB102": "Write each setting on a line of its own: `key: value`.",
    "HB103": "Keep one of the two lines.",
    "HB104": "Write the value itself where it is needed.",
    "HB105": "Keep the frontmatter small; longer text belongs below it.",
}


# -- the block -------------------------------------------------------------------------------------


def read_frontmatter(lines: Sequence[Line], text: str, findings: Findings) -> Frontmatter:
    """Return the frontmatter of the file.

    A part that cannot be read is reported, and the other parts still count.
    """
    if not lines or lines[0].text.rstrip(" \t") != "---":
        return Frontmatter()

    closing = next((line for line in lines[1:] if line.text.rstrip(" \t") == "---"), None)
    if closing is None:
        if len(lines) > 1 and _looks_like_a_key(lines[1].text):
            message = "The frontmatter is never closed."
            findings.add("HB101", 1, 1, message, "End it with a line `---`.")

        return Frontmatter()

    inner = lines[1 : closing.number - 1]
    try:
        values = _read_values(inner, text)
    except YamlProblem as problem:
        return Frontmatter(_salvage(inner, text, problem, findings), closing.number)

    is_empty = not text[lines[0].end : closing.start].strip()  # an empty `{}` is something
    one_key_per_line = is_empty or any(entry.writable for entry in values.values())
    return Frontmatter(values, closing.number, one_key_per_line)


def _read_values(lines: Sequence[Line], text: str) -> dict[str, FrontmatterValue]:
    if not lines:
        return {}

    first = lines[0].number
    start = lines[0].start
    return {
        key: FrontmatterValue(
            entry.value,
            entry.line + first,
            entry.column + 1,
            entry.start + start,
            entry.end + start,
            entry.simple,
        )
        for key, entry in read_yaml(text[start : lines[-1].end]).items()
    }


def _salvage(
    lines: Sequence[Line], text: str, whole: YamlProblem, findings: Findings
) -> dict[str, FrontmatterValue]:
    """Return what can be read part by part where the whole cannot, and report the other parts."""
    parts = _split_parts(lines)
    if whole.code == "HB105" or len(parts) > MAXIMUM_VALUES:
        _report(whole, lines, findings)
        return {}

    count_before = len(findings.found)
    values: dict[str, FrontmatterValue] = {}
    for part in parts:
        try:
            part_values = _read_values(part, text)
        except YamlProblem as problem:
            _report(problem, part, findings)
            continue

        for key, value in part_values.items():
            if key in values:
                message = f"`{shown(key)}` appears twice in the frontmatter; the first one is used."
                findings.add("HB103", value.line, value.column, message, FIXES["HB103"])

            values.setdefault(key, value)

    if len(findings.found) == count_before:  # each part alone is right, only together they are not
        _report(whole, lines, findings)

    return values


def _split_parts(lines: Sequence[Line]) -> list[list[Line]]:
    """Return each key with the lines that are indented or listed below it."""
    parts: list[list[Line]] = []
    for line in lines:
        if not parts or line.text[:1] not in ("", " ", "-", "#"):
            parts.append([])

        parts[-1].append(line)

    return parts


def _looks_like_a_key(text: str) -> bool:
    key, colon, rest = text.partition(":")
    return (
        bool(colon)
        and key.replace("_", "").replace("-", "").isalnum()
        and (not rest or rest[0] in " \t")
    )


def _report(problem: YamlProblem, lines: Sequence[Line], findings: Findings) -> None:
    message = f"The frontmatter cannot be read here: {shown(problem.message, 100)}."
    # What is never closed is missed only after the last line.
    line = lines[min(problem.line, len(lines) - 1)]
    column = min(problem.column, len(line.text)) + 1
    findings.add(problem.code, line.number, column, message, FIXES[problem.code])


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
