"""A pystray Menu as com.canonical.dbusmenu: the panel draws it, asks for it when it opens, and
reports clicks.

An item keeps its number for as long as the program runs: a panel may report a click on an entry
that it asked for a minute ago.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tray_app.tray.session_bus import Body, CallRefusedError, Interface, Method, SessionBus, Variant
from tray_app.tray.toolkit import Menu, MenuItem

PATH = "/MenuBar"
INTERFACE = "com.canonical.dbusmenu"
ROOT = 0


class Row(NamedTuple):
    number: int
    properties: dict[str, Variant]
    children: tuple["Row", ...] = ()


class DBusMenu:
    def __init__(self, bus: SessionBus, menu: Menu, activate: Callable[[MenuItem], None]) -> None:
        """`activate` is called with the item that was clicked, after the panel has had its
        answer."""
        self._bus = bus
        self._menu = menu
        self._activate = activate
        self._numbers: dict[str, int] = {}
        self._items: dict[int, MenuItem] = {}
        self._root = Row(ROOT, {})
        self._revision = 0
        self._rebuild()
        self._announced = self._revision
        bus.offer(PATH, self._interface())

    def update(self) -> None:
        """Build the menu again, and tell the panel if anything in it has changed."""
        self._rebuild()
        self._announce()

    def _rebuild(self) -> bool:
        self._items = {}
        root = Row(ROOT, {"children-display": ("s", "submenu")}, self._rows(self._menu, ""))
        changed = root != self._root
        self._root = root
        self._revision += changed

        return changed

    def _announce(self, *_: Any) -> None:
        if self._announced != self._revision:
            self._announced = self._revision
            self._bus.emit(PATH, INTERFACE, "LayoutUpdated", "ui", (self._revision, ROOT))

    def _interface(self) -> Interface:
        return Interface(
            INTERFACE,
            {
                "GetLayout": Method("iias", "u(ia{sv}av)", self._get_layout, self._announce),
                "GetGroupProperties": Method("aias", "a(ia{sv})", self._get_group_properties),
                "GetProperty": Method("is", "v", self._get_property),
                "AboutToShow": Method("i", "b", lambda _: (self._rebuild(),), self._announce),
                "AboutToShowGroup": Method("ai", "aiai", self._about_to_show_group, self._announce),
                "Event": Method("isvu", "", then=self._event),
                "EventGroup": Method("a(isvu)", "ai", self._unknown, then=self._event_group),
            },
            lambda: {
                "Version": ("u", 3),
                "Status": ("s", "normal"),
                "TextDirection": ("s", "ltr"),
                "IconThemePath": ("as", []),
            },
        )

    def _rows(self, menu: Menu, parent: str) -> tuple[Row, ...]:
        return tuple(self._row(item, parent) for item in menu)

    def _row(self, item: MenuItem, parent: str) -> Row:
        name = f"{parent}/{getattr(item, 'id', item.text)}"
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        self._items[number] = item
        properties = {
            "label": ("s", item.text.replace("_", "__")),
            "enabled": ("b", bool(item.enabled)),
        }

        if item.checked is not None:
            properties["toggle-type"] = ("s", "checkmark")
            properties["toggle-state"] = ("i", int(item.checked))

        if item.submenu is None:
            return Row(number, properties)

        return Row(
            number,
            properties | {"children-display": ("s", "submenu")},
            self._rows(item.submenu, name),
        )

    def _find(self, number: int) -> Row:
        for row in every_row(self._root):
            if row.number == number:
                return row

        raise CallRefusedError(f"There is no menu item {number}.")

    def _get_layout(self, number: int, depth: int, names: list[str]) -> Body:
        if number == ROOT:
            # a panel that does not say when the menu opens still gets the current labels
            self._rebuild()
        return (self._revision, layout(self._find(number), depth, names))

    def _get_group_properties(self, numbers: list[int], names: list[str]) -> Body:
        rows = [row for row in every_row(self._root) if not numbers or row.number in numbers]
        return ([(row.number, chosen(row.properties, names)) for row in rows],)

    def _get_property(self, number: int, name: str) -> Body:
        properties = self._find(number).properties
        if name not in properties:
            raise CallRefusedError(f"Menu item {number} has no property {name}.")

        return (properties[name],)

    def _about_to_show_group(self, numbers: list[int]) -> Body:
        return (list(numbers) if self._rebuild() else [], [])

    def _event(self, number: int, event: str, *_: Any) -> None:
        item = self._items.get(number)
        if event == "clicked" and item is not None and item.enabled:
            self._activate(item)

    def _event_group(self, events: list[tuple[int, str, Variant, int]]) -> None:
        for event in events:
            self._event(*event)

    def _unknown(self, events: list[tuple[int, str, Variant, int]]) -> Body:
        return ([number for number, *_ in events if number != ROOT and number not in self._items],)


def every_row(row: Row) -> Iterator[Row]:
    yield row
    for child in row.children:
        yield from every_row(child)


def layout(row: Row, depth: int, names: list[str]) -> tuple[int, dict[str, Variant], list[Variant]]:
    """A row as the protocol nests it; `depth` −1 means all levels."""
    children = row.children if depth else ()
    return (
        row.number,
        chosen(row.properties, names),
        [("(ia{sv}av)", layout(child, depth - 1, names)) for child in children],
    )


def chosen(properties: dict[str, Variant], names: list[str]) -> dict[str, Variant]:
    return {name: value for name, value in properties.items() if not names or name in names}
