"""The menu as a panel reads it over the session bus."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.model.status import WorkspaceState
from tests.unit.tray_app.tray.watched_tray import IDLE, Clock, WatchedTray
from tray_app.tray.dbus_menu import DBusMenu
from tray_app.tray.session_bus import Interface
from tray_app.tray.toolkit import Menu, MenuItem


class DeafBus:
    """Takes what the menu offers and announces; it is never asked anything."""

    def __init__(self) -> None:
        self.announced: list[int] = []
        self.methods: Any = {}

    def offer(self, path: str, interface: Interface) -> None:
        self.methods = interface.methods

    def emit(
        self, path: str, interface: str, name: str, gives: str, values: tuple[int, int]
    ) -> None:
        self.announced.append(values[0])


@given(states=st.lists(st.sampled_from(WorkspaceState), min_size=1, max_size=20))
def test_over_any_changes_an_entry_keeps_its_number_and_only_changes_are_announced(
    states: list[WorkspaceState],
) -> None:
    tray = WatchedTray(IDLE, Clock(), lambda _: None)
    bus = DeafBus()
    menu = DBusMenu(bus, tray.icon.menu, lambda _: None)  # type: ignore[arg-type]
    known: dict[str, int] = {}
    for state in states:
        before, announced = layout_of(bus), len(bus.announced)
        tray.show(replace(IDLE, state=state))
        menu.update()
        after = layout_of(bus)
        assert (len(bus.announced) > announced) == (after != before)
        for label, number in numbers(after).items():
            assert known.setdefault(label, number) == number
    assert len(set(known.values())) == len(known)
    assert bus.announced == sorted(set(bus.announced))


def test_a_check_box_and_an_underscore_reach_the_panel_as_they_are() -> None:
    bus = DeafBus()
    DBusMenu(bus, Menu(MenuItem("Start_at login", None, checked=lambda _: True)), lambda _: None)  # type: ignore[arg-type]
    ((_, (_, properties, _)),) = layout_of(bus)[2]
    assert properties["label"] == (
        "s",
        "Start__at login",
    )  # a single one would underline the next letter
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
