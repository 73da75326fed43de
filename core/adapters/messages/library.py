"""Notifications through desktop-notifier, for Windows and macOS.

The library works on Linux too, which is where the tests run it; there it would only cost more.
Apart from `desktop.py`, because every notification on Linux would pay for `logging`.
"""

import logging

from core.model.report import Notice, NotSent, Urgency

LIBRARY = "desktop_notifier"  # the name of its logger


def show_with_library(notice: Notice, urgency: Urgency) -> NotSent | None:
    from desktop_notifier import Urgency as LibraryUrgency
    from desktop_notifier.sync import DesktopNotifierSync

    warnings = _CollectedWarnings()
    log = logging.getLogger(LIBRARY)
    log.addHandler(warnings)

    try:
        notifier = DesktopNotifierSync("Heartbeat")
        if not notifier.request_authorisation():
            return NotSent(
                "the system does not let Heartbeat notify; its settings for notifications can "
                "allow it",
                ("not_allowed",),
            )

        notifier.send(notice.title, notice.message, LibraryUrgency(urgency.value))
    except Exception as error:  # each system has exceptions of its own
        warnings.found.append(str(error) or type(error).__name__)
    finally:
        log.removeHandler(warnings)

    if not warnings.found:
        return None

    reason = warnings.found[0]
    words = f"the desktop's notification service cannot be reached ({reason})"
    return NotSent(words, ("not_reached", reason))


class _CollectedWarnings(logging.Handler):
    """The library only logs that a notification was not shown."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.found.append(str(error or record.getMessage()))
