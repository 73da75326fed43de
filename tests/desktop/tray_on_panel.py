"""A program with a tray icon as a person sees it: where the icon is on the panel, what its menu
says, clicks."""

import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Self, TypeAlias

from PIL import Image
from Xlib import XK

from tests.desktop.desktop import (
    NOWHERE,
    WATCHER,
    Box,
    Desktop,
    MenuClicks,
    difference,
    wait_for,
)
from tests.desktop.tray_program import LATER

PROPERTIES = "org.freedesktop.DBus.Properties"
MENU = "com.canonical.dbusmenu"
GAP = 4  # rows of pixels without ink between two lines of a menu

# How the bus describes an entry: its number, its properties, and the entries under it.
Layout: TypeAlias = tuple[int, dict[str, tuple[str, Any]], list[tuple[str, Any]]]


class TrayOnPanel:
    def __init__(self, desktop: Desktop, program: str = "tray_program") -> None:
        self.desktop = desktop
        with tempfile.NamedTemporaryFile(dir=desktop.folder, delete=False) as log:
            self.program = desktop.run(
                sys.executable,
                "-m",
                f"tests.desktop.{program}",
                "idle",
                stdin=subprocess.PIPE,
                stdout=log,
            )
            self._log = Path(log.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the panel as it was, for the next test."""
        self.desktop.end(self.program)
        if self.desktop.panel.poll() is None:
            self.wait_until_gone()

    def show(self, line: str) -> None:
        assert self.program.stdin
        self.program.stdin.write(line.encode() + b"\n")
        self.program.stdin.flush()

    def let_time_pass(self, minutes: int) -> None:
        before = self.said().count(LATER)
        self.show(f"later {minutes}")
        wait_for(lambda: self.said().count(LATER) > before, "the clock to go on")

    def said(self) -> list[str]:
        return self._log.read_text().splitlines()

    def wait_until_said(self, line: str) -> None:
        wait_for(lambda: line in self.said(), f"the program to say '{line}'")

    def process_status(self) -> list[str]:
        return Path(f"/proc/{self.program.pid}/status").read_text().splitlines()

    def icon_box(self) -> Box | None:
        return difference(self.desktop.empty_panel, self.desktop.panel_shot())

    def wait_until_visible(self) -> Box:
        return wait_for(self.icon_box, "the icon to appear")

    def wait_until_gone(self) -> None:
        wait_for(lambda: not self.icon_box(), "the icon to go")

    def icon(self) -> Image.Image:
        """A picture of it, as soon as there is one to take."""

        def look() -> Image.Image | None:
            shot = self.desktop.panel_shot()
            box = difference(self.desktop.empty_panel, shot)
            return shot.crop(box) if box else None

        return wait_for(look, "the icon to appear")

    def colours(self) -> set[tuple[int, ...]]:
        """Every colour in the icon, without the panel's own."""
        counted = self.icon().convert("RGB").getcolors(1 << 16)
        assert counted
        return {colour for _, colour in counted if isinstance(colour, tuple)}

    def open_menu(self) -> None:
        """Once the icon is where it will stay: a panel moves it while it makes room. A panel on
        a busy machine may still lose a click; then one clicks again."""
        for seconds in (5, 15):
            left, top, right, bottom = self.wait_until_still()
            self.desktop.click((left + right) // 2, (top + bottom) // 2)
            with suppress(AssertionError) if seconds == 5 else nullcontext():
                wait_for(self.desktop.menus, "the menu to open", seconds)
                return

    def wait_until_still(self) -> Box:
        def still() -> Box | None:
            before = self.icon_box()
            time.sleep(0.1)  # how long it must stay where it is
            return before if before == self.icon_box() else None

        return wait_for(still, "the icon to stay in its place")

    def close_menu(self) -> None:
        self.desktop.press(XK.XK_Escape)
        wait_for(lambda: not self.desktop.menus(), "the menu to close")
        self.desktop.move(*NOWHERE)

    def choose(self, *labels: str) -> None:
        """Click on the icon, then on one label after the other, down into submenus. The panel
        must report a click on the last one, and on nothing else.

        If it reports none, a click was lost between two drawings of the menu, or the panel was so
        slow that a second click on the icon closed the menu again: one tries once more.
        """
        with MenuClicks(self.desktop) as clicks:
            try:
                wanted = self._click_through(labels, clicks)
            except AssertionError:
                self.close_menu()
                wanted = self._click_through(labels, clicks)
            assert clicks.seen() == [wanted], f"{labels} is entry {wanted}"

    def _click_through(self, labels: tuple[str, ...], clicks: MenuClicks) -> int:
        """The number of the entry that was clicked last, once the panel has reported a click."""
        self.open_menu()
        for depth, label in enumerate(labels):
            box = self.row(label, labels[:depth])
            wanted = self.number(labels[: depth + 1])  # before the click: it may change the menu
            self.click(box)
        wait_for(lambda: not self.desktop.menus(), "the menu to close")
        wait_for(clicks.seen, f"the panel to report a click on {labels}", 10)
        return wanted

    def click_row(self, number: int, count: int) -> None:
        self.click(self.rows(0, count)[number])

    def click(self, box: Box) -> None:
        left, top, right, bottom = box
        self.desktop.click((left + right) // 2, (top + bottom) // 2)

    def row(self, label: str, path: tuple[str, ...]) -> Box:
        """The box of a line, as soon as the open menu is drawn as the program says that it is,
        and stays so: it may change it."""

        def look() -> Box | None:
            names, lines = self.labels(path), self.drawn(len(path))
            is_drawn = label in names and len(lines) == len(names)
            return lines[names.index(label)] if is_drawn else None

        def still() -> Box | None:
            before = look()
            time.sleep(0.1)  # how long it must stay where it is
            return before if before == look() else None

        return wait_for(still, f"a menu with a line '{label}'")

    def drawn(self, depth: int, shot: Image.Image | None = None) -> list[Box]:
        """The boxes of the lines that an open menu shows in this shot, or now."""
        menus = self.desktop.menus()
        if len(menus) <= depth:
            return []

        return lines_of_text(shot or self.desktop.shot(), menus[depth])

    def state_line(self, count: int) -> Image.Image:
        """A picture of the first line of the menu, as soon as so many are drawn."""

        def look() -> Image.Image | None:
            shot = self.desktop.shot()
            lines = self.drawn(0, shot)
            return shot.crop(lines[0]) if len(lines) == count else None

        self.open_menu()
        line = wait_for(look, f"a menu with {count} lines")
        self.close_menu()
        return line

    def rows(self, depth: int, count: int) -> list[Box]:
        """The boxes of the lines of an open menu, as soon as so many are drawn."""

        def look() -> list[Box]:
            lines = self.drawn(depth)
            return lines if len(lines) == count else []

        return wait_for(look, f"a menu with {count} lines")

    def labels(self, path: tuple[str, ...] = ()) -> list[str]:
        """What the menu, or the submenu under `path`, says to a panel that asks on the bus."""
        return list(self._entries(path))

    def number(self, path: tuple[str, ...]) -> int:
        """The number that the entry at the end of `path` has on the bus."""
        return self._entries(path[:-1])[path[-1]][0]

    def _entries(self, path: tuple[str, ...]) -> dict[str, Layout]:
        _, layout = self.ask_menu("GetLayout", "iias", (0, -1, []))
        entries = entries_of(layout)
        for label in path:
            entries = entries_of(entries[label])
        return entries

    def is_checked(self, label: str) -> bool:
        _, (_, _, rows) = self.ask_menu("GetLayout", "iias", (0, 1, []))
        found = {row[1]["label"][1]: row[1].get("toggle-state", ("i", 0))[1] for _, row in rows}
        return bool(found[label])

    def ask_menu(self, method: str, takes: str, arguments: tuple[Any, ...]) -> Any:
        return self.desktop.call(self.bus_name(), "/MenuBar", f"{MENU}.{method}", takes, arguments)

    def ask_icon(self, method: str, takes: str, arguments: tuple[Any, ...]) -> Any:
        return self.desktop.call(self.bus_name(), "/StatusNotifierItem", method, takes, arguments)

    def bus_name(self) -> str:
        """The only icon that the panel knows of, as soon as it knows of one."""
        wanted = (WATCHER, "RegisteredStatusNotifierItems")

        def look() -> list[str]:
            ((_, items),) = self.desktop.call(
                WATCHER, "/StatusNotifierWatcher", f"{PROPERTIES}.Get", "ss", wanted
            )
            return [str(item) for item in items]

        (item,) = wait_for(look, "an icon that the panel knows of")
        return item.partition("/")[0]


def entries_of(layout: Layout) -> dict[str, Layout]:
    """By their labels."""
    return {child[1]["label"][1]: child for _, child in layout[2]}


def lines_of_text(shot: Image.Image, menu: Box) -> list[Box]:
    """The boxes of the lines in a drawn menu: stretches of pixel rows with ink, with blank ones
    between them."""
    left, top, right, bottom = menu[0] + 4, menu[1] + 2, menu[2] - 4, menu[3] - 2
    grey = shot.crop((left, top, right, bottom)).convert("L")
    background = grey.getpixel((0, 0))
    ink = [any(pixel != background for pixel in row(grey, y)) for y in range(grey.height)]
    lines: list[Box] = []
    for y in (y for y, has_ink in enumerate(ink, top) if has_ink):
        if lines and y - lines[-1][3] <= GAP:
            lines[-1] = (left, lines[-1][1], right, y)
        else:
            lines.append((left, y, right, y))
    return lines


def row(grey: Image.Image, y: int) -> bytes:
    return grey.crop((0, y, grey.width, y + 1)).tobytes()
