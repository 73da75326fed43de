"""When the tray touches the icon and when it leaves it alone, on any desktop."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.status import WorkspaceState
from tests.unit.tray_app.tray.watched_tray import IDLE, RUNNING, Clock, WatchedTray
from tray_app.tray.icon_image import ICONS
from tray_app.tray.tray import picture


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tray(clock: Clock) -> WatchedTray:
    return WatchedTray(IDLE, clock, lambda _: None)


def test_a_status_that_looks_the_same_touches_nothing(tray: WatchedTray) -> None:
    tray.show(replace(IDLE, run_by="another machine"))
    assert tray.icon.drawn == []


def test_a_new_state_changes_icon_title_and_menu_once_each(tray: WatchedTray) -> None:
    tray.show(replace(IDLE, state=WorkspaceState.PAUSED))
    tray.show(replace(IDLE, state=WorkspaceState.PAUSED))
    assert tray.icon.drawn == ["paused", "Heartbeat · workspace: paused until resumed", "menu"]


def test_nothing_wakes_the_loop_unless_a_beat_runs(tray: WatchedTray, clock: Clock) -> None:
    limits = {}
    for state in WorkspaceState:
        tray.show(replace(IDLE, state=state))
        limits[state] = tray.wait_limit()
    assert [state for state, limit in limits.items() if limit is not None] == [
        WorkspaceState.RUNNING
    ]
    clock.go_on(3600)
    tray.icon.drawn.clear()
    tray.handle_ready()
    assert tray.icon.drawn == []


@given(waits=st.lists(st.floats(0.0, 3.0), max_size=40))
def test_the_animation_steps_at_most_once_a_second_however_often_the_loop_turns(
    waits: list[float],
) -> None:
    clock = Clock()
    tray = WatchedTray(RUNNING, clock, lambda _: None)
    steps = [clock.now]
    for wait in waits:
        clock.go_on(wait)
        tray.icon.drawn.clear()
        tray.handle_ready()
        if tray.icon.drawn:
            assert tray.icon.drawn == [f"running-{1 + len(steps) % 2}"]
            assert clock.now - steps[-1] >= timedelta(seconds=1)
            steps.append(clock.now)
        else:
            assert clock.now - steps[-1] < timedelta(seconds=1)


def test_the_wait_that_it_asks_for_leads_to_the_next_step(clock: Clock) -> None:
    tray = WatchedTray(RUNNING, clock, lambda _: None)
    clock.go_on(0.25)
    assert tray.wait_limit() == 0.75
    clock.go_on(0.75)
    tray.handle_ready()
    assert tray.icon.drawn == ["running-2"]


def test_a_clock_that_was_set_back_does_not_freeze_the_animation(clock: Clock) -> None:
    tray = WatchedTray(RUNNING, clock, lambda _: None)
    clock.go_on(-3600)
    tray.handle_ready()
    assert tray.icon.drawn == ["running-2"]
    assert tray.wait_limit() == 1


def test_every_state_has_an_icon_and_every_icon_a_state() -> None:
    assert {picture(state, step) for state in WorkspaceState for step in (0, 1)} == set(ICONS)
