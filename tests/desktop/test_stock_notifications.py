"""Notifications as on Windows and macOS: the same library shows them on a real desktop here, or
says why it cannot."""

import subprocess
import sys

import pytest

from core.adapters.messages import desktop as desktop_notifications
from core.model.report import Notice, NoticeKind, NotSent, Urgency
from tests.desktop.desktop import Desktop
from tests.desktop.notification_service import NotificationService

PROGRAM = """
from core.adapters.messages.library import show_with_library
from core.model.report import Notice, NoticeKind, Urgency
problem = show_with_library(Notice(NoticeKind.ACTION, "Tea and cake", "with milk"), Urgency.CRITICAL)
print(problem.reason if problem else "")
"""


def said(environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_is_shown_as_it_was_written(
    desktop: Desktop, notifications: NotificationService
) -> None:
    assert said(desktop.environment) == ""
    assert notifications.wait_for_title("Tea and cake").message == "with milk"


def test_without_a_session_it_says_why(desktop: Desktop) -> None:
    nowhere = {**desktop.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"}
    assert said(nowhere).startswith("the desktop's notification service cannot be reached (")


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_the_other_systems_take_this_way(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Notice, str]] = []

    def note(notice: Notice, urgency: Urgency) -> NotSent:
        asked.append((notice, urgency))
        return NotSent("the system does not let Heartbeat notify", ("not_allowed",))

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("core.adapters.messages.library.show_with_library", note)
    notice = Notice(NoticeKind.FAILURE, "backup failed", "exit code 1")
    assert desktop_notifications.show_on_desktop(notice, Urgency.CRITICAL) == NotSent(
        "the system does not let Heartbeat notify", ("not_allowed",)
    )
    assert asked == [(notice, Urgency.CRITICAL)]
