"""What waits for the person."""

from datetime import UTC, date, datetime, timedelta

from core.model.announcements import Announced
from core.model.ledger import PlanNote
from core.model.status import Need
from core.model.trouble import TroubleKey, TroubleKind, read_trouble_key
from core.rules.announcing.needs import needs_attention, needs_of

TODAY = date(2026, 11, 18)


def noted(*, approvals_waiting: int = 0, errors: int = 0) -> PlanNote:
    made = datetime(2026, 11, 16, tzinfo=UTC)
    return PlanNote(made, None, approvals_waiting=approvals_waiting, errors=errors)


def known(text: str) -> TroubleKey:
    key = read_trouble_key(text)
    assert key
    return key


def announced(*keys: str) -> dict[TroubleKey, Announced]:
    return {known(key): Announced(("words",), f"title of {key}") for key in keys}


def test_what_needs_the_person_is_what_the_plan_found_and_what_was_announced_newest_first() -> None:
    found = needs_of(
        noted(approvals_waiting=2, errors=1),
        announced("failure:task:a", TroubleKind.APPROVAL, "failure:task:b"),
        TODAY,
    )
    assert found == (
        Need(known(TroubleKind.APPROVAL), "2 waiting for your approval"),
        Need(known("errors"), "1 error in HEARTBEAT.md or a prompt"),
        Need(known("failure:task:b"), "title of failure:task:b"),
        Need(known("failure:task:a"), "title of failure:task:a"),
    )


def test_a_score_drop_is_news_and_nothing_that_waits() -> None:
    assert needs_of(None, announced(TroubleKind.SCORE_DROP), TODAY) == ()


def test_a_refused_file_is_listed_once() -> None:
    assert [
        need.trouble for need in needs_of(noted(errors=1), announced(TroubleKind.REFUSED), TODAY)
    ] == [TroubleKey(TroubleKind.REFUSED)]


def test_having_no_model_needs_no_attention() -> None:
    assert not needs_attention(needs_of(None, announced(TroubleKind.MODEL), TODAY))
    assert needs_attention(needs_of(None, announced(TroubleKind.MODEL, "failure:task:a"), TODAY))
    assert needs_attention(needs_of(noted(approvals_waiting=1), {}, TODAY))


def test_yesterdays_budget_needs_nobody_today() -> None:
    budget = {TroubleKey(TroubleKind.BUDGET): Announced((str(TODAY), "stop"), "used up")}
    assert len(needs_of(None, budget, TODAY)) == 1
    assert needs_of(None, budget, TODAY + timedelta(days=1)) == ()
