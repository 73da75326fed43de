"""Notifications with buttons, over the tray's own connection. Nothing here waits: answers and
clicks are handled when they arrive.

If there is no notification service, that is said once; what the messages are about stays in
"Needs you" and in the log.
"""

from collections.abc import Callable
from typing import NamedTuple

from core.model.announcements import Message
from core.model.trouble import TroubleKey
from core.rules.printable import without_markup
from tray_app.tray.commands import Button, MenuCommand, answers_to
from tray_app.tray.session_bus import Body, Heard, SessionBus

SERVICE = INTERFACE = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
BY_THE_SERVICE = -1  # it decides how long the message stays
NOT_SHOWN = "This desktop shows no notifications; the messages are here and in the tray's menu."


class Shown(NamedTuple):
    trouble: TroubleKey | None
    buttons: tuple[Button, ...]


class Notifications:
    def __init__(
        self, bus: SessionBus, on_command: Callable[[MenuCommand], None], say: Callable[[str], None]
    ) -> None:
        self._bus = bus
        self._on_command = on_command
        self._say = say
        self._open: dict[int, Shown] = {}  # those that the person may still click on
        self._is_listening = False
        self._has_said_it = False  # that nothing is shown

    def show(self, message: Message) -> None:
        buttons = answers_to(message.trouble)
        self._listen()
        arguments = (
            "Heartbeat",
            self._number_of(message.trouble),
            "",
            message.notice.title,
            without_markup(message.notice.message),
            actions(buttons),
            {"urgency": ("y", message.urgency.level)},
            BY_THE_SERVICE,
        )

        def is_shown(answer: Body | None) -> None:
            if answer is None:
                self._say_once()
                self._listen_no_more()
            else:
                self._open[answer[0]] = Shown(message.trouble, buttons)

        self._bus.call(SERVICE, PATH, f"{INTERFACE}.Notify", "susssasa{sv}i", arguments, is_shown)

    def _say_once(self) -> None:
        if not self._has_said_it:
            self._has_said_it = True
            self._say(NOT_SHOWN)

    def _number_of(self, trouble: TroubleKey | None) -> int:
        """The open notification about the same trouble, which the new one replaces; 0: none."""
        for number, one in self._open.items():
            if trouble and one.trouble == trouble:
                return number

        return 0

    def _listen(self) -> None:
        """Only while one of ours is open: the notifications of every program would wake us."""
        if not self._is_listening:
            self._is_listening = True
            heard = (
                Heard("ActionInvoked", "us", self._clicked),
                Heard("NotificationClosed", "uu", self._closed),
            )
            self._bus.listen(SERVICE, PATH, INTERFACE, *heard)

    def _listen_no_more(self) -> None:
        if self._is_listening and not self._open:
            self._is_listening = False
            self._bus.unlisten(SERVICE, PATH, INTERFACE)

    def _clicked(self, number: int, name: str) -> None:
        shown = self._open.get(number)
        if shown is None:
            return

        named = {"default": shown.buttons[0]}
        for place, button in enumerate(shown.buttons):
            named[str(place)] = button

        if name in named:
            self._on_command(named[name].command)

    def _closed(self, number: int, _reason: int) -> None:
        if self._open.pop(number, None):
            self._listen_no_more()


def actions(buttons: tuple[Button, ...]) -> list[str]:
    """As the service takes them: names and labels in turn. `default` is a click outside the
    buttons."""
    words = ["default", buttons[0].label]
    for place, button in enumerate(buttons):
        words += [str(place), button.label]

    return words
