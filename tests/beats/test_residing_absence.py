"""The always-on loop while the workspace's folder is not there: told once, nothing starts, and it
goes on when the folder is back."""

from datetime import timedelta

from core.engine.resident import AWAY, CHECK_AGAIN
from core.model.announcements import Message
from core.model.holder import Machine, Owner
from core.model.status import WorkspaceState
from tests.beats.house import House
from tests.stage import at


class Absence:
    """A house whose folder a test takes away."""

    def __init__(self) -> None:
        self.house = House()
        self.told: list[Message] = []
        self.house.resident.notify = self.told.append
        self.house.settle()


def test_it_is_told_once_and_nothing_starts_until_it_is_back() -> None:
    absence = Absence()
    house = absence.house
    house.is_away = True
    assert house.round("16 11:00") == ""
    assert house.round("16 12:00") == ""
    assert [one.notice.title for one in absence.told] == ["The workspace's folder is gone"]
    assert len(house.said) == 1
    status = house.resident.status()
    assert (status.state, status.next_beat) == (WorkspaceState.ATTENTION, None)
    assert status.needs[0].trouble == AWAY

    house.is_away = False
    assert house.round("16 12:01") == "plan"
    house.child_ends()
    assert house.round() == "beat timer"
    assert [one.notice.title for one in absence.told[1:]] == ["The workspace's folder is back"]
    assert all(need.trouble != AWAY for need in house.resident.status().needs)


def test_it_is_looked_for_twice_a_minute_and_at_once_where_the_system_tells() -> None:
    absence = Absence()
    house = absence.house
    checks = house.watcher.checks
    house.is_away = True
    house.round()
    assert house.watcher.checks == checks + 1  # it watches for the return from now on
    house.resident._wait(house.until)
    assert house.waiting.waits[-1] == at("16 10:00") + CHECK_AGAIN
    assert timedelta(seconds=30) <= CHECK_AGAIN


def test_a_person_who_asks_for_a_beat_meanwhile_is_answered_and_gets_none_later() -> None:
    absence = Absence()
    house = absence.house
    house.is_away = True
    house.round()
    house.resident.run_now(["backup"])
    assert house.round() == ""
    assert absence.told[-1].notice.title == "Nothing was run"
    house.is_away = False
    assert house.round() == "plan"
    house.child_ends()
    assert house.round() == ""


def test_a_child_that_failed_for_want_of_its_folder_is_no_crash() -> None:
    absence = Absence()
    house = absence.house
    assert house.round("16 11:00") == "beat timer"
    house.is_away = True
    house.child_ends(2)
    assert house.round() == ""
    assert [one.notice.title for one in absence.told] == ["The workspace's folder is gone"]
    house.is_away = False
    assert house.round() == "plan"


def test_the_machine_that_runs_the_workspace_is_not_forgotten_with_the_folder() -> None:
    absence = Absence()
    house = absence.house
    house.owner.shared.owner = Owner(Machine("m2", "the laptop"), at("16 10:00"))
    assert house.round("16 11:00") == ""
    house.is_away = True
    house.owner.shared.owner = None
    house.round()
    assert "This machine runs the workspace again." not in house.said
