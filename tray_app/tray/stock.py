"""The tray on Windows and macOS: pystray as it is. It needs the main thread, so the resident runs
in another one."""

import sys
from collections.abc import Callable
from typing import Any

from core.model.announcements import Message
from core.model.status import Status
from tray_app.tray.icon_files import icon_path
from tray_app.tray.toolkit import Icon, Menu
from tray_app.tray.tray import Tray

# The limits of Windows, in characters:
LONGEST_TITLE = 63
LONGEST_TEXT = 255


class StockTray(Tray):
    def show(self, status: Status) -> None:
        on_main_thread(lambda: super(StockTray, self).show(status))

    def handle_ready(self) -> None:
        on_main_thread(super().handle_ready)

    def run(self, resident: Callable[[], None]) -> None:
        def in_second_thread(icon: Icon) -> None:
            on_main_thread(lambda: setattr(icon, "visible", True))
            try:
                resident()
            finally:
                on_main_thread(icon.stop)

        self._icon.run(in_second_thread)

    def tell(self, message: Message) -> None:
        """Without buttons: the menu offers the same."""
        notice = message.notice
        if self._icon.HAS_NOTIFICATION:
            on_main_thread(
                lambda: self._icon.notify(
                    notice.message[:LONGEST_TEXT], notice.title[:LONGEST_TITLE]
                )
            )

    def _image(self, name: str) -> Any:
        from PIL import Image

        with Image.open(icon_path(name, 64)) as file:
            return file.copy()

    def _make_icon(self, image: Any, title: str, menu: Menu) -> Icon:
        return Icon("heartbeat", image, title, menu)


def on_main_thread(action: Callable[[], None]) -> None:
    """Only macOS requires that the main thread changes what is on the screen."""
    if sys.platform == "darwin":
        from PyObjCTools.AppHelper import callAfter

        callAfter(action)
    else:
        action()
