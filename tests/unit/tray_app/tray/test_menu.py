"""What the tray's menu says and asks for, in every state."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.status import (
    Need,
    RecentBeat,
    Running,
    RunningItem,
    Status,
    TodaysScore,
    WorkspaceState,
)
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.timing.instant_words import short_instant_words
from tray_app.tray.commands import MenuAction, MenuCommand, ResidentAction
from tray_app.tray.menu import Entry, entries, hours_and_minutes, state_line, tooltip

NOW = datetime(2026, 11, 16, 14, 30, tzinfo=timezone(timedelta(hours=1)))  # a Monday
IDLE = Status("/home/ada/Heartbeat", WorkspaceState.IDLE, next_beat=NOW + timedelta(minutes=12))

instants = st.timedeltas(timedelta(days=-9000), timedelta(days=9000)).map(lambda away: NOW + away)
troubles = st.sampled_from(
    [
        TroubleKey(TroubleKind.APPROVAL),
        TroubleKey(TroubleKind.MODEL),
        TroubleKey(TroubleKind.REFUSED),
        TroubleKey(TroubleKind.SCORE_DROP),
        TroubleKey(TroubleKind.BUDGET),
    ]
) | st.builds(
    TroubleKey,
    st.sampled_from([TroubleKind.FAILURE, TroubleKind.CONTRADICTION, TroubleKind.EXHAUSTED]),
    st.text(max_size=20),
)
statuses = st.builds(
    Status,
    workspace=st.just("/w"),
    state=st.sampled_from(WorkspaceState),
    paused_until=st.none() | instants,
    next_beat=st.none() | instants,
    needs=st.lists(
        st.builds(Need, troubles, st.text(min_size=1)),
        max_size=12,
        unique_by=lambda need: need.trouble,
    ).map(tuple),
    recent=st.lists(
        st.builds(RecentBeat, st.integers(1, 999), instants, st.integers(0, 9), st.integers(0, 9)),
        max_size=8,
    ).map(tuple),
    score=st.builds(TodaysScore, kept_count=st.integers(0, 9), due_count=st.integers(0, 9)),
    starts_at_login=st.none() | st.booleans(),
)


def flat(menu: tuple[Entry, ...]) -> Iterator[Entry]:
    for entry in menu:
        yield entry
        yield from flat(entry.children)


def labels(menu: tuple[Entry, ...]) -> list[str]:
    return [entry.label for entry in menu]


def test_the_idle_menu_from_top_to_bottom() -> None:
    menu = entries(IDLE, NOW)
    assert labels(menu) == [
        "Heartbeat · Next beat in 12 min",
        "Run now",
        "Pause for",
        "Open HEARTBEAT.md",
        "Set API key…",
        "Quit",
    ]
    assert labels(menu[2].children) == ["30 minutes", "1 hour", "Until tomorrow", "Until resumed"]
    assert [entry.command for entry in menu[2].children] == [
        MenuCommand(ResidentAction.PAUSE, "30m"),
        MenuCommand(ResidentAction.PAUSE, "1h"),
        MenuCommand(ResidentAction.PAUSE, "tomorrow"),
        MenuCommand(ResidentAction.PAUSE),
    ]


def test_while_paused_the_pauses_give_way_to_resume() -> None:
    menu = entries(replace(IDLE, state=WorkspaceState.PAUSED), NOW)
    assert labels(menu)[:4] == [
        "Heartbeat · Paused until resumed",
        "Run now",
        "Resume",
        "Open HEARTBEAT.md",
    ]
    assert menu[2].command == MenuCommand(ResidentAction.RESUME)


def test_while_a_beat_runs_it_can_be_cancelled_and_no_second_one_asked_for() -> None:
    second = {
        state: entries(replace(IDLE, state=state), NOW)[1].command for state in WorkspaceState
    }
    assert second.pop(WorkspaceState.RUNNING) == MenuCommand(ResidentAction.CANCEL)
    assert set(second.values()) == {MenuCommand(ResidentAction.RUN)}


BACKUP = RunningItem("backup", NOW - timedelta(minutes=5), "copied 4 of 10")
RUNNING = replace(
    IDLE,
    state=WorkspaceState.RUNNING,
    running=Running(12, BACKUP.since, (BACKUP, RunningItem("mail", NOW, ""))),
)


def test_while_something_runs_it_is_shown_below_the_state_with_its_last_line() -> None:
    menu = entries(RUNNING, NOW)
    assert labels(menu)[:4] == [
        "Heartbeat · A beat is running",
        "backup since 14:25: copied 4 of 10",
        "mail since 14:30",
        "Cancel",
    ]
    assert [entry.enabled for entry in menu[:4]] == [False, False, False, True]
    assert tooltip(RUNNING, NOW).splitlines()[1:] == [
        "backup since 14:25: copied 4 of 10",
        "mail since 14:30",
    ]


def test_a_long_or_hostile_line_stays_one_short_line() -> None:
    hostile = RunningItem("b\nc", NOW, "x\u202e" * 400)
    many = replace(RUNNING, running=Running(12, NOW, (hostile,) * 20))
    shown = labels(entries(many, NOW))[1:4]
    assert all(line.isprintable() and len(line) <= 60 for line in shown)
    assert labels(entries(many, NOW))[4] == "Cancel"


FULL = replace(
    IDLE,
    score=TodaysScore(kept=0.944, kept_count=17, due_count=18),
    needs=(
        Need(TroubleKey(TroubleKind.APPROVAL), "2 waiting for your approval"),
        Need(TroubleKey(TroubleKind.FAILURE, "action:backup"), "backup failed"),
    ),
    recent=(
        RecentBeat(41, NOW - timedelta(minutes=18), 3, 0),
        RecentBeat(40, NOW - timedelta(days=1), 2, 1),
        RecentBeat(39, NOW - timedelta(days=9), 0, 0),
    ),
    starts_at_login=True,
)


def test_the_full_menu_from_top_to_bottom() -> None:
    menu = entries(FULL, NOW)
    assert labels(menu) == [
        "Heartbeat · Next beat in 12 min",
        "17 of 18 kept today",
        "Run now",
        "Pause for",
        "Needs you (2)",
        "Open HEARTBEAT.md",
        "Recent",
        "Set API key…",
        "Start at login",
        "Quit",
    ]
    assert [(entry.label, entry.command) for entry in menu[4].children] == [
        ("2 waiting for your approval", MenuCommand(MenuAction.APPROVE)),
        ("backup failed", MenuCommand(MenuAction.RECEIPT, "action:backup")),
    ]
    assert [(entry.label, entry.command) for entry in menu[6].children] == [
        ("14:12 · 3 kept", MenuCommand(MenuAction.RECEIPT, "41")),
        ("Sun 15 Nov 14:30 · 2 kept, 1 not kept", MenuCommand(MenuAction.RECEIPT, "40")),
        ("Sat 7 Nov 14:30 · unclear or skipped", MenuCommand(MenuAction.RECEIPT, "39")),
    ]


@pytest.mark.parametrize(("is_on", "wanted"), [(True, "off"), (False, "on")])
def test_start_at_login_shows_whether_it_is_on_and_asks_for_the_opposite(
    is_on: bool, wanted: str
) -> None:
    entry = next(
        one for one in entries(replace(IDLE, starts_at_login=is_on), NOW) if one.id == "login"
    )
    assert (entry.checked, entry.command) == (is_on, MenuCommand(MenuAction.AUTOSTART, wanted))


def test_of_many_troubles_the_menu_counts_all_and_lists_ten() -> None:
    needs = tuple(
        Need(TroubleKey(TroubleKind.FAILURE, f"task:{n}"), f"{n} {'x' * 200}") for n in range(30)
    )
    menu = next(one for one in entries(replace(IDLE, needs=needs), NOW) if one.id == "needs")
    assert (menu.label, len(menu.children)) == ("Needs you (30)", 10)
    assert all(len(entry.label) <= 60 for entry in menu.children)


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (IDLE, "Next beat in 12 min"),
        (replace(IDLE, next_beat=None), "Nothing scheduled"),
        (replace(IDLE, next_beat=NOW), "Next beat is due"),
        (replace(IDLE, next_beat=NOW + timedelta(seconds=59)), "Next beat in under a minute"),
        (replace(IDLE, next_beat=NOW + timedelta(hours=6, seconds=700)), "Next beat in 6 h 12 min"),
        (replace(IDLE, next_beat=NOW + timedelta(days=1)), "Next beat Tue 14:30"),
        (replace(IDLE, next_beat=NOW + timedelta(days=8)), "Next beat Tue 24 Nov 14:30"),
        (replace(IDLE, state=WorkspaceState.RUNNING), "A beat is running"),
        (
            replace(IDLE, state=WorkspaceState.PAUSED, paused_until=NOW + timedelta(minutes=30)),
            "Paused until 15:00",
        ),
        (
            replace(IDLE, state=WorkspaceState.ATTENTION),
            "Something needs you · next beat in 12 min",
        ),
        (
            replace(FULL, state=WorkspaceState.ATTENTION),
            "2 things need you · next beat in 12 min",
        ),
        (
            replace(IDLE, state=WorkspaceState.ATTENTION, needs=FULL.needs[1:]),
            "backup failed · next beat in 12 min",
        ),
        (
            replace(
                IDLE,
                state=WorkspaceState.ERROR,
                needs=(Need(TroubleKey(TroubleKind.REFUSED), "x"),),
            ),
            "HEARTBEAT.md is not read · next beat in 12 min",
        ),
        (
            replace(IDLE, state=WorkspaceState.ERROR, next_beat=None),
            "The last beat failed · nothing scheduled",
        ),
        (
            replace(FULL, state=WorkspaceState.ERROR),
            "backup failed · next beat in 12 min",
        ),
        (
            replace(IDLE, state=WorkspaceState.ERROR, needs=FULL.needs[1:] * 2),
            "The last beat failed · next beat in 12 min",
        ),
        (replace(IDLE, state=WorkspaceState.STOPPED), "Stopped"),
    ],
)
def test_the_state_line(status: Status, line: str) -> None:
    assert state_line(status, NOW) == line


def test_a_moment_is_shown_in_the_zone_of_the_person() -> None:
    assert short_instant_words(datetime(2026, 11, 16, 23, 30, tzinfo=UTC), NOW) == "Tue 00:30"


def test_the_tooltip_names_the_clock_time_because_it_is_not_refreshed() -> None:
    assert tooltip(IDLE, NOW) == "Heartbeat: next beat 14:42"
    assert (
        tooltip(replace(IDLE, state=WorkspaceState.ERROR), NOW)
        == "Heartbeat: the last beat failed · next beat 14:42"
    )


REFUSED = Need(TroubleKey(TroubleKind.REFUSED), "HEARTBEAT.md is not read")
DEPLOY = Need(TroubleKey(TroubleKind.FAILURE, "action:Deploy"), "Deploy failed")


@pytest.mark.parametrize("state", [WorkspaceState.ERROR, WorkspaceState.ATTENTION])
def test_the_names_of_files_and_items_keep_their_letters(state: WorkspaceState) -> None:
    refused = replace(IDLE, state=state, needs=(REFUSED,))
    assert tooltip(refused, NOW) == "Heartbeat: HEARTBEAT.md is not read · next beat 14:42"
    attention = replace(IDLE, state=WorkspaceState.ATTENTION, needs=(DEPLOY,))
    assert tooltip(attention, NOW) == "Heartbeat: Deploy failed · next beat 14:42"
    backup = replace(attention, needs=FULL.needs[1:])
    assert state_line(backup, NOW).startswith("backup failed")


def test_the_tooltip_has_a_mark_for_each_of_the_last_beats_the_newest_last() -> None:
    assert tooltip(FULL, NOW) == "Heartbeat: next beat 14:42\n17 of 18 kept today\nLast beats: ·✗✓"


@given(statuses, instants)
def test_every_status_gives_a_menu_that_can_be_shown(status: Status, now: datetime) -> None:
    menu = tuple(flat(entries(status, now)))
    assert all(entry.label for entry in menu)
    assert len({entry.id for entry in menu}) == len(menu)
    assert not menu[0].enabled
    for entry in menu:  # a submenu opens, a line without a choice only says something
        assert (entry.command is None) == bool(entry.children or not entry.enabled)
    assert [entry.command for entry in menu if entry.default] == [MenuCommand(MenuAction.OPEN)]
    assert menu[-1].command == MenuCommand(ResidentAction.QUIT)


@given(st.timedeltas(min_value=timedelta(minutes=1), max_value=timedelta(days=1)))
def test_a_wait_is_rounded_up_by_less_than_a_minute(wait: timedelta) -> None:
    words = hours_and_minutes(wait).split()
    shown = timedelta(
        minutes=sum(
            int(n) * {"h": 60, "min": 1}[u] for n, u in zip(words[::2], words[1::2], strict=True)
        )
    )
    assert wait <= shown < wait + timedelta(minutes=1)


def test_menu_and_tooltip_name_the_workspace() -> None:
    garden = replace(IDLE, workspace="/home/ada/Garden")
    assert labels(entries(garden, NOW))[0] == "Garden · Next beat in 12 min"
    assert tooltip(garden, NOW) == "Heartbeat · Garden: next beat 14:42"
