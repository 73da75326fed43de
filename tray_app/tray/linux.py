"""The tray on Linux: our own icon on the session bus, served by the resident's loop in its only
thread."""

from collections.abc import Callable
from datetime import datetime

from core.model.announcements import Message
from core.model.status import Status
from tray_app.tray.commands import MenuCommand
from tray_app.tray.icon_files import Pixmap, pixmaps
from tray_app.tray.status_notifier import StatusNotifierIcon
from tray_app.tray.toolkit import Menu
from tray_app.tray.tray import Tray


class LinuxTray(Tray):
    """`say` is called once if the icon cannot be shown, with the reason."""

    def __init__(
        self,
        status: Status,
        now: Callable[[], datetime],
        on_command: Callable[[MenuCommand], None],
        say: Callable[[str], None],
    ) -> None:
        self._say = say
        super().__init__(status, now, on_command)
        self.sources.append(self._icon.old_tray)
        self._icon.visible = True

    def run(self, resident: Callable[[], None]) -> None:
        try:
            resident()
        finally:
            self._icon.stop()

    def fileno(self) -> int:
        number: int = self._icon.fileno()
        return number

    def wait_limit(self) -> float | None:
        is_visible = self._icon.registered or self._icon.old_tray.is_docked
        return super().wait_limit() if is_visible else None

    def handle_ready(self) -> None:
        self._icon.handle_ready()
        super().handle_ready()

    def tell(self, message: Message) -> None:
        self._icon.tell(message)

    def _image(self, name: str) -> list[Pixmap]:
        return pixmaps(name)

    def _make_icon(self, image: list[Pixmap], title: str, menu: Menu) -> StatusNotifierIcon:
        return StatusNotifierIcon("heartbeat", image, title, menu, self._say, self._on_command)
