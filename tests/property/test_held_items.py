"""Whatever an item's history: what is held back says what it waits for, and a plan and a beat can
record it."""

from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from core.engine.plan import record_what_waits
from core.kinds import read_document
from core.model.item import ItemKind, item_key
from core.model.ledger import ItemPast
from core.model.occurrence import FAILURES, BeatReason, Outcome
from core.model.plan import BeatRequest, Decision, ModelHold, Plan
from core.model.settings import Settings
from core.model.waiting import Wait, WaitReason
from core.model.workspace import Workspace
from core.rules.planning.plan import make_plan
from core.rules.planning.plan_input import PlanInput, schedules_of
from tests.stage import BERLIN, ROOT, Stage, action, actions, at

NOW = at("16 18:10")  # ten minutes after the active hours, where there are any
IDS = ("a", "b", "c")
HEADERS = ("active: 09:00-18:00", "active: 09:00-18:30", "active: never")
RETRIES = (at("16 18:05"), at("16 18:14"), at("17 10:00"), None)
TASKS = "## Tasks\n\n- [ ] think | Think about it\n- [ ] tidy | Tidy up | run: tidy-up\n"

schedules = st.sampled_from(
    ["every:10m", "daily:18:05", "hourly", "daily:09:00", "startup", "at:noon", ""]
)
other_lines = st.lists(
    st.sampled_from(
        [
            "depends_on: a",
            "condition: 1 == 1",
            "condition: nonsense(",
            "priority: CRITICAL",
            "status: PENDING",
            "status: FAILED",
            "failed_at: 2026-11-16T16:59:00Z",
        ]
    ),
    unique_by=lambda line: line.split(":")[0],
    max_size=3,
)
retries = st.sampled_from([[], ["retry: 3"], ["retry: 3", "retry_delay: 15m"]])
moments = st.one_of(
    st.sampled_from([at("16 17:59"), NOW, at("16 18:14"), at("20 10:00")]),
    st.integers(-3 * 24 * 60, 24 * 60).map(lambda minutes: NOW + timedelta(minutes=minutes)),
)
waits = st.sampled_from(
    [
        Wait(WaitReason.STOPPED_BY, ("a",)),
        Wait(WaitReason.UNDECIDED, ("it is not a number",)),
        Wait(WaitReason.STILL_RUNNING),
        Wait(WaitReason.TIME_USED_UP),
    ]
)
keys = st.sampled_from(
    [*(item_key(ItemKind.ACTION, one) for one in IDS), "task:think", "task:tidy"]
)
requests = st.sampled_from(
    [
        BeatRequest(BeatReason.TIMER),
        BeatRequest(BeatReason.TIMER, resident_start=at("16 08:00")),
        BeatRequest(BeatReason.STARTUP, resident_start=NOW),
        BeatRequest(BeatReason.PERSON),
        BeatRequest(BeatReason.PERSON, ("b",)),
    ]
)


@st.composite
def workspaces(draw: st.DrawFn) -> Workspace:
    blocks = [
        action(
            name,
            *(f"schedule: {schedule}" for schedule in [draw(schedules)] if schedule),
            *draw(retries),
            *draw(other_lines),
        )
        for name in draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3))
    ]
    text = actions(*blocks, header=draw(st.sampled_from(HEADERS))) + TASKS
    document = read_document(text.encode())
    return Workspace(ROOT, ROOT / "HEARTBEAT.md", document, (), document.diagnostics)


@st.composite
def memories(draw: st.DrawFn, item: str, schedule: str) -> ItemPast:
    """What is remembered after no run, or after one."""
    seen = at("01 00:00")
    outcome = draw(st.sampled_from([None, *FAILURES, Outcome.COMPLETED, Outcome.WAITING]))
    if outcome is None:
        return ItemPast(item, schedule, seen)

    started: datetime = draw(moments)
    has_failed = outcome in FAILURES
    return ItemPast(
        item,
        schedule,
        seen,
        last_start=started,
        last_slot=started,
        last_slot_zone=BERLIN,
        last_finished=started,
        last_outcome=outcome,
        attempts=draw(st.integers(1, 2)) if has_failed else 0,
        retry_at=draw(st.sampled_from(RETRIES)) if has_failed else None,
    )


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    workspace = draw(workspaces())
    request = draw(requests)
    no_model = ModelHold(Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("none",)))
    return make_plan(
        workspace,
        PlanInput(
            NOW,
            BERLIN,
            request,
            Settings(),
            {key: draw(memories(key, text)) for key, text in schedules_of(workspace).items()},
            last_tick=draw(st.none() | moments),
            model_hold=draw(st.sampled_from([None, no_model])),
            left=draw(st.dictionaries(keys, waits, max_size=2)),
            running=draw(st.lists(keys, max_size=1)),
            unapproved=draw(
                st.dictionaries(
                    keys, st.just(Wait(WaitReason.UNAPPROVED, ("new", "action"))), max_size=2
                )
            ),
        ),
    )


@settings(max_examples=300)
@given(plans())
def test_what_is_held_back_says_what_it_waits_for(plan: Plan) -> None:
    for item in plan.items:
        if item.held_as:
            assert isinstance(item.why, Wait), item
            assert item.slot, item
            assert item.decision in (Decision.WAIT, Decision.BLOCKED), item
        else:
            assert isinstance(item.why, str), item

    stage = Stage("", NOW)
    stage.ledger.items.see(dict.fromkeys((item.key for item in plan.items), ""), at("01 00:00"))
    reports = record_what_waits(stage.world(), plan)
    held = [(item.id, item.held_as, item.reason) for item in plan.items if item.held_as]
    found = [(one.id, one.outcome, one.reason) for one in reports]
    assert [one for one in found if one[1] is not Outcome.SKIPPED] == held
