"""The table of verdicts in docs/spec.md, row by row: what follows from a claim, the
acts and the measurement."""

from dataclasses import replace

import pytest

from core.model.check import Finding, Measurement, Value
from core.model.document import Task
from core.model.evidence import Act, Claim, Evidence, Judgement, Said
from core.model.occurrence import Verdict
from core.model.progress import TaskProgress, TaskStatus
from core.rules.checking.verdicts import rule, trusted

REQUIRED = Task("mail", "Read the mail", True, "mails > 0", 3, False, None, None, 1)
OPTIONAL = replace(REQUIRED, required=False)
BY_COMMAND = replace(REQUIRED, run="fetch")
BEFORE = TaskProgress("mail", TaskStatus.PENDING, 1)
PASSES = Measurement(Finding.PASSES, "", {"mails": 3})
FAILS = Measurement(Finding.FAILS, "", {"mails": 0})
UNMEASURED = Measurement(Finding.UNMEASURED, "")
ANY = (PASSES, FAILS, UNMEASURED)
DONE, FAILED, SKIPPED = Claim(Said.DONE), Claim(Said.FAILED), Claim(Said.SKIPPED)
NOTHING, CUT_OFF = Claim(Said.NOTHING), Claim(Said.CUT_OFF)
WORK = (Act("run_command"),)
LOOK = (Act("read_file", could_do_it=False),)

Row = tuple[Verdict | None, bool, int, TaskStatus, int]


def row(
    task: Task,
    claim: Claim,
    acts: tuple[Act, ...],
    measured: Measurement,
    judgement: Judgement | None = None,
    before: TaskProgress = BEFORE,
) -> Row:
    found = rule(task, before, claim, acts, measured, judgement)
    return found.verdict, found.contradiction, found.points, found.status, found.attempts


def test_passes_and_done_is_verified_and_earns_its_points() -> None:
    assert row(REQUIRED, DONE, WORK, PASSES) == (
        Verdict.VERIFIED,
        False,
        10,
        TaskStatus.VERIFIED,
        0,
    )
    assert row(OPTIONAL, DONE, WORK, PASSES) == (Verdict.VERIFIED, False, 5, TaskStatus.VERIFIED, 0)
    assert row(BY_COMMAND, DONE, WORK, PASSES) == (
        Verdict.VERIFIED,
        False,
        10,
        TaskStatus.VERIFIED,
        0,
    )


@pytest.mark.parametrize("acts", [(), LOOK])
def test_a_check_that_was_already_true_is_verified_without_points(acts: tuple[Act, ...]) -> None:
    assert row(REQUIRED, DONE, acts, PASSES) == (Verdict.VERIFIED, False, 0, TaskStatus.VERIFIED, 0)
    assert rule(REQUIRED, BEFORE, DONE, acts, PASSES).possible == 0


def test_fails_and_done_is_not_verified() -> None:
    assert row(REQUIRED, DONE, WORK, FAILS) == (
        Verdict.NOT_VERIFIED,
        False,
        -15,
        TaskStatus.FAILED,
        2,
    )
    assert row(OPTIONAL, DONE, WORK, FAILS) == (
        Verdict.NOT_VERIFIED,
        False,
        -15,
        TaskStatus.FAILED,
        2,
    )


@pytest.mark.parametrize(
    ("facts", "contradiction"),
    [
        ({"mails": 3}, True),
        ({"mails": 0}, False),
        ({"other": 9}, False),
        ({"mails": "a few"}, False),
        ({}, False),
    ],
)
def test_a_claimed_fact_that_differs_from_the_measured_one_is_a_contradiction(
    facts: dict[str, Value], contradiction: bool
) -> None:
    found = row(REQUIRED, Claim(Said.DONE, "", facts), WORK, FAILS)
    assert found == (
        Verdict.NOT_VERIFIED,
        contradiction,
        -45 if contradiction else -15,
        TaskStatus.FAILED,
        2,
    )


@pytest.mark.parametrize("acts", [(), LOOK])
def test_done_without_doing_anything_is_a_contradiction_where_the_check_fails(
    acts: tuple[Act, ...],
) -> None:
    assert row(REQUIRED, DONE, acts, FAILS) == (
        Verdict.NOT_VERIFIED,
        True,
        -45,
        TaskStatus.FAILED,
        2,
    )


def test_a_wrong_number_is_not_a_contradiction_if_the_check_passes() -> None:
    assert row(REQUIRED, Claim(Said.DONE, "", {"mails": 9}), WORK, PASSES)[:3] == (
        Verdict.VERIFIED,
        False,
        10,
    )


