"""What was asked for by name and did not run, and the exit code that says so."""

from datetime import timedelta

import pytest

from core.model.item import ItemKind
from core.model.occurrence import BeatReason, Outcome
from core.model.report import BeatReport, ItemReport
from core.model.waiting import Wait, WaitReason
from core.rules.reporting.unmet import unmet_of, way_to_run
from tests.stage import at
from tray_app.cli.run import exit_code

RAN = ItemReport("ran", ItemKind.ACTION, Outcome.COMPLETED, "due", duration=timedelta())


def item(outcome: Outcome, why: str | Wait = "a reason") -> ItemReport:
    return ItemReport("one", ItemKind.TASK, outcome, why)


def report(*items: ItemReport) -> BeatReport:
    now = at("16 10:00")
    return BeatReport(None, BeatReason.PERSON, now, now, items, None)


@pytest.mark.parametrize(
    "outcome",
    [Outcome.SKIPPED, Outcome.WAITING, Outcome.NEEDS_MODEL, Outcome.NEEDS_CLARIFICATION],
)
@pytest.mark.parametrize("name", ["one", "task:one"])
def test_what_was_named_and_did_not_run_is_exit_code_1(outcome: Outcome, name: str) -> None:
    assert unmet_of(report(item(outcome)), [name]) == (item(outcome),)
    assert exit_code(report(item(outcome)), [name]) == 1


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.WAITING, Outcome.NEEDS_MODEL])
def test_what_was_not_named_may_wait(outcome: Outcome) -> None:
    assert exit_code(report(item(outcome))) == 0
    assert exit_code(report(item(outcome), RAN), ["ran"]) == 0


def test_an_approval_alone_is_4_and_beside_something_else_1() -> None:
    unapproved = item(Outcome.NEEDS_APPROVAL)
    assert exit_code(report(unapproved), ["one"]) == 4
    assert exit_code(report(unapproved), []) == 4
    assert exit_code(report(unapproved, RAN), ["one", "ran"]) == 1
    assert exit_code(report(unapproved, RAN), []) == 0
    model = ItemReport("two", ItemKind.TASK, Outcome.NEEDS_MODEL, "no model")
    assert exit_code(report(unapproved, model), ["one", "two"]) == 1


def test_the_way_to_run_it_is_named() -> None:
    waits = item(Outcome.WAITING, Wait(WaitReason.DEPENDENCY_NEVER_RAN, ("first",)))
    assert way_to_run(waits) == "To run both: heartbeat run first one"
    assert way_to_run(item(Outcome.NEEDS_CLARIFICATION)) == "What to write instead: heartbeat check"
    busy = item(Outcome.WAITING, Wait(WaitReason.OTHER_BATCH))
    assert way_to_run(busy) == "Try again later: heartbeat run one"
    assert way_to_run(item(Outcome.SKIPPED)) == ""
