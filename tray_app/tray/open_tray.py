"""Opens the tray that this desktop can show."""

from collections.abc import Callable
from datetime import datetime

from core.model.status import Status
from tray_app.tray.commands import MenuCommand
from tray_app.tray.toolkit import HAS_STOCK_BACKEND
from tray_app.tray.tray import Tray


def open_tray(
    status: Status,
    now: Callable[[], datetime],
    on_command: Callable[[MenuCommand], None],
    say: Callable[[str], None],
) -> Tray:
    """Return the tray of this desktop; raise a HeartbeatError if none can ever be shown."""
    if HAS_STOCK_BACKEND:
        from tray_app.tray.stock import StockTray

        return StockTray(status, now, on_command)

    from tray_app.tray.linux import LinuxTray

    return LinuxTray(status, now, on_command, say)
