"""The tray as the resident uses it: it shows a status, reports commands, and is a source of the
loop."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, assert_never

from core.model.announcements import Message
from core.model.status import Status, WorkspaceState
from core.ports.waiting import Source
from tray_app.tray.commands import MenuCommand
from tray_app.tray.menu import Entry, entries, tooltip
from tray_app.tray.toolkit import Icon, Menu, MenuItem

STEP = timedelta(seconds=1)  # of the animation while a beat runs


class Tray:
    """What is the same on every desktop; `LinuxTray` and `StockTray` say how the icon gets on the
    screen.

    It is one of its `sources`. For each of them the loop waits until `fileno()` is readable (−1:
    nothing to wait for) or `wait_limit()` seconds have passed (None: no limit), and then calls
    `handle_ready()`. `on_command` must return at once; on a desktop that requires its own loop it
    is called from another thread.
    """

    def __init__(
        self, status: Status, now: Callable[[], datetime], on_command: Callable[[MenuCommand], None]
    ) -> None:
        self.sources: list[Source] = [self]  # all that the loop waits for
        self._status = status
        self._now = now
        self._on_command = on_command
        self._shown = entries(status, now())
        self._step = 0
        self._stepped = now()
        self._picture = picture(status.state, self._step)
        self._icon = self._make_icon(
            self._image(self._picture), tooltip(status, now()), Menu(self._items)
        )

    def show(self, status: Status) -> None:
        self._status = status
        self._draw()
        self._icon.title = tooltip(status, self._now())
        wanted = entries(status, self._now())
        if wanted != self._shown:
            self._shown = wanted
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
        if self._status.state is not WorkspaceState.RUNNING:
            return None

        since = self._now() - self._stepped
        is_early = timedelta() <= since < STEP  # negative: the clock was set back
        return (STEP - since).total_seconds() if is_early else 0.0

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
        """Called whenever the menu is drawn, so that "in 12 min" is true at that moment."""
        return (EntryItem(entry, self._on_command) for entry in entries(self._status, self._now()))

    def _image(self, name: str) -> Any:
        """The picture of that name, as the icon takes it."""
        raise NotImplementedError

    def _make_icon(self, image: Any, title: str, menu: Menu) -> Icon:
        raise NotImplementedError


class EntryItem(MenuItem):  # type: ignore[misc]  # pystray has no types
    def __init__(self, entry: Entry, on_command: Callable[[MenuCommand], None]) -> None:
        def act() -> None:
            if entry.command:
                on_command(entry.command)

        action: Callable[[], None] | Menu = act
        if entry.children:
            action = Menu(*(EntryItem(child, on_command) for child in entry.children))

        super().__init__(
            entry.label,
            action,
            checked=None if entry.checked is None else lambda _: bool(entry.checked),
            default=entry.default,
            enabled=entry.enabled,
        )
        self.id = entry.id


def picture(state: WorkspaceState, step: int) -> str:
    """The name of the icon that shows a state; only running has two steps."""
    match state:
        case WorkspaceState.RUNNING:
            return f"running-{step + 1}"
        case WorkspaceState.STOPPED | WorkspaceState.PAUSED:
            return "paused"
        case WorkspaceState.IDLE | WorkspaceState.ATTENTION | WorkspaceState.ERROR:
            return state
        case _:
            assert_never(state)
