"""Asks the desktop itself, for `heartbeat doctor`: does it show notifications, does it show a tray?"""

import os
import sys
from collections.abc import Callable
from typing import Any

from core.adapters.desktop_notifications import session_bus
from core.model.diagnosis import Diagnosis, Health

PATIENCE = 3.0  # seconds
NOTIFICATIONS = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications")
WATCHER = ("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher", "org.freedesktop.DBus.Properties")
Ask = Callable[..., Any]  # an address, a method, its signature, its arguments -> the answer; None: refused


def notifications() -> Diagnosis:
    return _on_the_bus("notifications", _notifications)


def tray_host() -> Diagnosis:
    return _on_the_bus("tray", _tray_host)


def _on_the_bus(name: str, look: Callable[[Ask], Diagnosis]) -> Diagnosis:
    if sys.platform in ("win32", "darwin"):
        return Diagnosis(name, Health.WORKS, "It comes with this system.")
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        words = "There is no desktop session here; the engine works without one."
        return Diagnosis(name, Health.ABSENT, words, "heartbeat daemon")
    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    try:
        with open_dbus_connection(session_bus()) as connection:

            def ask(address: tuple[str, str, str], method: str, takes: str | None = None, values: Any = ()) -> Any:
                owner, path, interface = address
                call = new_method_call(DBusAddress(path, owner, interface), method, takes, values)
                answer = connection.send_and_get_reply(call, timeout=PATIENCE)
                return None if answer.header.message_type is MessageType.error else answer.body

            return look(ask)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        words = f"The desktop's session bus cannot be reached ({str(error) or type(error).__name__})."
        return Diagnosis(name, Health.PROBLEM, words, "dbus-run-session -- heartbeat")


def _notifications(ask: Ask) -> Diagnosis:
    server = ask(NOTIFICATIONS, "GetServerInformation")
    if server is None:
        words = "This desktop has no notification service; what there is to tell stands in the tray's menu and the log."
        return Diagnosis("notifications", Health.PROBLEM, words, "sudo apt-get install dunst  (then log in again)")
    abilities = ask(NOTIFICATIONS, "GetCapabilities")
    buttons = "with buttons" if abilities and "actions" in abilities[0] else "without buttons"
    return Diagnosis("notifications", Health.WORKS, f"{server[0]} {server[2]} shows them, {buttons}.")


def _tray_host(ask: Ask) -> Diagnosis:
    wanted = ("org.kde.StatusNotifierWatcher", "IsStatusNotifierHostRegistered")
    host = ask(WATCHER, "Get", "ss", wanted)
    if host and host[0][1]:
        return Diagnosis("tray", Health.WORKS, "A panel shows tray icons with menus.")
    if _has_old_tray():
        return Diagnosis("tray", Health.WORKS, "A panel shows tray icons of the old kind: a click opens HEARTBEAT.md.")
    words = "No panel shows tray icons at the moment; the icon comes as soon as one does."
    mend = "On GNOME: sudo apt-get install gnome-shell-extension-appindicator  (then log in again)"
    return Diagnosis("tray", Health.PROBLEM, words, mend)


def _has_old_tray() -> bool:
    if not os.environ.get("DISPLAY"):
        return False
    from Xlib import X, display
    from Xlib.error import DisplayError

    try:
        screen = display.Display()
    except (DisplayError, OSError):
        return False
    try:
        atom = screen.intern_atom(f"_NET_SYSTEM_TRAY_S{screen.get_default_screen()}")
        return bool(screen.get_selection_owner(atom) != X.NONE)
    finally:
        screen.close()
