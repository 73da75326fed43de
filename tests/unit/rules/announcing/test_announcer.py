"""What is announced: once, again when it changes, and once when it is over; limits, quiet hours,
snooze."""

from datetime import timedelta

from core.model.announcements import Announced, Announcements, Message, Trouble
from core.model.report import Notice, NoticeKind, Urgency
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.announcer import announce, snooze
from tests.stage import MONDAY

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def key(name: str) -> TroubleKey:
    return TroubleKey(TroubleKind.FAILURE, name)


def trouble(name: str, words: str = "bad", urgent: bool = False) -> Trouble:
    return Trouble(key(name), Notice(NoticeKind.FAILURE, name, words), (words,), urgent)


class Announcer:
    """One memory, asked again and again."""

    def __init__(self) -> None:
        self.memory = Announcements()
        self.now = MONDAY

    def say(
        self, *troubles: Trouble, over: tuple[str, ...] = (), quiet: bool = False, per_hour: int = 6
    ) -> list[str]:
        self.memory, messages = announce(
            self.memory, troubles, [*map(key, over)], self.now, is_quiet=quiet, per_hour=per_hour
        )
        self.now += MINUTE
        return [message.notice.title for message in messages]


def test_a_trouble_is_announced_once_again_when_it_changes_and_once_when_it_is_over() -> None:
    announcer = Announcer()
    assert announcer.say(trouble("a")) == ["a"]
    assert announcer.say(trouble("a")) == []
    assert announcer.say() == []
    assert announcer.say(trouble("a")) == []
    assert announcer.say(trouble("a", "worse")) == ["a"]
    assert announcer.say(over=("a",)) == ["a works again"]
    assert announcer.say(over=("a",)) == []
    assert announcer.say(trouble("a", "worse")) == ["a"]


def test_another_wording_of_the_same_trouble_is_not_news() -> None:
    announcer = Announcer()
    one = key("action:backup")
    assert announcer.say(Trouble(one, Notice(NoticeKind.FAILURE, "a", "It failed."), ("1",))) == [
        "a"
    ]
    assert (
        announcer.say(Trouble(one, Notice(NoticeKind.FAILURE, "b", "That went wrong."), ("1",)))
        == []
    )
    assert announcer.say(
        Trouble(one, Notice(NoticeKind.FAILURE, "b", "That went wrong."), ("2",))
    ) == ["b"]


def test_what_an_earlier_version_announced_with_a_sentence_is_not_announced_again() -> None:
    announcer = Announcer()
    announcer.memory = Announcements({key("a"): Announced(None, "a")})
    assert announcer.say(trouble("a")) == []
    assert announcer.memory.announced[key("a")] == Announced(("bad",), "a")
    assert announcer.say(trouble("a", "worse")) == ["a"]
    assert announcer.say(over=("a",)) == ["a works again"]


def test_what_is_too_much_for_an_hour_comes_as_one_digest() -> None:
    announcer = Announcer()
    titles = announcer.say(*[trouble(f"t{number}") for number in range(10)])
    assert titles == ["t0", "t1", "t2", "t3", "t4", "5 things to know"]
    assert announcer.say(trouble("late")) == []
    assert announcer.say(trouble("later")) == []
    announcer.now += HOUR
    assert announcer.say() == ["2 things to know"]
    assert announcer.say() == []


def test_six_fit_into_an_hour() -> None:
    announcer = Announcer()
    assert [announcer.say(trouble(f"t{number}")) for number in range(7)] == [
        [f"t{n}"] for n in range(6)
    ] + [[]]
    announcer.now += HOUR - 5 * MINUTE
    assert announcer.say() == ["t6"]  # a digest of one is that one


def test_in_quiet_hours_only_what_is_urgent_is_announced_and_the_rest_after_them() -> None:
    announcer = Announcer()
    assert announcer.say(trouble("a"), trouble("b", urgent=True), quiet=True) == ["b"]
    assert announcer.say(trouble("c"), quiet=True) == []
    assert announcer.say(trouble("a"), quiet=False) == ["2 things to know"]


def test_what_was_held_and_is_over_is_never_announced() -> None:
    announcer = Announcer()
    announcer.say(trouble("a"), quiet=True)
    assert announcer.say(over=("a",), quiet=True) == []
    assert announcer.say() == []


def test_a_snoozed_trouble_is_announced_again_when_the_time_is_over() -> None:
    announcer = Announcer()
    announcer.say(trouble("a"))
    announcer.memory = snooze(announcer.memory, key("a"), announcer.now + HOUR)
    assert announcer.say(trouble("a", "worse")) == []
    assert announcer.say(trouble("b")) == ["b"]
    announcer.now += HOUR
    assert announcer.say(trouble("a", "worse")) == ["a"]


def test_urgent_messages_say_so() -> None:
    _, messages = announce(
        Announcements(), [trouble("a", urgent=True)], (), MONDAY, is_quiet=False, per_hour=6
    )
    notice = Notice(NoticeKind.FAILURE, "a", "bad")
    assert messages == [Message(notice, Urgency.CRITICAL, key("a"), {key("a"): notice})]
