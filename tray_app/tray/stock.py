"""The tray on Windows and macOS: pystray as it is. It wants the main thread, so the resident gets another."""

import sys
from collections.abc import Callable
from typing import Any

from core.model.announcements import Message
from core.model.status import Status
from tray_app.tray.icon_files import icon_path
from tray_app.tray.toolkit import Icon, Menu
from tray_app.tray.tray import Tray

LONGEST_TITLE, LONGEST_TEXT = 63, 255  # what Windows takes


class StockTray(Tray):
    def show(self, status: Status) -> None:
        on_main_thread(lambda: super(StockTray, self).show(status))

    def handle_ready(self) -> None:
        on_main_thread(super().handle_ready)

    def run(self, resident: Callable[[], None]) -> None:
        def beside(icon: Icon) -> None:
            on_main_thread(lambda: setattr(icon, "visible", True))
            try:
                resident()
            finally:
                on_main_thread(icon.stop)

        self._icon.run(beside)

    def tell(self, message: Message) -> None:
        """Without buttons: the menu has what they would do."""
        notice = message.notice
        if self._icon.HAS_NOTIFICATION:
            on_main_thread(lambda: self._icon.notify(notice.message[:LONGEST_TEXT], notice.title[:LONGEST_TITLE]))

    def _image(self, name: str) -> Any:
        from PIL import Image

        with Image.open(icon_path(name, 64)) as file:
            return file.copy()

    def _make_icon(self, image: Any, title: str, menu: Menu) -> Icon:
        return Icon("heartbeat", image, title, menu)


def on_main_thread(action: Callable[[], None]) -> None:
    """macOS lets only the main thread touch what is on the screen; Windows does not mind."""
    if sys.platform == "darwin":
        from PyObjCTools.AppHelper import callAfter

        callAfter(action)
    else:
        action()
