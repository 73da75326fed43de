"""Notifications on the person's desktop: Linux over the session bus, elsewhere by the system's own way."""

import os
import sys

from core.model.report import Notice

URGENCY = {"low": 0, "normal": 1, "critical": 2}
PATIENCE = 3.0  # seconds for the notification service to answer


def show_on_desktop(notice: Notice, urgency: str = "normal") -> str:
    """Show it; returns why that was not possible, or nothing."""
    if sys.platform != "linux":
        from core.adapters import stock_notifications

        return stock_notifications.show(notice, urgency)
    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    service = DBusAddress(
        "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "org.freedesktop.Notifications"
    )
    # & and < would be read as markup
    plain = notice.message.replace("&", "&amp;").replace("<", "&lt;")
    no_buttons: list[str] = []
    hints = {"urgency": ("y", URGENCY.get(urgency, 1))}
    body = ("Heartbeat", 0, "", notice.title, plain, no_buttons, hints, -1)
    try:
        with open_dbus_connection(session_bus()) as connection:
            call = new_method_call(service, "Notify", "susssasa{sv}i", body)
            answer = connection.send_and_get_reply(call, timeout=PATIENCE)
    except KeyError:
        return "there is no desktop session to show it in"
    except (OSError, ValueError) as error:
        return f"the desktop's notification service cannot be reached ({str(error) or type(error).__name__})"
    refused = answer.header.message_type is MessageType.error
    return f"the desktop refused the notification ({answer.body[0] if answer.body else 'no reason'})" if refused else ""


def session_bus() -> str:
    """The bus of the session; where no variable names it, the one that systemd makes for each person."""
    known = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
    folder = os.environ.get("XDG_RUNTIME_DIR")
    return known or (f"unix:path={folder}/bus" if folder else "SESSION")
