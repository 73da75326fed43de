"""What core.ports.Messenger promises, asked of the real one, whose web and tray are fakes, and of
the fake."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import pytest

from core.adapters.messages import messenger as messenger_module
from core.adapters.messages.channels import Channels
from core.adapters.messages.messenger import SystemMessenger
from core.model.announcements import Message
from core.model.http import NoAnswer
from core.model.report import Notice, NoticeKind, NotSent, Urgency
from core.model.trouble import TroubleKey, TroubleKind
from core.ports.outside import Messenger
from tests.fakes.outside import FakeHttp, FakeMessenger, no_secret

NEWS = Notice(NoticeKind.FAILURE, "backup failed", "It ended with exit code 1.")


class Person(Protocol):
    messenger: Messenger

    def break_the_way(self) -> None: ...
    def got(self) -> list[str]:
        """The channels over which the news came."""
        ...


class PersonInMemory:
    def __init__(self) -> None:
        self.fake = FakeMessenger()
        self.messenger: Messenger = self.fake

    def break_the_way(self) -> None:
        self.fake.problem = "no answer"

    def got(self) -> list[str]:
        return [] if self.fake.problem else [channel for channel, _ in self.fake.sent]


@dataclass
class PersonAtAMachine:
    """The real messenger: the phone is reached over the web, the desktop by what shows messages
    there."""

    http: FakeHttp = field(default_factory=FakeHttp)
    shown: list[Notice] = field(default_factory=list)
    left_to_tray: list[Message] = field(default_factory=list)
    has_tray: bool = False
    is_broken: bool = False

    def __post_init__(self) -> None:
        configured = {"phone": {"type": "ntfy", "topic": "mine"}}
        channels = Channels(configured, self.http, no_secret)
        self.messenger: Messenger = SystemMessenger(channels, self.to_tray, "Garden")

    def to_tray(self, message: Message) -> bool:
        if self.has_tray:
            self.left_to_tray.append(message)
        return self.has_tray

    def show(self, notice: Notice, urgency: Urgency) -> NotSent | None:
        if self.is_broken:
            return NotSent("there is no desktop", ("no_session",))
        self.shown.append(notice)
        return None

    def break_the_way(self) -> None:
        self.is_broken = True
        self.http.answer = NoAnswer("no answer within 10 s", ("timeout",))

    def got(self) -> list[str]:
        if self.is_broken:
            return []
        return ["phone"] * len(self.http.sent) + ["desktop"] * len(self.shown)


MAKE: dict[str, Callable[[], Person]] = {"fake": PersonInMemory, "system": PersonAtAMachine}


@pytest.fixture(params=MAKE)
def person(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Person:
    made = MAKE[request.param]()
    if isinstance(made, PersonAtAMachine):
        monkeypatch.setattr(messenger_module, "show_on_desktop", made.show)
    return made


@pytest.mark.parametrize("channel", ["desktop", "phone"])
def test_what_was_sent_has_reached_the_person(person: Person, channel: str) -> None:
    assert person.messenger.send(channel, NEWS, Urgency.NORMAL) is None
    assert person.got() == [channel]


@pytest.mark.parametrize("channel", ["desktop", "phone"])
def test_what_could_not_be_sent_says_why_as_the_end_of_a_sentence(
    person: Person, channel: str
) -> None:
    person.break_the_way()
    problem = person.messenger.send(channel, NEWS, Urgency.CRITICAL)
    assert isinstance(problem, NotSent)
    assert problem.reason
    assert not problem.reason.endswith(".")
    assert person.got() == []


BACKUP = TroubleKey(TroubleKind.FAILURE, "action:backup")


def test_trouble_goes_to_the_tray_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    person = PersonAtAMachine(has_tray=True)
    monkeypatch.setattr(messenger_module, "show_on_desktop", person.show)
    assert person.messenger.send("desktop", NEWS, Urgency.NORMAL, BACKUP) is None
    assert person.left_to_tray == [Message(NEWS, Urgency.NORMAL, BACKUP)]
    assert person.shown == []


def test_what_is_shown_says_which_workspace_it_comes_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = PersonAtAMachine()
    monkeypatch.setattr(messenger_module, "show_on_desktop", person.show)
    person.messenger.send("desktop", NEWS, Urgency.NORMAL)
    assert [one.title for one in person.shown] == [f"{NEWS.title} · Garden"]