@pytest.mark.parametrize("measured", ANY)
def test_an_honest_failure_costs_an_attempt_and_no_points(measured: Measurement) -> None:
    for task in (REQUIRED, OPTIONAL, BY_COMMAND):
        assert row(task, FAILED, (), measured) == (None, False, 0, TaskStatus.FAILED, 2)


@pytest.mark.parametrize("measured", ANY)
@pytest.mark.parametrize("claim", [SKIPPED, NOTHING])
def test_an_optional_task_may_be_skipped(measured: Measurement, claim: Claim) -> None:
    assert row(OPTIONAL, claim, WORK, measured) == (None, False, 0, TaskStatus.SKIPPED, 1)


@pytest.mark.parametrize("measured", ANY)
@pytest.mark.parametrize("claim", [SKIPPED, NOTHING])
def test_a_required_task_may_not_be_skipped(measured: Measurement, claim: Claim) -> None:
    assert row(REQUIRED, claim, WORK, measured) == (
        Verdict.NOT_VERIFIED,
        False,
        -15,
        TaskStatus.FAILED,
        2,
    )


@pytest.mark.parametrize("measured", ANY)
def test_what_was_cut_off_stays_as_it_was(measured: Measurement) -> None:
    for task in (REQUIRED, OPTIONAL):
        assert row(task, CUT_OFF, (), measured) == (None, False, 0, TaskStatus.PENDING, 1)


def test_without_a_judge_what_cannot_be_measured_is_unclear() -> None:
    assert row(REQUIRED, DONE, WORK, UNMEASURED) == (
        Verdict.UNCLEAR,
        False,
        -2,
        TaskStatus.PENDING,
        2,
    )
    last = TaskProgress("mail", TaskStatus.PENDING, 2)
    assert row(REQUIRED, DONE, WORK, UNMEASURED, before=last) == (
        Verdict.UNCLEAR,
        False,
        -2,
        TaskStatus.FAILED,
        3,
    )


def test_the_judge_decides_what_cannot_be_measured() -> None:
    yes, no, lie = (
        Judgement(Verdict.VERIFIED),
        Judgement(Verdict.NOT_VERIFIED),
        Judgement(Verdict.NOT_VERIFIED, True),
    )
    unclear = Judgement(Verdict.UNCLEAR)
    assert row(REQUIRED, DONE, WORK, UNMEASURED, yes) == (
        Verdict.VERIFIED,
        False,
        10,
        TaskStatus.VERIFIED,
        0,
    )
    assert row(REQUIRED, DONE, WORK, UNMEASURED, no) == (
        Verdict.NOT_VERIFIED,
        False,
        -15,
        TaskStatus.FAILED,
        2,
    )
    assert row(REQUIRED, DONE, WORK, UNMEASURED, lie) == (
        Verdict.NOT_VERIFIED,
        True,
        -45,
        TaskStatus.FAILED,
        2,
    )
    assert row(REQUIRED, DONE, WORK, UNMEASURED, unclear) == (
        Verdict.UNCLEAR,
        False,
        -2,
        TaskStatus.PENDING,
        2,
    )


def test_the_judge_has_no_say_about_what_was_measured() -> None:
    assert row(REQUIRED, DONE, WORK, FAILS, Judgement(Verdict.VERIFIED))[0] is Verdict.NOT_VERIFIED
    assert row(REQUIRED, DONE, WORK, PASSES, Judgement(Verdict.NOT_VERIFIED))[0] is Verdict.VERIFIED


def test_a_command_is_never_a_liar() -> None:
    assert row(BY_COMMAND, Claim(Said.DONE, "", {"mails": 9}), WORK, FAILS)[:3] == (
        Verdict.NOT_VERIFIED,
        False,
        -15,
    )
    assert row(BY_COMMAND, DONE, (), FAILS)[1] is False


def test_attempts_never_exceed_the_maximum() -> None:
    last = TaskProgress("mail", TaskStatus.FAILED, 3)
    assert row(REQUIRED, DONE, WORK, FAILS, before=last)[4] == 3


def test_a_quote_that_is_not_in_the_evidence_makes_a_judgement_unclear() -> None:
    evidence = Evidence(DONE, UNMEASURED, acts=(Act("send mail", "250 queued"),))
    sure = Judgement(Verdict.VERIFIED, quote="250 queued")
    assert trusted(sure, evidence) == sure
    assert trusted(replace(sure, quote="delivered"), evidence).verdict is Verdict.UNCLEAR
    assert trusted(replace(sure, quote=""), evidence).verdict is Verdict.UNCLEAR
