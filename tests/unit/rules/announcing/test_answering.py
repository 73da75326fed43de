"""A click is always answered."""

from datetime import timedelta

from core.model.item import ItemKind
from core.model.light_dataclass import replace
from core.model.occurrence import BeatReason, Outcome, Verdict
from core.model.report import BeatReport, ItemReport, Notice, NoticeKind
from core.rules.announcing.answering import answer_to_click
from tests.stage import at

FAILED = ItemReport(
    "backup", ItemKind.ACTION, Outcome.FAILED, "due", duration=timedelta(), error="exit code 3"
)
FINE = ItemReport(
    "mail", ItemKind.ACTION, Outcome.COMPLETED, "due", duration=timedelta(), result="OK"
)
NEEDS_MODEL = ItemReport("think", ItemKind.TASK, Outcome.NEEDS_MODEL, "needs a language model")
NEWS = Notice(NoticeKind.FAILURE, "backup failed", "exit code 3")


def answer(*items: ItemReport, notices: tuple[Notice, ...] = ()) -> tuple[str, str] | None:
    now = at("16 10:00")
    report = BeatReport(1, BeatReason.PERSON, now, now, items, None, notices)
    found = answer_to_click(report)
    return (found.title, found.message) if found else None


def test_nothing_to_do_is_an_answer() -> None:
    assert answer() == ("Nothing was due", "There was nothing to do.")


def test_what_went_well_is_an_answer() -> None:
    assert answer(FINE) == ("It went well", "mail: OK")


def test_a_failure_that_was_announced_long_ago_is_told_again() -> None:
    assert answer(FAILED, FINE) == ("1 of 2 went well", "backup: exit code 3")


def test_a_failure_that_this_beat_has_announced_is_not_told_twice() -> None:
    assert answer(FAILED, FINE, notices=(NEWS,)) is None
    assert answer(FAILED, NEEDS_MODEL, notices=(NEWS,)) is not None  # the other one was not


def test_what_cannot_run_says_why() -> None:
    assert answer(NEEDS_MODEL) == ("Nothing ran", "think: needs a language model")


TASK = replace(FINE, kind=ItemKind.TASK, result="3 new")


def test_what_nobody_knows_did_not_go_well() -> None:
    unclear = replace(TASK, verdict=Verdict.UNCLEAR, points=-2, ruling="there is no judge")
    assert answer(unclear, FINE) == (
        "1 of 2 went well, 1 unclear",
        "mail: unclear -2 · there is no judge · it said: “3 new”",
    )
    assert answer(TASK) == ("0 of 1 went well, 1 unchecked", "mail: it said: “3 new”")


def test_a_skip_is_fine_unless_its_check_fails() -> None:
    skip = replace(TASK, outcome=Outcome.SKIPPED, result="")
    assert answer(skip) == ("1 skipped", "mail: it was skipped")
    broken = replace(skip, check_fails=True, ruling="it found 0")
    assert answer(broken) == (
        "0 of 1 went well",
        "mail: skipped, but its check fails · it found 0",
    )
    assert answer(broken, notices=(NEWS,)) is None


def test_what_was_verified_is_told_with_what_was_measured() -> None:
    good = replace(TASK, verdict=Verdict.VERIFIED, points=10, check="mails > 0")
    assert answer(good) == ("It went well", "mail: verified +10 · mails > 0")
