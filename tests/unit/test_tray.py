"""When the tray touches the icon and when it leaves it alone, on any desktop."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.status import State, Status
from tray_app.tray.dbus_menu import DBusMenu
from tray_app.tray.session_bus import Interface
from tray_app.tray.toolkit import Icon, Menu, MenuItem
from tray_app.tray.tray import Tray

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
IDLE = Status("/workspace", State.IDLE, next_beat=NOON + timedelta(minutes=12))
RUNNING = replace(IDLE, state=State.RUNNING)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class WatchedIcon(Icon):  # type: ignore[misc]  # pystray has no types
    """Remembers what it was told to draw; always visible."""

    def __init__(self, image: str, title: str, menu: Menu) -> None:
        super().__init__("watched", image, title, menu)
        self.drawn: list[str] = []
        self.visible = True

    def _update_icon(self) -> None:
        self.drawn.append(self.icon)

    def _update_title(self) -> None:
        self.drawn.append(self.title)

    def _update_menu(self) -> None:
        self.drawn.append("menu")

    def _show(self) -> None:
        self.drawn = []

    def _hide(self) -> None:
        pass


class WatchedTray(Tray):
    icon: WatchedIcon

    def _image(self, name: str) -> str:
        return name

    def _make_icon(self, image: str, title: str, menu: Menu) -> WatchedIcon:
        self.icon = WatchedIcon(image, title, menu)
        return self.icon


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tray(clock: Clock) -> WatchedTray:
    return WatchedTray(IDLE, clock, lambda _: None)


def test_a_status_that_looks_the_same_touches_nothing(tray: WatchedTray) -> None:
    tray.show(replace(IDLE, workspace="/elsewhere"))
    assert tray.icon.drawn == []


def test_a_new_state_changes_icon_title_and_menu_once_each(tray: WatchedTray) -> None:
    tray.show(replace(IDLE, state=State.PAUSED))
    tray.show(replace(IDLE, state=State.PAUSED))
    assert tray.icon.drawn == ["paused", "Heartbeat: paused until resumed", "menu"]


def test_nothing_wakes_the_loop_unless_a_beat_runs(tray: WatchedTray, clock: Clock) -> None:
    limits = {}
    for state in State:
        tray.show(replace(IDLE, state=state))
        limits[state] = tray.wait_limit()
    assert [state for state, limit in limits.items() if limit is not None] == [State.RUNNING]
    clock.go_on(3600)
    tray.icon.drawn.clear()
    tray.handle_ready()
    assert tray.icon.drawn == []


@given(waits=st.lists(st.floats(0.0, 3.0), max_size=40))
def test_the_animation_steps_at_most_once_a_second_however_often_the_loop_turns(waits: list[float]) -> None:
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


class DeafBus:
    """Takes what the menu offers and announces; nobody asks it anything."""

    def __init__(self) -> None:
        self.announced: list[int] = []
        self.methods: Any = {}

    def offer(self, path: str, interface: Interface) -> None:
        self.methods = interface.methods

    def emit(self, path: str, interface: str, name: str, gives: str, values: tuple[int, int]) -> None:
        self.announced.append(values[0])


@given(states=st.lists(st.sampled_from(State), min_size=1, max_size=20))
def test_over_any_changes_an_entry_keeps_its_number_and_only_changes_are_announced(states: list[State]) -> None:
    tray = WatchedTray(IDLE, Clock(), lambda _: None)
    bus = DeafBus()
    menu = DBusMenu(bus, tray.icon.menu, lambda _: None)  # type: ignore[arg-type]
    known: dict[str, int] = {}
    for state in states:
        before, told = layout_of(bus), len(bus.announced)
        tray.show(replace(IDLE, state=state))
        menu.update()
        after = layout_of(bus)
        assert (len(bus.announced) > told) == (after != before)
        for label, number in numbers(after).items():
            assert known.setdefault(label, number) == number
    assert len(set(known.values())) == len(known)
    assert bus.announced == sorted(set(bus.announced))


def test_a_check_box_and_an_underscore_reach_the_panel_as_they_are() -> None:
    bus = DeafBus()
    DBusMenu(bus, Menu(MenuItem("Start_at login", None, checked=lambda _: True)), lambda _: None)  # type: ignore[arg-type]
    ((_, (_, properties, _)),) = layout_of(bus)[2]
    assert properties["label"] == ("s", "Start__at login")  # a single one would underline the next letter
    assert properties["toggle-type"] == ("s", "checkmark")
    assert properties["toggle-state"] == ("i", 1)


def layout_of(bus: DeafBus) -> Any:
    return bus.methods["GetLayout"].answer(0, -1, [])[1]


def numbers(layout: Any) -> dict[str, int]:
    """Label -> number, submenus included; the first line under one name, whatever it says."""
    found = {}
    for place, (_, (number, properties, children)) in enumerate(layout[2]):
        found["state" if place == 0 and number == 1 else properties["label"][1]] = number
        found |= numbers((0, {}, children))
    return found
