"""`notify`: what it takes, which messages are free, and what the person gets."""

import pytest

from core.actions.notify import NOTIFY
from core.actions.runnable import Call, Done
from core.model.action_type import Params
from core.model.approval import ReviewState
from core.model.errors import HeartbeatError
from core.model.occurrence import Outcome
from core.model.report import Notice, NoticeKind, Urgency
from tests.fakes.outside import FakeMessenger, no_secret
from tests.fakes.world import FakeWorld
from tests.unit.actions.written_action import (
    NOW,
    action,
    call,
    codes,
    executables,
    reach,
    state_after_change,
)

VALUES = {"date": "2026-11-16", "secret:pin": "1234"}


def run(params: Params, messenger: FakeMessenger) -> Done:
    return NOTIFY.run(FakeWorld(messenger=messenger), call(NOTIFY, params, values=VALUES))


# -- how it is written -----------------------------------------------------------------------------


def test_it_takes_a_title_a_message_an_urgency_and_a_channel() -> None:
    lines = "type: notify\ntitle: Backup\nmessage: It is done.\nurgency: low\nchannel: phone"
    assert codes(lines) == []
    assert action(lines).params == {
        "title": "Backup",
        "message": "It is done.",
        "urgency": "low",
        "channel": "phone",
    }


def test_without_a_message_it_cannot_run() -> None:
    lines = "type: notify\ntitle: Backup\nchannel: phone"
    assert codes(lines) == ["HB304"]
    assert "`message`" in str(action(lines).unclear)


def test_only_the_message_is_required() -> None:
    assert NOTIFY.missing({"title": "Backup"}) == ("message",)
    assert NOTIFY.missing({"message": "Done."}) == ()


def test_a_message_alone_does_not_make_it_a_notify_action() -> None:
    assert action("message: Done.").type is None
    assert codes("message: Done.") == ["HB303"]


def test_a_person_reads_what_it_says() -> None:
    assert NOTIFY.summary({"title": "Backup", "message": "Done."}) == "notifies “Done.”"


# -- what an approval covers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        "message: Done.",
        "message: Done.\nchannel: desktop",
        "title: Backup\nmessage: Done at {{time}}, {{last_error}}.\nurgency: critical",
    ],
)
def test_a_message_to_the_desktop_that_names_no_secret_is_free(lines: str) -> None:
    assert executables(f"type: notify\n{lines}") == ()


@pytest.mark.parametrize(
    "lines",
    [
        "message: Done.\nchannel: phone",
        "message: pin {{secret:pin}}",
        "message: pin {{ secret:pin }}\nchannel: desktop",
        "title: {{secret:pin}}\nmessage: Done.",
    ],
)
def test_a_message_to_another_channel_or_with_a_secret_needs_an_approval(lines: str) -> None:
    (one,) = executables(f"type: notify\n{lines}")
    assert (one.key, one.commands, one.candidates) == ("action:a", (), ())


WRITTEN = """
type: notify
title: Backup
message: Done.
urgency: low
channel: phone
timeout: 1m
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: Backup", "title: Bill"),
        ("title: Backup\n", ""),
        ("message: Done.", "message: {{secret:pin}}"),
        ("urgency: low", "urgency: critical"),
        ("channel: phone", "channel: team"),
    ],
)
def test_it_waits_again_when_what_it_says_or_to_whom_has_changed(old: str, new: str) -> None:
    assert old in WRITTEN
    assert state_after_change(WRITTEN, WRITTEN.replace(old, new)) is ReviewState.CHANGED


def test_it_stays_approved_when_only_its_schedule_has_changed() -> None:
    after = WRITTEN.replace("timeout: 1m", "schedule: daily:09:00")
    assert state_after_change(WRITTEN, after) is ReviewState.APPROVED


def test_a_person_is_told_which_channel_it_sends_over() -> None:
    assert reach(WRITTEN) == ("sends its text over the channel phone",)


def test_a_message_to_the_desktop_that_shows_a_secret_names_the_desktop() -> None:
    found = reach("type: notify\nmessage: {{secret:pin}}")
    assert found == ("sends its text over the channel desktop",)


# -- what the person gets --------------------------------------------------------------------------


def test_without_a_channel_and_a_title_its_name_is_shown_on_the_desktop() -> None:
    messenger = FakeMessenger()
    assert run({"message": "Done."}, messenger) == Done(Outcome.COMPLETED, "OK")
    assert messenger.sent == [("desktop", Notice(NoticeKind.ACTION, "The name", "Done."))]
    assert messenger.urgencies == [Urgency.NORMAL]


def test_it_is_sent_over_its_channel_with_the_values_of_variables() -> None:
    messenger = FakeMessenger()
    params = {"title": "On {{date}}", "message": "pin {{secret:pin}}", "channel": "phone"}
    assert run(params, messenger).outcome is Outcome.COMPLETED
    assert messenger.sent == [("phone", Notice(NoticeKind.ACTION, "On 2026-11-16", "pin 1234"))]


@pytest.mark.parametrize(
    ("word", "urgency"),
    [
        ("low", Urgency.LOW),
        ("normal", Urgency.NORMAL),
        ("critical", Urgency.CRITICAL),
        ("CRITICAL", Urgency.CRITICAL),
        ("", Urgency.NORMAL),
        ("very", Urgency.NORMAL),
    ],
)
def test_it_is_as_urgent_as_it_says_and_normal_if_that_is_not_known(
    word: str, urgency: Urgency
) -> None:
    messenger = FakeMessenger()
    run({"message": "Done.", "urgency": word}, messenger)
    assert messenger.urgencies == [urgency]


def test_it_failed_when_the_channel_refused_it() -> None:
    messenger = FakeMessenger("the server refused the message")
    done = run({"message": "Done.", "channel": "phone"}, messenger)

    assert (done.outcome, done.result) == (Outcome.FAILED, "")
    assert done.error == "the server refused the message"
    assert done.cause == ("not_sent", "phone", "the server refused the message")


@pytest.mark.parametrize("key", ["title", "message"])
def test_nothing_is_sent_when_the_keyring_does_not_give_a_secret(key: str) -> None:
    messenger = FakeMessenger()
    params = {"title": "t", "message": "m", key: "{{secret:pin}}"}
    with pytest.raises(HeartbeatError):
        NOTIFY.run(
            FakeWorld(messenger=messenger), Call(call(NOTIFY, params).action, 1, NOW, no_secret)
        )

    assert messenger.sent == []


def test_a_beat_that_sends_several_as_one_gets_the_same_parts() -> None:
    parts = NOTIFY.message
    assert parts
    params = {"title": "On {{date}}", "message": "pin {{secret:pin}}", "urgency": "low"}

    assert parts.channel(params) == "desktop"
    assert parts.channel({**params, "channel": "phone"}) == "phone"
    assert parts.urgency(params) is Urgency.LOW
    assert parts.notice("The name", params, VALUES.__getitem__) == Notice(
        NoticeKind.ACTION, "On 2026-11-16", "pin 1234"
    )
