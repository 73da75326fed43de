"""When what was approved runs."""

from datetime import datetime

from core.model.approval import Executable, ExecutableKind, Reviewed, ReviewState
from core.model.item import ItemKind
from core.model.occurrence import Outcome
from core.model.plan import Decision, Held, Plan, Planned
from core.model.waiting import Wait, WaitReason
from core.rules.approving.coming import Starting, coming_lines, items_of, worth_offering
from tests.stage import at

NOW = at("16 10:00")
BY_ITSELF = Starting(is_watched=True)
UNWATCHED = Starting(is_watched=False)


def approved(*names: str) -> list[Reviewed]:
    return [
        Reviewed(
            Executable(
                f"action:{name}",
                ExecutableKind.ACTION,
                name,
                "HEARTBEAT.md",
                1,
                (),
                (),
                (),
                needed_by=(f"action:{name}",),
            ),
            (),
            "",
            ReviewState.NEW,
            None,
        )
        for name in names
    ]


def plan(*items: Planned) -> Plan:
    return Plan(NOW, items, None)


def item(
    name: str, decision: Decision, because: str | Held = "", following: datetime | None = None
) -> Planned:
    return Planned(name, ItemKind.ACTION, decision, because, next=following)


def said(starting: Starting, *items: Planned) -> list[str]:
    names = [one.id for one in items]
    return list(
        coming_lines(approved(*names), plan(*items), starting, lambda when, _: f"{when:%H:%M}")
    )


def test_what_is_due_starts_at_once_where_the_workspace_is_watched() -> None:
    one = item("one", Decision.RUN)
    assert said(BY_ITSELF, one) == ["one: it starts now."]
    assert worth_offering([one], BY_ITSELF) == ()


def test_what_is_due_waits_for_the_person_where_nothing_watches() -> None:
    one = item("one", Decision.RUN)
    assert said(UNWATCHED, one) == [
        "one: it is due.",
        "Nothing watches this workspace. To run what is due: heartbeat run",
    ]
    assert worth_offering([one], UNWATCHED) == (one,)


def test_a_pause_is_said() -> None:
    paused = Starting(is_watched=True, held_back="paused until 14:30")
    one = item("one", Decision.RUN)
    assert said(paused, one)[1].startswith("Heartbeat is paused until 14:30.")
    assert worth_offering([one], paused) == (one,)


def test_what_has_a_slot_says_when() -> None:
    one = item("one", Decision.WAIT, "not due", at("16 14:30"))
    assert said(BY_ITSELF, one) == ["one: it runs at 14:30."]
    dated = coming_lines(approved("one"), plan(one), BY_ITSELF, lambda *_: "Thu 19 Nov 14:30")
    assert list(dated) == ["one: it runs on Thu 19 Nov 14:30."]
    assert worth_offering([one], BY_ITSELF) == (one,)


def test_what_still_cannot_run_says_why_and_is_not_offered() -> None:
    held = Held(Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("none is set up.",)))
    blocked = item("one", Decision.BLOCKED, held)
    skipped = item("two", Decision.SKIP, "it is ticked")
    assert said(BY_ITSELF, blocked, skipped) == [
        "one: it does not run yet: needs a language model: none is set up.",
        "two: it does not run by itself: it is ticked.",
    ]
    assert worth_offering([blocked, skipped], UNWATCHED) == ()


def test_only_what_needs_the_approval_is_named() -> None:
    assert items_of(approved("two"), plan(item("one", Decision.RUN))) == ()
