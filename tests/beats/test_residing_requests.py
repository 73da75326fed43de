"""What the person asks the always-on process for while it runs, and what it passes on to them."""

from core.model.announcements import Message
from core.model.holder import Holder, Purpose
from core.model.report import Notice, NoticeKind
from core.model.status import WorkspaceState
from core.model.trouble import TroubleKey, TroubleKind
from tests.beats.house import House
from tests.stage import at

NEWS = Message(
    Notice(NoticeKind.FAILURE, "backup failed", "exit code 3"),
    trouble=TroubleKey(TroubleKind.FAILURE, "action:backup"),
)


def in_a_beat() -> House:
    house = House()
    house.settle()
    assert house.round("16 11:00") == "beat timer"
    return house


def test_a_cancelled_beat_is_asked_to_end_and_what_it_left_is_not_begun_again_for_a_while() -> None:
    house = in_a_beat()
    house.resident.cancel()
    assert house.children.started[-1].asked == ["end"]
    house.child_ends(wake="16 11:00", beat=True)
    assert house.round("16 11:00:05") == ""
    assert house.until == at("16 11:10")
    assert house.resident.status().next_beat == at("16 11:10")
    assert house.round("16 11:10") == "plan"


def test_a_beat_that_dies_of_being_cancelled_is_not_a_failure() -> None:
    house = in_a_beat()
    house.resident.cancel()
    house.child_ends(-15)
    assert (house.said, house.resident.failures) == ([], 0)
    assert house.round("16 11:05") == ""


def test_after_a_cancel_the_person_can_still_run_what_they_want() -> None:
    house = in_a_beat()
    house.resident.cancel()
    house.child_ends(wake="16 11:00", beat=True)
    house.resident.run_now(["action:backup"])
    assert house.round("16 11:01") == "beat person action:backup"
    house.child_ends(wake="16 12:00", beat=True)


def test_a_wake_does_not_end_the_calm_after_a_cancel() -> None:
    """The cancelled beat itself wakes the process, to announce what it could not do."""
    house = in_a_beat()
    house.resident.cancel()
    house.child_ends(wake="16 11:00", beat=True)
    house.resident.wake()
    assert house.round("16 11:01") == ""


def test_a_saved_file_ends_the_calm() -> None:
    house = in_a_beat()
    house.resident.cancel()
    house.child_ends(wake="16 11:00", beat=True)
    house.waiting.happenings = [house.changed.set]
    house.resident._wait(None)
    assert house.round() == "plan"


def test_after_a_cancel_in_a_terminal_what_was_left_is_not_begun_again_for_a_while() -> None:
    house = in_a_beat()
    house.ledger.requests.note_cancel(house.clock.now())
    house.child_ends(-9, wake="16 11:00")
    assert (house.said, house.resident.failures) == ([], 0)
    assert house.round("16 11:00:05") == ""
    assert house.until == at("16 11:10")
    assert house.ledger.requests.take_cancel() is None


def test_a_cancel_from_before_the_resident_started_means_nothing() -> None:
    house = House()
    house.ledger.requests.note_cancel(at("16 09:00"))
    house.settle()
    assert house.round("16 11:00") == "beat timer"


def test_a_batch_that_was_killed_by_a_cancel_is_not_a_failure() -> None:
    house = in_a_beat()
    child = house.children.started[-1]
    house.model_lock.held_by = Holder(child.pid, at("16 11:00"), Purpose.BATCH)
    house.round()
    house.ledger.requests.note_cancel(house.clock.now())
    house.resident.reap()
    child.end(-9)
    house.resident.reap()
    assert (house.said, house.resident.failures, house.resident.batches) == ([], 0, [])


def test_what_a_beat_left_to_tell_is_shown_once_and_is_in_the_log() -> None:
    house = House()
    messages: list[Message] = []
    house.resident.notify = messages.append
    house.ledger.announcements.leave_message(NEWS)
    house.resident._round()
    house.resident._round()
    assert messages == [NEWS]
    assert house.said == ["backup failed: exit code 3"]


def test_a_menu_action_that_could_not_even_tell_why_it_failed_is_shown() -> None:
    house = House()
    messages: list[Message] = []
    house.resident.notify = messages.append
    house.resident.start_helper(["/bin/menu_action"])
    menu_action = house.children.started[-1]
    menu_action.end(1)
    house.resident.reap()
    assert [message.notice.title for message in messages] == ["That did not work"]
    assert "exit code 1" in messages[0].notice.message
    house.resident.start_helper(["/bin/menu_action"])
    house.children.started[-1].end(0)
    house.resident.reap()
    assert (len(messages), house.resident.helpers) == (1, [])


def test_a_child_that_cannot_be_started_is_shown_as_a_notification_once() -> None:
    house = House()
    messages: list[Message] = []
    house.resident.notify = messages.append
    house.children.missing = frozenset({"/bin/heartbeat"})
    house.round()
    house.round("16 10:30")
    assert [message.notice.title for message in messages] == ["Heartbeat has a problem"]


def test_the_status_says_whether_it_starts_at_login() -> None:
    house = House()
    assert house.resident.status().starts_at_login is False
    assert house.resident.status().state is WorkspaceState.IDLE
