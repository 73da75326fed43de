"""The tray icon on Linux: a pystray Icon that is an org.kde.StatusNotifierItem on the session bus.

pystray's own Linux backends have no menu or need a toolkit of 30 MB and more. This one has no
thread and no timer: it is a source of a loop, and costs nothing until the panel or the program
does something.
"""

import select
from collections.abc import Callable
from typing import Any

from core.model.announcements import Message
from core.rules.printable import without_markup
from tray_app.tray.commands import MenuCommand
from tray_app.tray.dbus_menu import PATH as MENU_PATH
from tray_app.tray.dbus_menu import DBusMenu
from tray_app.tray.icon_files import Pixmap
from tray_app.tray.notifications import Notifications
from tray_app.tray.old_tray import OldTray
from tray_app.tray.session_bus import Body, Interface, Method, SessionBus, Variant
from tray_app.tray.toolkit import Icon, Menu

PATH = "/StatusNotifierItem"
INTERFACE = "org.kde.StatusNotifierItem"
WATCHER = "org.kde.StatusNotifierWatcher"
WATCHER_PATH = "/StatusNotifierWatcher"


class StatusNotifierIcon(Icon):  # type: ignore[misc]  # pystray has no types
    """`icon` is a list of pixmaps of different sizes: the panel takes the one that fits."""

    HAS_NOTIFICATION = False

    def __init__(
        self,
        name: str,
        icon: list[Pixmap],
        title: str,
        menu: Menu,
        say: Callable[[str], None],
        on_command: Callable[[MenuCommand], None] = lambda _: None,
    ) -> None:
        super().__init__(name, icon, title, menu)
        self._on_command = on_command
        self._say = say
        self._bus: SessionBus | None = None
        self._dbus_menu: DBusMenu | None = None
        self._notifications: Notifications | None = None
        self._has_said_that_it_waits = False
        self.old_tray = OldTray(lambda: self.menu(self))
        self.registered = False  # whether a panel shows it

    def fileno(self) -> int:
        """What a loop waits on for reading; −1 while the icon is hidden or the bus is gone."""
        return self._bus.fileno() if self._bus else -1

    def handle_ready(self) -> None:
        if self._bus:
            self._bus.handle_ready()
        if self._bus and self._bus.fileno() < 0:  # there is none if a click stopped the icon
            self.visible = False
            self._say(
                "The desktop's session bus is gone, and the tray icon with it; everything else "
                "goes on."
            )

    def run(self, setup: Callable[[Icon], None] | None = None) -> None:
        """Show the icon and serve it until `stop`, in this thread; for a program without a loop."""
        self._running = True
        if setup:
            setup(self)
        else:
            self.visible = True

        while self._running and self.fileno() >= 0:
            select.select([self], [], [])
            self.handle_ready()

    def stop(self) -> None:
        self._running = False
        self.visible = False

    def _show(self) -> None:
        self._bus = SessionBus()
        self._bus.offer(PATH, self._interface())
        self._dbus_menu = DBusMenu(self._bus, self.menu, lambda item: item(self))
        self._notifications = Notifications(self._bus, self._on_command, self._say)
        self._bus.follow(WATCHER, self._watcher_changed)

    def _hide(self) -> None:
        if self._bus:
            # a panel removes the icon when its name leaves the bus; there is no other way
            self._bus.close()

        self._bus = None
        self._dbus_menu = None
        self._notifications = None
        self.registered = False
        self.old_tray.close()

    def tell(self, message: Message) -> None:
        """A notification whose buttons report commands; nothing once the bus is gone."""
        if self._notifications:
            self._notifications.show(message)

    def _watcher_changed(self, owner: str) -> None:
        """A panel started (perhaps again after a crash) or ended: register with every new one."""
        self.registered = False
        if owner and self._bus:
            self.old_tray.close()
            # by the unique name: with a well-known one GNOME loses the icon in half of the starts
            name = (self._bus.unique_name,)
            self._bus.call(
                owner,
                WATCHER_PATH,
                f"{WATCHER}.RegisterStatusNotifierItem",
                "s",
                name,
                self._has_registered,
            )
        elif not self.old_tray.open(self.icon) and not self._has_said_that_it_waits:
            self._has_said_that_it_waits = True
            self._say(
                "This desktop shows no tray at the moment; the icon appears as soon as it does."
            )

    def _has_registered(self, answer: Body | None) -> None:
        self.registered = answer is not None

    def _update_icon(self) -> None:
        self._icon_valid = True
        self._emit("NewIcon")
        self.old_tray.show(self.icon)

    def _update_title(self) -> None:
        self._emit("NewTitle")
        self._emit("NewToolTip")

    def _update_menu(self) -> None:
        if self._dbus_menu:
            self._dbus_menu.update()

    def _emit(self, name: str) -> None:
        if self._bus:
            self._bus.emit(PATH, INTERFACE, name)

    def _interface(self) -> Interface:
        return Interface(
            INTERFACE,
            {
                "Activate": Method("ii", "", then=self._activate),
                "SecondaryActivate": Method("ii", ""),
                "ContextMenu": Method("ii", ""),
                "Scroll": Method("is", ""),
            },
            self._properties,
        )

    def _activate(self, *_: Any) -> None:
        """A click in a panel that has no menus: what the menu's default item does."""
        self.menu(self)

    def _tooltip(self) -> tuple[str, str]:
        """The first line, and what is below it. A command's output is in the second one, which the
        panels read as markup; the first one is text."""
        first, _, rest = self.title.partition("\n")
        return first, without_markup(rest)

    def _properties(self) -> dict[str, Variant]:
        return {
            "Category": ("s", "ApplicationStatus"),
            "Id": ("s", self.name),
            "Title": ("s", self._tooltip()[0]),
            "Status": ("s", "Active"),
            "WindowId": ("i", 0),
            "IconName": ("s", ""),
            "IconPixmap": ("a(iiay)", self.icon),
            "ToolTip": ("(sa(iiay)ss)", ("", [], *self._tooltip())),
            "ItemIsMenu": ("b", True),  # a plain click opens the menu too
            "Menu": ("o", MENU_PATH),
        }
