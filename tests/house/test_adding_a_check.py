"""A new kind of check is one record and one line in one table. These tests add one, and it is
read, approved, shown and measured."""

from dataclasses import fields
from datetime import timedelta

import pytest

from core import checks
from core.checks.measurable import (
    CheckNames,
    MeasurableKind,
    Measuring,
    finding_of,
    watches_nothing,
)
from core.kinds import executables_of, read_check, read_document
from core.model.check import (
    Check,
    CheckTable,
    Execution,
    Hint,
    Measurement,
    as_written,
    claims_nothing,
)
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Verdict
from core.rules.approving.approval import review
from core.rules.approving.page import lines_of, page_of
from tests.stage import Stage
from tray_app.cli.line_readings import line_readings

TEXT = "## Tasks\n- [ ] mail | Fetch | run: fetch | verify: sqlite:mail.db select count(*)\n"


@light_dataclass(frozen=True, slots=True)
class SqliteCheck(Check):
    file: str
    query: str


def read(hint: Hint) -> SqliteCheck | Problem:
    file, _, query = hint.rest.partition(" ")
    return SqliteCheck(file, query) if query else Problem("It asks nothing.", "Write a query.")


def command(rest: str) -> str:
    return f"sqlite3 {rest}"


def measure(measuring: Measuring, check: SqliteCheck) -> Measurement:
    ending = measuring.run(f"sqlite3 {check.file} '{check.query}'", timedelta(seconds=5))
    return Measurement(finding_of(ending.exit_code == 0), "it answered")


SQLITE = MeasurableKind(
    value=SqliteCheck,
    prefixes=("sqlite",),
    claims=claims_nothing,
    read=read,
    title=as_written,
    needs_judge=False,
    execution=Execution(command, ("asks that database",)),
    watched_file=watches_nothing,
    names=lambda check: CheckNames(paths=(check.file,)),
    has_values=False,
    measure=measure,
)


@pytest.fixture
def sqlite(monkeypatch: pytest.MonkeyPatch) -> MeasurableKind[SqliteCheck]:
    monkeypatch.setattr(checks, "CHECK_KINDS", CheckTable((SQLITE, *checks.CHECK_KINDS)))
    return SQLITE


def codes(text: str) -> list[str]:
    return [one.code for one in read_document(text.encode()).diagnostics]


def test_without_its_line_in_the_table_it_is_a_label() -> None:
    assert codes(TEXT) == ["HB208"]


@pytest.mark.usefixtures("sqlite")
def test_it_is_read() -> None:
    assert codes(TEXT) == []
    assert codes(TEXT.replace(" select count(*)", "")) == ["HB212"]
    (task,) = read_document(TEXT.encode()).tasks
    assert read_check(task, ()) == SqliteCheck("mail.db", "select count(*)")


@pytest.mark.usefixtures("sqlite")
def test_its_hint_needs_no_key() -> None:
    bare = TEXT.replace("verify: sqlite", "sqlite")
    (task,) = read_document(bare.encode()).tasks
    assert task.verify == "sqlite:mail.db select count(*)"


@pytest.mark.usefixtures("sqlite")
def test_a_person_approves_it_and_is_told_what_it_reaches() -> None:
    stage = Stage(TEXT)
    found = {one.key: one for one in executables_of(stage.workspace(), stage.settings)}
    assert list(found) == ["run:mail", "check:mail"]
    page = lines_of(page_of(review(found["check:mail"], {}, "/w", {}), stage.settings))
    assert "  • asks that database" in page


@pytest.mark.usefixtures("sqlite")
def test_the_check_page_says_how_the_task_is_checked() -> None:
    (row,) = [one for one in line_readings(read_document(TEXT.encode())) if one.label == "task"]
    assert "checked by sqlite:mail.db select count(*)" in row.details


@pytest.mark.usefixtures("sqlite")
def test_it_is_measured_in_a_beat() -> None:
    stage = Stage(TEXT)
    (item,) = stage.run().items
    assert item.verdict is Verdict.VERIFIED
    assert item.check == "sqlite:mail.db select count(*)  →  it answered  →  passes"
    assert stage.ran == ["fetch", "sqlite3 mail.db 'select count(*)'"]


def test_a_part_that_is_forgotten_is_named() -> None:
    for forgotten in fields(MeasurableKind):
        others = {one.name: None for one in fields(MeasurableKind) if one.name != forgotten.name}
        with pytest.raises(TypeError, match=forgotten.name):
            MeasurableKind(**others)  # type: ignore[arg-type]  # None for each: only the missing one counts


def test_the_last_kind_takes_every_hint() -> None:
    *_, last = checks.CHECK_KINDS
    assert last.claims(Hint("", "", (), False))
    assert not last.prefixes
