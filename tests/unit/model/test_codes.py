"""The table of codes: every example shows its code, every code of the source is in the table and
is used."""

import re
from pathlib import Path

import pytest

from core.kinds import read_document
from core.model.codes import CODES
from core.model.diagnostic import Diagnostic, Severity
from core.rules.reading.prompts import read_prompt

ROOT = Path(__file__).parents[3]
WITHOUT_EXAMPLE = {
    "HB001",
    "HB002",
    "HB004",
    "HB005",
    "HB006",
    "HB007",
    "HB008",
    "HB404",
    "HB508",
    "HB801",
}  # no text can
CODE = re.compile(r"HB\d\d\d")


def diagnostics(code: str, text: str) -> tuple[Diagnostic, ...]:
    if code.startswith("HB5"):
        return read_prompt("example", text.encode()).diagnostics
    return read_document(text.encode()).diagnostics


@pytest.mark.parametrize("code", sorted(CODES.keys() - WITHOUT_EXAMPLE))
def test_the_example_of_a_code_gives_that_code(code: str) -> None:
    found = [one for one in diagnostics(code, CODES[code].example) if one.code == code]
    assert found
    for one in found:
        assert one.severity == CODES[code].severity
        assert one.message.endswith(".")
        assert one.hint


def test_only_codes_about_the_file_itself_or_the_moment_have_no_example() -> None:
    assert {code for code, row in CODES.items() if not row.example} == WITHOUT_EXAMPLE


def test_the_codes_of_the_source_are_those_of_the_table() -> None:
    files = [
        path
        for room in ("core", "tray_app")
        for path in (ROOT / room).rglob("*.py")
        if path.name != "codes.py"
    ]
    used = {code for path in files for code in CODE.findall(path.read_text(encoding="utf-8"))}
    assert used == CODES.keys()


@pytest.mark.parametrize("code", CODES)
def test_every_row_is_complete(code: str) -> None:
    row = CODES[code]
    assert CODE.fullmatch(code)
    assert isinstance(row.severity, Severity)
    assert row.title
    assert row.meaning.endswith(".")
    assert row.fix.endswith(".")


BROKEN = [
    *[(code, CODES[code].example) for code in sorted(CODES.keys() - WITHOUT_EXAMPLE)],
    (
        "HB316",
        "## Pending Actions\n### A\n- id: a\n- url: https://x.example\n- headers:\n  - words\n",
    ),
    ("HB403", "## Pending Actions\n### A\n- id: a\n- command: x\n- timeout: 0s\n"),
    ("HB507", "---\ntitle: A\ngate:\n---\nDo it.\n"),
    ("HB102", "---\nactive: [09:00\n---\n"),
]


@pytest.mark.parametrize(("code", "text"), BROKEN)
def test_what_does_not_run_because_of_a_finding_has_an_error(code: str, text: str) -> None:
    if code.startswith("HB5"):
        file = read_prompt("example", text.encode())
        blocked = file.prompt is None or bool(file.prompt.unclear)
    else:
        document = read_document(text.encode())
        unclear = [
            *[task.unclear for task in document.tasks],
            *[action.unclear for action in document.actions],
        ]
        blocked = any(unclear) or bool(document.held)
    assert not blocked or Severity.ERROR in [one.severity for one in diagnostics(code, text)]
