"""What `simulate` says: the starts that beats would really make, and the model's by the table."""

from datetime import timedelta

import pytest

from core.engine.plan import plan_input
from core.model.item import ItemKind
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest
from core.rules.planning.forecast import Start, simulate
from tests.stage import Stage, action, actions, at


def foreseen(stage: Stage, hours: int) -> list[Start]:
    workspace = stage.workspace()
    request = BeatRequest(BeatReason.TIMER)
    given = plan_input(stage.world(), workspace, request, stage.clock.now(), remember=False)
    return simulate(workspace, given, timedelta(hours=hours))


def starts(stage: Stage, hours: int) -> list[tuple[str, str]]:
    return [(f"{start.at:%d %H:%M:%S}", start.id) for start in foreseen(stage, hours)]


def lived(stage: Stage, hours: int) -> list[tuple[str, str]]:
    """The same time with a beat at each wake; every command ends at once."""
    stage.processes.lasting = timedelta()
    end = stage.clock.now() + timedelta(hours=hours)
    stage.beat()
    while (wake := stage.wakes_at) and wake < end:
        assert wake > stage.clock.now() - timedelta(milliseconds=1)
        stage.clock.moment = wake
        stage.beat()
        stage.clock.moment = wake
    return [
        (f"{moment.astimezone(stage.clock.zone()):%d %H:%M:%S}", line)
        for line, moment in stage.processes.ran
    ]


SCHEDULES = [
    "every:45m",
    "every:1h",
    "every:7h30m",
    "hourly",
    "daily:09:00",
    "daily:23:30",
    "weekdays:08:00",
    "weekends:11:15",
    "weekly:mon,thu:09:30",
    "monthly:17:06:00",
    "yearly:11-18:12:00",
    "cron:'*/20 9-10 * * *'",
    "cron:'5 4 * * mon'",
    "at:2026-11-17T14:00:00Z",
    "at:2026-11-16T06:00:00Z",
    "startup",
]


@pytest.mark.parametrize("active", ["", "active: 09:00-18:00 mon-fri", "active: 22:00-02:00"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_it_names_the_starts_that_beats_would_make(schedule: str, active: str) -> None:
    stage = Stage(actions(action("poll", f"schedule: {schedule}"), header=active))
    stage.plan_only("16 07:50")
    stage.clock.moment = at("16 07:55")
    found = starts(stage, 72)
    assert found == lived(stage, 72)


def test_it_names_the_starts_of_many_items_in_the_order_of_time() -> None:
    blocks = [
        action(f"item{number}", f"schedule: {schedule}")
        for number, schedule in enumerate(SCHEDULES)
    ]
    stage = Stage(actions(*blocks, action("once")))
    stage.plan_only("16 07:50")
    found = starts(stage, 48)
    assert sorted(found) == sorted(lived(stage, 48))
    assert [moment for moment, _ in found] == sorted(moment for moment, _ in found)


def test_after_a_failure_the_retry_is_the_next_start() -> None:
    stage = Stage(actions(action("poll", "schedule: daily:09:00", "retry: 3", "retry_delay: 5m")))
    stage.plan_only("16 08:00")
    stage.processes.endings["poll"] = 1
    stage.processes.lasting = timedelta()
    stage.beat("16 09:00")
    assert starts(stage, 48) == [
        ("16 09:05:00", "poll"),
        ("17 09:00:00", "poll"),
        ("18 09:00:00", "poll"),
    ]


def test_what_is_done_ticked_or_unclear_does_not_start() -> None:
    text = (
        actions(action("done"), action("odd", "schedule: sometimes"))
        + "\n## Tasks\n\n- [x] tidy | Tidy up\n"
    )
    stage = Stage(text)
    stage.beat("16 10:00")
    assert starts(stage, 24) == []


def test_tasks_prompts_the_review_and_a_plain_file_follow_the_ticks_and_need_the_model() -> None:
    stage = Stage(
        "## Tasks\n\n- [ ] tidy | Tidy up\n- [ ] count | Count | run: ls\n\n## Proactive "
        "Review\n\nWell?\n"
    )
    stage.files.prompts = {"mail": "---\ntitle: Mail\nschedule: daily:10:10\n---\nRead it.\n"}
    stage.beat("16 10:00")  # the first tick
    stage.clock.moment = at("16 10:05")
    found = [
        (f"{start.at:%H:%M}", start.id, start.kind, start.needs_model)
        for start in foreseen(stage, 1)
    ]
    assert found == [
        ("10:10", "mail", ItemKind.PROMPT, True),
        ("10:30", "tidy", ItemKind.TASK, True),
        ("10:30", "count", ItemKind.TASK, False),
        ("10:30", "review", ItemKind.REVIEW, True),
        ("11:00", "tidy", ItemKind.TASK, True),
        ("11:00", "count", ItemKind.TASK, False),
        ("11:00", "review", ItemKind.REVIEW, True),
    ]
    plain = Stage("Water the plants.\n")
    plain.beat("16 10:00")
    plain.clock.moment = at("16 10:00")
    assert starts(plain, 1) == [("16 10:30:00", "heartbeat")]


def test_nothing_is_written_for_it() -> None:
    stage = Stage(actions(action("poll", "schedule: hourly")))
    starts(stage, 24)
    assert (stage.ledger.items.all(), stage.ledger.plan.note(), stage.files.writes) == ({}, None, 0)


def test_the_end_of_the_time_is_not_part_of_it() -> None:
    stage = Stage(actions(action("poll", "schedule: hourly")))
    stage.plan_only("16 10:00")
    assert starts(stage, 2) == [("16 11:00:00", "poll")]
