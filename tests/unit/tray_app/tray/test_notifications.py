"""Notifications over the tray's connection: what is sent, what a click does, and when nothing is
listened to."""

from collections.abc import Callable
from typing import Any

from core.model.announcements import Message
from core.model.report import Notice, NoticeKind, Urgency
from core.model.trouble import TroubleKey, TroubleKind
from tray_app.tray.commands import MenuAction, MenuCommand, ResidentAction
from tray_app.tray.notifications import NOT_SHOWN, Notifications
from tray_app.tray.session_bus import Heard

FAILURE = Message(
    Notice(NoticeKind.FAILURE, "backup failed", "<b>exit & code</b> 3"),
    Urgency.CRITICAL,
    TroubleKey(TroubleKind.FAILURE, "action:backup"),
)


class FakeBus:
    """A bus with a notification service, or without one."""

    def __init__(self, has_service: bool = True) -> None:
        self.has_service = has_service
        self.sent: list[tuple[Any, ...]] = []
        self.heard: dict[str, Callable[..., None]] = {}

    def call(
        self,
        owner: str,
        path: str,
        name: str,
        takes: str,
        arguments: Any,
        then: Callable[..., None],
    ) -> None:
        self.sent.append(arguments)
        then((arguments[1] or len(self.sent) + 100,) if self.has_service else None)

    def listen(self, sender: str, path: str, interface: str, *heard: Heard) -> None:
        self.heard = {one.name: one.on_signal for one in heard}

    def unlisten(self, sender: str, path: str, interface: str) -> None:
        self.heard = {}


class Desk:
    def __init__(self, has_service: bool = True) -> None:
        self.bus = FakeBus(has_service)
        self.commands: list[MenuCommand] = []
        self.said: list[str] = []
        self.notifications = Notifications(self.bus, self.commands.append, self.said.append)  # type: ignore[arg-type]


def test_what_is_sent_has_its_buttons_and_no_markup() -> None:
    desk = Desk()
    desk.notifications.show(FAILURE)
    ((program, replaced, _, title, words, buttons, hints, _),) = desk.bus.sent
    assert (program, replaced, title) == ("Heartbeat", 0, "backup failed")
    assert words == "&lt;b>exit &amp; code&lt;/b> 3"
    assert buttons == ["default", "Open", "0", "Open", "1", "Run again", "2", "Snooze 1 h"]
    assert hints == {"urgency": ("y", 2)}


def test_a_click_does_what_the_button_says_and_outside_the_buttons_what_the_first_one_does() -> (
    None
):
    desk = Desk()
    desk.notifications.show(FAILURE)
    clicked = desk.bus.heard["ActionInvoked"]
    for name in ("1", "default"):
        clicked(101, name)
    assert desk.commands == [
        MenuCommand(ResidentAction.RUN, "action:backup"),
        MenuCommand(MenuAction.RECEIPT, "action:backup"),
    ]


def test_clicks_on_what_is_not_ours_or_not_a_button_do_nothing() -> None:
    desk = Desk()
    desk.notifications.show(FAILURE)
    clicked = desk.bus.heard["ActionInvoked"]
    for number, name in ((7, "0"), (101, "9"), (101, "-1"), (101, "nonsense")):
        clicked(number, name)
    assert desk.commands == []


def test_news_of_the_same_trouble_takes_the_place_of_what_is_still_there() -> None:
    desk = Desk()
    desk.notifications.show(FAILURE)
    desk.notifications.show(FAILURE)
    assert [arguments[1] for arguments in desk.bus.sent] == [0, 101]
    desk.bus.heard["NotificationClosed"](101, 2)
    desk.notifications.show(FAILURE)
    assert desk.bus.sent[-1][1] == 0


def test_it_listens_only_while_something_can_be_clicked() -> None:
    desk = Desk()
    assert desk.bus.heard == {}
    desk.notifications.show(FAILURE)
    assert set(desk.bus.heard) == {"ActionInvoked", "NotificationClosed"}
    desk.bus.heard["NotificationClosed"](5, 1)
    assert desk.bus.heard
    desk.bus.heard["NotificationClosed"](101, 1)
    assert desk.bus.heard == {}


def test_without_a_service_it_is_said_once_and_nothing_is_listened_to() -> None:
    desk = Desk(has_service=False)
    desk.notifications.show(FAILURE)
    desk.notifications.show(FAILURE)
    assert (desk.said, desk.bus.heard) == ([NOT_SHOWN], {})
    desk.bus.has_service = True
    desk.notifications.show(FAILURE)
    assert set(desk.bus.heard) == {"ActionInvoked", "NotificationClosed"}
