"""The block between two `---` lines at the top of a file: where it is, what it says, where each value stands."""

from collections.abc import Sequence

from core.model.document import Frontmatter, FrontmatterValue, Line
from core.rules.reading.findings import Findings, shown
from core.rules.reading.strict_yaml import MAXIMUM_VALUES, YamlProblem, read_yaml

MENDS = {
    "HB102": "Write each setting on a line of its own: `key: value`.",
    "HB103": "Keep one of the two lines.",
    "HB104": "Write the value itself where it is needed.",
    "HB105": "Keep the frontmatter small; longer text belongs below it.",
}


def read_frontmatter(lines: Sequence[Line], text: str, findings: Findings) -> Frontmatter:
    """The frontmatter of the file. Where one block cannot be read it is reported and the other blocks still count."""
    if not lines or lines[0].text.rstrip(" \t") != "---":
        return Frontmatter()
    closing = next((line for line in lines[1:] if line.text.rstrip(" \t") == "---"), None)
    if closing is None:
        if len(lines) > 1 and _looks_like_a_key(lines[1].text):
            findings.add("HB101", 1, 1, "The frontmatter is never closed.", "End it with a line `---`.")
        return Frontmatter()
    inner = lines[1 : closing.number - 1]
    try:
        values = _entries(inner, text)
        nothing_there = not text[lines[0].end : closing.start].strip()  # an empty `{}` is something
        one_key_a_line = nothing_there or any(entry.writable for entry in values.values())
        return Frontmatter(values, closing.number, one_key_a_line)
    except YamlProblem as problem:
        return Frontmatter(_salvage(inner, text, problem, findings), closing.number)


def _entries(lines: Sequence[Line], text: str) -> dict[str, FrontmatterValue]:
    if not lines:
        return {}
    first, start = lines[0].number, lines[0].start
    return {
        key: FrontmatterValue(
            entry.value, entry.line + first, entry.column + 1, entry.start + start, entry.end + start, entry.simple
        )
        for key, entry in read_yaml(text[start : lines[-1].end]).items()
    }


def _salvage(lines: Sequence[Line], text: str, whole: YamlProblem, findings: Findings) -> dict[str, FrontmatterValue]:
    """What can be read block by block where the whole cannot; each block that cannot is reported."""
    blocks = _blocks(lines)
    if whole.code == "HB105" or len(blocks) > MAXIMUM_VALUES:
        _report(whole, lines, findings)
        return {}
    before = len(findings.found)
    values: dict[str, FrontmatterValue] = {}
    for block in blocks:
        try:
            entries = _entries(block, text)
        except YamlProblem as problem:
            _report(problem, block, findings)
            continue
        for key, value in entries.items():
            if key in values:
                message = f"`{shown(key)}` stands twice in the frontmatter; the first holds."
                findings.add("HB103", value.line, value.column, message, MENDS["HB103"])
            values.setdefault(key, value)
    if len(findings.found) == before:  # each block alone is right, only together they are not
        _report(whole, lines, findings)
    return values


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """Each key with what is indented or listed below it."""
    blocks: list[list[Line]] = []
    for line in lines:
        if not blocks or line.text[:1] not in ("", " ", "-", "#"):
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _looks_like_a_key(text: str) -> bool:
    key, colon, rest = text.partition(":")
    return bool(colon) and key.replace("_", "").replace("-", "").isalnum() and (not rest or rest[0] in " \t")


def _report(problem: YamlProblem, lines: Sequence[Line], findings: Findings) -> None:
    message = f"The frontmatter cannot be read here: {shown(problem.message, 100)}."
    at = lines[min(problem.line, len(lines) - 1)]  # what is never closed is missed only after its last line
    findings.add(problem.code, at.number, min(problem.column, len(at.text)) + 1, message, MENDS[problem.code])
