"""Findings name the nearest right word, and a file full of the same mistake stays readable."""

from core.kinds import read_document
from core.model.codes import CODES
from core.rules.reading.findings import MOST_OF_ONE_CODE, Findings, did_you_mean
from core.rules.spelling import nearest


def test_findings_come_in_file_order() -> None:
    findings = Findings()
    findings.add("HB208", 7, 1, "later", "fix")
    findings.add("HB201", 2, 9, "second", "fix")
    findings.add("HB203", 2, 1, "first", "fix")
    assert [(one.line, one.column) for one in findings.sorted()] == [(2, 1), (2, 9), (7, 1)]


def test_the_severity_is_the_one_of_the_table() -> None:
    findings = Findings("heartbeat/a.md")
    for code in CODES:
        findings.add(code, 1, 1, "message", "hint")
    assert {one.code: one.severity for one in findings.sorted()} == {
        code: row.severity for code, row in CODES.items()
    }
    assert {one.file for one in findings.sorted()} == {"heartbeat/a.md"}


def test_up_to_the_limit_every_finding_of_a_code_is_listed() -> None:
    found = read_document(b"## Tasks\n- [x] a\n" + b"- [?] odd\n" * MOST_OF_ONE_CODE).diagnostics
    assert [one.line for one in found] == list(range(3, MOST_OF_ONE_CODE + 3))


def test_past_the_limit_one_more_finding_says_how_many_there_are_and_from_where() -> None:
    found = read_document(
        b"## Tasks\n- [x] a\n" + b"- [?] odd\n" * (MOST_OF_ONE_CODE + 17)
    ).diagnostics
    assert len(found) == MOST_OF_ONE_CODE + 1
    assert found[-1].code == "HB219"
    assert "17 more" in found[-1].message
    assert found[-1].line == MOST_OF_ONE_CODE + 3
    assert found[-1].hint == CODES["HB219"].fix


def test_a_title_keeps_its_letters_as_the_beginning_of_a_sentence() -> None:
    findings = Findings()
    for line in range(MOST_OF_ONE_CODE + 2):
        findings.add("HB104", line, 1, "message", "hint")

    title = CODES["HB104"].title
    assert findings.sorted()[MOST_OF_ONE_CODE].message.startswith(title[0].upper() + title[1:])
    assert "YAML" in title


def test_one_code_with_too_many_leaves_every_other_code_as_it_is() -> None:
    text = (
        "## Tasks\n" + "- [?] odd\n" * 1000 + "- [ ] mail | Read | max_attempts: many | run: true\n"
    )
    assert [
        one.line for one in read_document(text.encode()).diagnostics if one.code == "HB206"
    ] == [1002]


def test_the_nearest_word_is_found_whatever_its_letter_case() -> None:
    assert nearest("comand", ["condition", "command"]) == "command"
    assert nearest("HIHG", ["CRITICAL", "HIGH"]) == "HIGH"
    assert nearest("entirely different", ["command"]) is None
    assert did_you_mean("comand", ["condition", "command"]) == "Did you mean `command`?"
    assert did_you_mean("zzz", ["read", "write"]) == "Write one of: read, write."


def test_a_file_with_thousands_of_misspelt_words_gets_no_more_suggestions_at_some_point() -> None:
    findings = Findings()
    assert findings.nearest("comand", ["command"]) == "command"
    assert findings.did_you_mean("comand", ["command"] * 1000) == "Did you mean `command`?"
    findings.nearest("x", ["command"] * 5000)
    assert findings.nearest("comand", ["command"]) is None
    assert findings.did_you_mean("comand", ["command", "url"]) == "Write one of: command, url."
