"""The block between two `---` lines at the top of a file: where it is, what it says, where each value stands."""

from collections.abc import Sequence

from core.model.document import Frontmatter, FrontmatterValue, Line
from core.rules.reading.findings import Findings, shown
from core.rules.reading.strict_yaml import YamlProblem, read_yaml

MENDS = {
    "HB102": "Write each setting on a line of its own: `key: value`.",
    "HB103": "Keep one of the two lines.",
    "HB104": "Write the value itself where it is needed.",
    "HB105": "Keep the frontmatter small; longer text belongs below it.",
}


def read_frontmatter(lines: Sequence[Line], text: str, findings: Findings) -> Frontmatter:
    """The frontmatter of the file. Where one line cannot be read it is reported and the other lines still count."""
    if not lines or lines[0].text.rstrip(" \t") != "---":
        return Frontmatter()
    closing = next((line for line in lines[1:] if line.text.rstrip(" \t") == "---"), None)
    if closing is None:
        if len(lines) > 1 and _looks_like_a_key(lines[1].text):
            findings.add("HB101", 1, 1, "The frontmatter is never closed.", "End it with a line `---`.")
        return Frontmatter()
    start = lines[0].end
    try:
        yaml_text = text[start : closing.start]
        values = _entries(yaml_text, 1, start)
        one_key_a_line = not yaml_text.strip() or any(entry.writable for entry in values.values())
        return Frontmatter(values, closing.number, one_key_a_line)
    except YamlProblem as problem:
        _report(problem, 2, findings)
        values = _salvage(lines[1 : closing.number - 1], problem.line)
    return Frontmatter(values, closing.number)


def _entries(yaml_text: str, first_line: int, offset: int) -> dict[str, FrontmatterValue]:
    return {
        key: FrontmatterValue(
            entry.value,
            entry.line + first_line + 1,
            entry.column + 1,
            entry.start + offset,
            entry.end + offset,
            entry.simple,
        )
        for key, entry in read_yaml(yaml_text).items()
    }


def _salvage(lines: Sequence[Line], bad: int) -> dict[str, FrontmatterValue]:
    """The readable `key: value` lines of a block that as a whole cannot be read; the first of two equal keys holds."""
    values: dict[str, FrontmatterValue] = {}
    for index, line in enumerate(lines):
        if index == bad or not _looks_like_a_key(line.text):
            continue
        try:
            entries = _entries(line.text, line.number - 1, line.start)
        except YamlProblem:
            continue
        for key, value in entries.items():
            values.setdefault(key, value)
    return values


def _looks_like_a_key(text: str) -> bool:
    key, colon, rest = text.partition(":")
    return bool(colon) and key.replace("_", "").replace("-", "").isalnum() and (not rest or rest[0] in " \t")


def _report(problem: YamlProblem, first_line: int, findings: Findings) -> None:
    message = f"The frontmatter cannot be read here: {shown(problem.message, 100)}."
    findings.add(problem.code, problem.line + first_line, problem.column + 1, message, MENDS[problem.code])
