"""A tray that remembers what it drew, and a clock that a test moves."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.model.status import Status, WorkspaceState
from tray_app.tray.toolkit import Icon, Menu
from tray_app.tray.tray import Tray

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
IDLE = Status("/workspace", WorkspaceState.IDLE, next_beat=NOON + timedelta(minutes=12))
RUNNING = replace(IDLE, state=WorkspaceState.RUNNING)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class WatchedIcon(Icon):  # type: ignore[misc]  # pystray has no types
    """Remembers what it drew; always visible."""

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
