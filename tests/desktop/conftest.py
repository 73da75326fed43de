"""One private desktop per test worker, and on it, for each test, a program with a tray icon."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.desktop import NOWHERE, Desktop
from tests.desktop.notification_service import NotificationService
from tests.desktop.tray_on_panel import TrayOnPanel


@pytest.fixture(scope="session")
def whole_desktop() -> Iterator[Desktop]:
    with tempfile.TemporaryDirectory(
        prefix="heartbeat-"
    ) as folder:  # a short path: the bus's socket lies in it
        desktop = Desktop(Path(folder))
        try:
            desktop.start()
            yield desktop
        finally:
            desktop.stop()


@pytest.fixture
def desktop(whole_desktop: Desktop) -> Desktop:
    """With a panel also after a test that failed without one."""
    if whole_desktop.panel.poll() is not None:
        whole_desktop.start_panel()
    whole_desktop.move(*NOWHERE)
    return whole_desktop


@pytest.fixture
def notifications(desktop: Desktop) -> Iterator[NotificationService]:
    """A notification daemon that has shown nothing yet."""
    service = NotificationService(desktop)
    service.start()
    yield service
    service.stop()


@pytest.fixture
def tray(desktop: Desktop) -> Iterator[TrayOnPanel]:
    """A program that shows "idle, next beat in 12 minutes", up and visible."""
    with TrayOnPanel(desktop) as tray:
        tray.wait_until_visible()
        yield tray
