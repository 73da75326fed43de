"""Runs the tray as on Windows or macOS (the first argument is the platform) and prints what
happened as JSON.

pystray's backend for that platform is replaced by one that draws nothing and remembers who
called it; everything above it is the real thing. A process of its own, because the platform is
looked at when modules are imported.
"""

import json
import os
import queue
import sys
import threading
import types
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from PIL import Image

from core.model.announcements import Message
from core.model.report import Notice, NoticeKind
from core.model.status import Status, WorkspaceState
from core.model.trouble import TroubleKey, TroubleKind

os.environ["PYSTRAY_BACKEND"] = "dummy"
from pystray._base import Icon as AbstractIcon

del os.environ["PYSTRAY_BACKEND"], sys.modules["pystray"]

PLATFORM = sys.argv[1]
calls: list[tuple[str, bool]] = []  # what was drawn, and whether in the main thread
for_main_thread: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()


class Icon(AbstractIcon):  # type: ignore[misc]  # pystray has no types
    shown: "Icon"

    def _run(self) -> None:
        self._mark_ready()
        while action := for_main_thread.get():
            action()

    def _stop(self) -> None:
        for_main_thread.put(None)

    def _update_icon(self) -> None:
        assert isinstance(self.icon, Image.Image)
        remember(f"icon {self.icon.width}")
        self._icon_valid = True

    def _update_title(self) -> None:
        remember(self.title)

    def _update_menu(self) -> None:
        remember(" | ".join(item.text for item in self.menu))

    def _show(self) -> None:
        Icon.shown = self
        remember("show")

    def _hide(self) -> None:
        remember("hide")

    def _notify(self, message: str, title: str) -> None:
        remember(f"{title} | {message}")


def remember(what: str) -> None:
    calls.append((what, threading.current_thread() is threading.main_thread()))


def pretend() -> None:
    sys.platform = PLATFORM
    backend = types.ModuleType(f"pystray._{PLATFORM}")
    backend.Icon = Icon  # type: ignore[attr-defined]
    sys.modules[backend.__name__] = backend
    application = types.ModuleType("PyObjCTools.AppHelper")
    application.callAfter = for_main_thread.put  # type: ignore[attr-defined]
    sys.modules |= {
        "PyObjCTools": types.ModuleType("PyObjCTools"),
        application.__name__: application,
    }


def main() -> None:
    pretend()
    from tray_app.tray.open_tray import open_tray

    idle = Status("/workspace", WorkspaceState.IDLE)
    commands: list[str] = []
    said: list[str] = []
    tray = open_tray(
        idle,
        lambda: datetime(2026, 11, 16, 12, tzinfo=UTC),
        lambda command: commands.append(f"{command.act} {command.argument}".strip()),
        said.append,
    )

    def resident() -> None:
        tray.show(Status("/workspace", WorkspaceState.PAUSED))
        tray.tell(
            Message(
                Notice(NoticeKind.FAILURE, "backup failed", "exit code 3"),
                trouble=TroubleKey(TroubleKind.FAILURE, "action:backup"),
            )
        )
        drawn = threading.Event()
        for_main_thread.put(drawn.set)
        drawn.wait(10)
        for item in Icon.shown.menu:
            item(Icon.shown)

    tray.run(resident)
    answer = {
        "tray": type(tray).__name__,
        "calls": calls,
        "commands": commands,
        "waits_on": tray.fileno(),
        "linux_modules": [name for name in ("jeepney", "Xlib") if name in sys.modules],
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
