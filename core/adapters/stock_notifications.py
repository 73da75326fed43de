"""Notifications on Windows and macOS, by the library that knows both; it knows Linux too, where the tests run it."""

import logging

from core.model.report import Notice

LIBRARY = "desktop_notifier"


class _Complaints(logging.Handler):
    """The library tells its log, and nobody else, that a notification was not shown."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.heard.append(str(error or record.getMessage()))


def show(notice: Notice, urgency: str) -> str:
    """Show it; returns why that was not possible, or nothing."""
    from desktop_notifier import Urgency
    from desktop_notifier.sync import DesktopNotifierSync

    complaints, log = _Complaints(), logging.getLogger(LIBRARY)
    log.addHandler(complaints)
    try:
        notifier = DesktopNotifierSync("Heartbeat")
        if not notifier.request_authorisation():
            return "the system does not let Heartbeat notify; its settings for notifications can allow it"
        notifier.send(notice.title, notice.message, Urgency(urgency))
    except Exception as error:  # each system's library has its own
        complaints.heard.append(str(error) or type(error).__name__)
    finally:
        log.removeHandler(complaints)
    heard = complaints.heard
    return f"the desktop's notification service cannot be reached ({heard[0]})" if heard else ""
