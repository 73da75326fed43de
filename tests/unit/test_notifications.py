"""Notifications over the tray's connection: what is sent, what a click does, and when nothing is listened to."""

from collections.abc import Callable
from typing import Any

from core.model.announcements import Message
from core.model.report import Notice
from tray_app.tray.commands import Act, Command
from tray_app.tray.icon_files import pixmaps
from tray_app.tray.notifications import NOT_SHOWN, Notifications
from tray_app.tray.old_tray import OPAQUE, colour, runs
from tray_app.tray.session_bus import Heard

FAILURE = Message(Notice("failure", "backup failed", "<b>exit & code</b> 3"), "critical", "failure:action:backup")


class FakeBus:
    """A bus with a notification service, or without one."""

    def __init__(self, has_service: bool = True) -> None:
        self.has_service = has_service
        self.sent: list[tuple[Any, ...]] = []
        self.heard: dict[str, Callable[..., None]] = {}

    def call(self, owner: str, path: str, name: str, takes: str, arguments: Any, then: Callable[..., None]) -> None:
        self.sent.append(arguments)
        then((arguments[1] or len(self.sent) + 100,) if self.has_service else None)

    def listen(self, sender: str, path: str, interface: str, *heard: Heard) -> None:
        self.heard = {one.name: one.on_signal for one in heard}

    def unlisten(self, sender: str, path: str, interface: str) -> None:
        self.heard = {}


class Desk:
    def __init__(self, has_service: bool = True) -> None:
        self.bus = FakeBus(has_service)
        self.commands: list[Command] = []
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


def test_a_click_does_what_the_button_says_and_one_beside_it_the_first() -> None:
    desk = Desk()
    desk.notifications.show(FAILURE)
    clicked = desk.bus.heard["ActionInvoked"]
    for name in ("1", "default"):
        clicked(101, name)
    assert desk.commands == [Command(Act.RUN, "action:backup"), Command(Act.RECEIPT, "action:backup")]


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


def test_an_icon_as_the_shape_of_a_window_covers_exactly_its_opaque_pixels() -> None:
    for width, height, argb in pixmaps("attention"):
        covered = {(x + step, y) for x, y, length, _ in runs(width, argb) for step in range(length)}
        opaque = {(x, y) for y in range(height) for x in range(width) if argb[4 * (y * width + x)] >= OPAQUE}
        assert covered == opaque
        assert colour(argb) == bytes((0xD0, 0x7A, 0x00))
