"""What waits for the person."""

from datetime import UTC, datetime

from core.model.announcements import Announced
from core.model.ledger import PlanNote
from core.model.status import Need
from core.model.trouble import TroubleKey, TroubleKind, read_trouble_key
from core.rules.announcing.needs import needs_attention, needs_of


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
    )
    assert found == (
        Need(known(TroubleKind.APPROVAL), "2 waiting for your approval"),
        Need(known("errors"), "1 error in HEARTBEAT.md"),
        Need(known("failure:task:b"), "title of failure:task:b"),
        Need(known("failure:task:a"), "title of failure:task:a"),
    )


def test_a_score_drop_is_news_and_nothing_that_waits() -> None:
    assert needs_of(None, announced(TroubleKind.SCORE_DROP)) == ()


def test_a_refused_file_is_listed_once() -> None:
    assert [need.trouble for need in needs_of(noted(errors=1), announced(TroubleKind.REFUSED))] == [
        TroubleKey(TroubleKind.REFUSED)
    ]


def test_having_no_model_needs_no_attention() -> None:
    assert not needs_attention(needs_of(None, announced(TroubleKind.MODEL)))
    assert needs_attention(needs_of(None, announced(TroubleKind.MODEL, "failure:task:a")))
    assert needs_attention(needs_of(noted(approvals_waiting=1), {}))
