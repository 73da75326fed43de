"""The tray as the resident sees it: it shows a status, reports commands, and is one more source of the loop."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from core.model.announcements import Message
from core.model.status import State, Status
from core.ports import Source
from tray_app.tray.commands import Command
from tray_app.tray.menu import Entry, entries, tooltip
from tray_app.tray.toolkit import HAS_STOCK_BACKEND, Icon, Menu, MenuItem

STEP = timedelta(seconds=1)  # of the animation while a beat runs


class Tray:
    """What is the same on every desktop; `LinuxTray` and `StockTray` say how the icon gets on the screen.

    It is one of its `sources`, of each of which the loop waits until `fileno()` is readable (−1: none to wait for) or
    `wait_limit()` seconds have passed (none: no limit), and then calls `handle_ready()`. `on_command` must return at
    once; where the desktop insists on a loop of its own it is called from another thread.
    """

    def __init__(self, status: Status, now: Callable[[], datetime], on_command: Callable[[Command], None]) -> None:
        self.sources: list[Source] = [self]  # all that the loop waits for
        self._status = status
        self._now = now
        self._on_command = on_command
        self._told = entries(status, now())
        self._step = 0
        self._stepped = now()
        self._picture = picture(status.state, self._step)
        self._icon = self._make_icon(self._image(self._picture), tooltip(status, now()), Menu(self._items))

    def show(self, status: Status) -> None:
        self._status = status
        self._draw()
        self._icon.title = tooltip(status, self._now())
        told, self._told = self._told, entries(status, self._now())
        if told != self._told:
            self._icon.update_menu()

    def tell(self, message: Message) -> None:
        """Show a notification, with buttons where the desktop has them."""
        raise NotImplementedError

    def run(self, resident: Callable[[], None]) -> None:
        """Show the icon for as long as `resident` runs; called from the main thread."""
        raise NotImplementedError

    def fileno(self) -> int:
        return -1

    def wait_limit(self) -> float | None:
        if self._status.state is not State.RUNNING:
            return None
        since = self._now() - self._stepped
        return (STEP - since).total_seconds() if timedelta() <= since < STEP else 0.0  # a clock may be set back

    def handle_ready(self) -> None:
        """Take the animation's next step when it is time for it."""
        if self.wait_limit() == 0:
            self._step = 1 - self._step
            self._stepped = self._now()
            self._draw()

    def _draw(self) -> None:
        name = picture(self._status.state, self._step)
        if name != self._picture:
            self._picture = name
            self._icon.icon = self._image(name)

    def _items(self) -> Iterator[MenuItem]:
        """Asked for whenever the menu is drawn, so that "in 12 min" is true at that moment."""
        return (EntryItem(entry, self._on_command) for entry in entries(self._status, self._now()))

    def _image(self, name: str) -> Any:
        """The picture of that name, as the icon takes it."""
        raise NotImplementedError

    def _make_icon(self, image: Any, title: str, menu: Menu) -> Icon:
        raise NotImplementedError


class EntryItem(MenuItem):  # type: ignore[misc]  # pystray has no types
    def __init__(self, entry: Entry, on_command: Callable[[Command], None]) -> None:
        def act() -> None:
            if entry.command:
                on_command(entry.command)

        super().__init__(
            entry.label,
            Menu(*(EntryItem(child, on_command) for child in entry.children)) if entry.children else act,
            checked=None if entry.checked is None else lambda _: bool(entry.checked),
            default=entry.default,
            enabled=entry.enabled,
        )
        self.id = entry.id


def picture(state: State, step: int) -> str:
    """The name of the icon that shows a state; only running has two steps."""
    match state:
        case State.RUNNING:
            return f"running-{step + 1}"
        case State.STOPPED:
            return "paused"
        case _:
            return state


def open_tray(
    status: Status, now: Callable[[], datetime], on_command: Callable[[Command], None], say: Callable[[str], None]
) -> Tray:
    """The tray of this desktop; a HeartbeatError where none can ever be shown."""
    if HAS_STOCK_BACKEND:
        from tray_app.tray.stock import StockTray

        return StockTray(status, now, on_command)
    from tray_app.tray.linux import LinuxTray

    return LinuxTray(status, now, on_command, say)
