"""What `heartbeat check` prints: every line that means something with its reading, every finding
once, the sum."""

from pathlib import Path

import click
import pytest
from hypothesis import given, settings

from core.kinds import read_document
from core.model.document import Document
from core.model.workspace import Workspace
from core.rules.reading.prompts import read_prompt
from tests.property.documents import FILES
from tray_app.cli.check import MOST_ROWS, cut, finding, page, wrapped
from tray_app.cli.line_readings import line_readings


def workspace_of(document: Document) -> Workspace:
    return Workspace(Path("/w"), Path("/w/HEARTBEAT.md"), document, (), document.diagnostics)


def printed(text: str, width: int = 100) -> list[str]:
    return [click.unstyle(line) for line in page(workspace_of(read_document(text.encode())), width)]


MIXED = """---
version: 1
status: idle
---
# Heartbeat

Words for the model.

## Tasks
- [ ] mail | Read the mail | optional | schedule: weekdays:09:00 | verify: cmd:true | max_attempts: 1
- [x] done | Was done
- [ ] page | Write a page | run: make page
- [ ] talk | Talk to Anna

## Probes
- count: ls | wc -l

## Pending Actions
### [HIGH] Build
- **id**: build
- **command**: make
- **schedule**: every:5m
- **retry**: 3
- **depends_on**: fetch
- **condition**: any_failed

### Fetch
- **id**: fetch
- **url**: https://example.org

## Completed Today
- [x] build: OK (10:00:00)

## Proactive Review
Look around.
"""


def test_each_line_that_means_something_is_shown_with_what_it_was_read_as() -> None:
    labels = [
        (row.first, row.last, row.label) for row in line_readings(read_document(MIXED.encode()))
    ]
    assert labels == [
        (1, 4, "frontmatter"),
        (5, 5, "heading"),
        (7, 7, "context"),
        (9, 9, "heading"),
        (10, 10, "task"),
        (11, 11, "task, done"),
        (12, 12, "task"),
        (13, 13, "task"),
        (15, 15, "heading"),
        (16, 16, "probe"),
        (18, 18, "heading"),
        (19, 25, "action"),
        (27, 29, "action"),
        (31, 31, "heading"),
        (32, 32, "done today"),
        (34, 34, "heading"),
        (35, 35, "review"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "mail: Read the mail",
        "optional · every weekday at 09:00 · done by the model · checked by cmd:true · one attempt",
        "ticked: it does not run",
        "done by `make page`",
        "checked by its exit code",
        "a judge decides “task_completed”",
        "count: ls | wc -l",
        "build: Build",
        "runs `make`",
        "every 5 minutes",
        "after fetch",
        "if any_failed",
        "up to 3 attempts",
        "MEDIUM · GET https://example.org · once · PENDING",
        "version 1 · status idle",
        "4 tasks, 2 actions, 1 probe, 1 review; 1 note",
    ],
)
def test_the_reading_is_in_words(words: str) -> None:
    assert words in " ".join(" ".join(printed(MIXED, width=300)).split())


def test_a_finding_is_printed_under_its_line_with_its_fix() -> None:
    lines = printed(
        "## Tasks\n- [ ] mail | Read | max_attempts: many | run: true\n- [ ] b | c | run: true\n"
    )
    found = next(index for index, line in enumerate(lines) if "HB206" in line)
    assert "mail: Read" in lines[found - 3] or "mail: Read" in lines[found - 2]
    assert "2:21" in lines[found]
    assert "→ Write a whole number" in lines[found + 1]
    assert "b: c" in lines[found + 2]


def test_findings_about_the_whole_file_come_first() -> None:
    lines = [click.unstyle(line) for line in page(workspace_of(read_document(b"\xff")), 100)]
    assert lines[0] == "/w/HEARTBEAT.md"
    assert "HB002" in lines[2]
    assert lines[-1] == "nothing is read from this file; 1 error"


@settings(max_examples=300, deadline=None)
@given(FILES)
def test_every_finding_is_shown_exactly_once_whatever_line_it_is_on(data: bytes) -> None:
    document = read_document(data)
    lines = [click.unstyle(line) for line in page(workspace_of(document), 200)]
    for found in document.diagnostics:
        start = click.unstyle(finding(found, 200)[0])
        same = [one for one in document.diagnostics if click.unstyle(finding(one, 200)[0]) == start]
        assert lines.count(start) == len(same)


@settings(max_examples=300, deadline=None)
@given(FILES)
def test_every_line_of_the_page_is_printable_and_the_line_numbers_ascend(data: bytes) -> None:
    lines = [click.unstyle(line) for line in page(workspace_of(read_document(data)), 80)]
    assert all(line.isprintable() for line in lines)
    numbers = [
        int(line[:7].split("-")[0]) for line in lines if line[:7].strip().replace("-", "").isdigit()
    ]
    assert numbers == sorted(numbers)


def test_a_page_of_very_many_rows_ends_and_says_so_but_no_finding_is_lost() -> None:
    text = (
        "## Tasks\n"
        + "".join(f"- [ ] t{n} | x | run: true\n" for n in range(MOST_ROWS + 50))
        + "- [?] odd box\n"
    )
    lines = printed(text)
    assert any("only findings are shown" in line for line in lines)
    assert sum("HB219" in line for line in lines) == 1
    assert sum(": x" in line for line in lines) == MOST_ROWS - 1
    assert f"{MOST_ROWS + 50} tasks" in lines[-1]


def test_what_does_not_run_says_why() -> None:
    lines = printed("## Pending Actions\n### A\n- **id**: a\n- **type**: shel\n")
    assert any("DOES NOT RUN: `shel` is not a type of action" in line for line in lines)


def test_prompt_files_come_below_with_their_findings() -> None:
    good = read_prompt(
        "good", b"---\ntitle: Good one\ngate:\n  command: test -e x\nschedule: hourly\n---\nDo.\n"
    )
    bad = read_prompt("bad", b"Do.\n")
    assert good.prompt
    empty = read_document(b"")
    workspace = Workspace(
        Path("/w"),
        Path("/w/HEARTBEAT.md"),
        empty,
        (good.prompt,),
        (*good.diagnostics, *bad.diagnostics),
    )
    lines = [click.unstyle(line) for line in page(workspace, 100)]
    assert lines.index("heartbeat/bad.md") < lines.index("heartbeat/good.md")
    assert any("good: Good one" in line for line in lines)
    assert any("only if `test -e x` succeeds" in line for line in lines)
    assert sum("HB501" in line for line in lines) == 1
    assert lines[-1] == "1 prompt; 1 error"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("", "nothing to do; no problems"),
        ("Words.\n", "plain text for the model; no problems"),
        ("## Tasks\n", "nothing to do; no problems"),
        ("- [ ] a\n", "nothing to do; 1 warning"),
    ],
)
def test_the_sum_says_what_was_found(text: str, end: str) -> None:
    assert printed(text)[-1] == end


def test_long_and_hostile_text_is_cut_to_one_harmless_line() -> None:
    assert cut("a" * 50, 10) == "a" * 9 + "…"
    assert cut("a\x1b[31m\u202eb\nc", 20) == "a·[31m·b·c"
    assert cut("short", 10) == "short"


def test_wrapped_lines_keep_their_indentation_and_lose_no_word() -> None:
    lines = wrapped("one two three four five six seven eight nine ten", 4, 34)
    assert all(line.startswith("    ") and len(line) <= 34 for line in lines)
    assert " ".join(" ".join(lines).split()) == "one two three four five six seven eight nine ten"
    assert wrapped("", 4, 34) == []
