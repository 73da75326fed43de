"""Shows notifications on the person's desktop: on Linux over the session bus, on Windows and macOS
through desktop-notifier.
"""

import os
import sys

from core.model.report import Notice, NotSent, Urgency
from core.rules.printable import without_markup
from core.rules.residing.session_bus import session_bus_address

TIMEOUT = 3.0  # seconds for the notification service to answer


def show_on_desktop(notice: Notice, urgency: Urgency = Urgency.NORMAL) -> NotSent | None:
    """Return why it could not be shown, or None."""
    if sys.platform != "linux":
        from core.adapters.messages.library import show_with_library

        return show_with_library(notice, urgency)

    return show_over_session_bus(notice, urgency)


def show_over_session_bus(notice: Notice, urgency: Urgency) -> NotSent | None:
    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    service = DBusAddress(
        "/org/freedesktop/Notifications",
        "org.freedesktop.Notifications",
        "org.freedesktop.Notifications",
    )

    plain = without_markup(notice.message)
    no_buttons: list[str] = []
    hints = {"urgency": ("y", urgency.level)}
    body = ("Heartbeat", 0, "", notice.title, plain, no_buttons, hints, -1)

    try:
        with open_dbus_connection(session_bus()) as connection:
            call = new_method_call(service, "Notify", "susssasa{sv}i", body)
            answer = connection.send_and_get_reply(call, timeout=TIMEOUT)
    except KeyError:
        return NotSent("there is no desktop session to show it in", ("no_session",))
    except (OSError, ValueError) as error:
        reason = str(error) or type(error).__name__
        words = f"the desktop's notification service cannot be reached ({reason})"
        return NotSent(words, ("not_reached", reason))

    if answer.header.message_type is MessageType.error:
        reason = str(answer.body[0]) if answer.body else "no reason"
        return NotSent(f"the desktop refused the notification ({reason})", ("refused", reason))

    return None


def session_bus() -> str:
    """The address in jeepney's form; jeepney raises KeyError if "SESSION" has none."""
    return session_bus_address(os.environ) or "SESSION"
