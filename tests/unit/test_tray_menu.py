"""What the tray's menu says and asks for, in every state."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.status import State, Status
from tray_app.tray.menu import Act, Command, Entry, entries, hours_and_minutes, moment, state_line, tooltip

NOW = datetime(2026, 11, 16, 14, 30, tzinfo=timezone(timedelta(hours=1)))  # a Monday
IDLE = Status("/home/ada/Heartbeat", State.IDLE, next_beat=NOW + timedelta(minutes=12))

instants = st.timedeltas(timedelta(days=-9000), timedelta(days=9000)).map(lambda away: NOW + away)
statuses = st.builds(
    Status,
    workspace=st.just("/w"),
    state=st.sampled_from(State),
    paused_until=st.none() | instants,
    next_beat=st.none() | instants,
    approvals_waiting=st.integers(0, 5),
)


def flat(menu: tuple[Entry, ...]) -> Iterator[Entry]:
    for entry in menu:
        yield entry
        yield from flat(entry.children)


def labels(menu: tuple[Entry, ...]) -> list[str]:
    return [entry.label for entry in menu]


def test_the_idle_menu_from_top_to_bottom() -> None:
    menu = entries(IDLE, NOW)
    assert labels(menu) == ["Next beat in 12 min", "Run now", "Pause for", "Open HEARTBEAT.md", "Quit"]
    assert labels(menu[2].children) == ["30 minutes", "1 hour", "Until tomorrow", "Until resumed"]
    assert [entry.command for entry in menu[2].children] == [
        Command(Act.PAUSE, "30m"),
        Command(Act.PAUSE, "1h"),
        Command(Act.PAUSE, "tomorrow"),
        Command(Act.PAUSE),
    ]


def test_while_paused_the_pauses_give_way_to_resume() -> None:
    menu = entries(replace(IDLE, state=State.PAUSED), NOW)
    assert labels(menu) == ["Paused until resumed", "Run now", "Resume", "Open HEARTBEAT.md", "Quit"]
    assert menu[2].command == Command(Act.RESUME)


def test_a_second_beat_cannot_be_asked_for_while_one_runs() -> None:
    enabled = {state: entries(replace(IDLE, state=state), NOW)[1].enabled for state in State}
    assert [state for state, can_run in enabled.items() if not can_run] == [State.RUNNING]


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
        (replace(IDLE, state=State.RUNNING), "A beat is running"),
        (replace(IDLE, state=State.PAUSED, paused_until=NOW + timedelta(minutes=30)), "Paused until 15:00"),
        (replace(IDLE, state=State.ATTENTION), "Needs you · next beat in 12 min"),
        (replace(IDLE, state=State.ATTENTION, approvals_waiting=1), "1 approval waits for you · next beat in 12 min"),
        (replace(IDLE, state=State.ATTENTION, approvals_waiting=3), "3 approvals wait for you · next beat in 12 min"),
        (replace(IDLE, state=State.ERROR, next_beat=None), "The last beat failed · nothing scheduled"),
        (replace(IDLE, state=State.STOPPED), "Stopped"),
    ],
)
def test_the_state_line(status: Status, line: str) -> None:
    assert state_line(status, NOW) == line


def test_a_moment_is_told_in_the_zone_of_the_person() -> None:
    assert moment(datetime(2026, 11, 16, 23, 30, tzinfo=UTC), NOW) == "Tue 00:30"


def test_the_tooltip_names_the_clock_time_because_nobody_refreshes_it() -> None:
    assert tooltip(IDLE, NOW) == "Heartbeat: next beat 14:42"
    assert tooltip(replace(IDLE, state=State.ERROR), NOW) == "Heartbeat: the last beat failed · next beat 14:42"


@given(statuses, instants)
def test_every_status_gives_a_menu_that_can_be_shown(status: Status, now: datetime) -> None:
    menu = tuple(flat(entries(status, now)))
    assert all(entry.label for entry in menu)
    assert len({entry.id for entry in menu}) == len(menu)
    assert not menu[0].enabled
    assert menu[0].command is None
    for entry in menu[1:]:
        assert (entry.command is None) == bool(entry.children)  # a submenu opens; everything else does one thing
    assert [entry.command for entry in menu if entry.default] == [Command(Act.OPEN)]
    assert menu[-1].command == Command(Act.QUIT)


@given(st.timedeltas(min_value=timedelta(minutes=1), max_value=timedelta(days=1)))
def test_a_wait_is_rounded_up_by_less_than_a_minute(wait: timedelta) -> None:
    words = hours_and_minutes(wait).split()
    told = timedelta(minutes=sum(int(n) * {"h": 60, "min": 1}[u] for n, u in zip(words[::2], words[1::2], strict=True)))
    assert wait <= told < wait + timedelta(minutes=1)
