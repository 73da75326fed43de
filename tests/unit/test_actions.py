"""The table of the types of action: each is run by its own record, and an unclear one never."""

from dataclasses import replace

import pytest

from core.actions import ACTION_TYPES, run_action
from core.actions.runnable import Call
from core.model.action_type import ActionType
from core.model.occurrence import Outcome
from tests.fakes.files import FakeFileWorker
from tests.fakes.outside import FakeHttp, FakeMessenger, no_secret
from tests.fakes.processes import FakeProcesses
from tests.fakes.world import FakeWorld
from tests.unit.actions.written_action import BEAT, NOW, action

WRITTEN = {
    "shell": "type: shell\ncommand: make",
    "http": "type: http\nurl: https://example.org/",
    "file": "type: file\noperation: write\npath: a\ncontent: x",
    "notify": "type: notify\nmessage: Done.",
}


class Ground:
    def __init__(self) -> None:
        self.processes = FakeProcesses()
        self.http = FakeHttp()
        self.worker = FakeFileWorker()
        self.messenger = FakeMessenger()
        self.world = FakeWorld(
            processes=self.processes,
            http=self.http,
            file_worker=self.worker,
            messenger=self.messenger,
        )

    def touched(self) -> dict[str, bool]:
        """By type of action, whether what it reaches was reached."""
        return {
            "shell": bool(self.processes.started),
            "http": bool(self.http.sent),
            "file": bool(self.worker.asked),
            "notify": bool(self.messenger.sent),
        }


def call(lines: str, kind: ActionType | None) -> Call:
    return Call(replace(action(lines), type=kind), BEAT, NOW, no_secret)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_action_is_run_by_its_own_type_and_no_other(name: str) -> None:
    ground = Ground()
    done = run_action(ground.world, call(WRITTEN[name], ACTION_TYPES.get(name)))

    assert done.outcome is Outcome.COMPLETED
    assert ground.touched() == {one: one == name for one in WRITTEN}


def test_without_a_type_it_needs_clarification_and_nothing_runs() -> None:
    ground = Ground()
    done = run_action(ground.world, call(WRITTEN["shell"], None))

    assert done.outcome is Outcome.NEEDS_CLARIFICATION
    assert done.error == "its type is unclear"
    assert not any(ground.touched().values())


def test_a_type_that_the_table_does_not_have_needs_clarification_and_nothing_runs() -> None:
    ground = Ground()
    shell = ACTION_TYPES.get("shell")
    assert shell
    done = run_action(ground.world, call(WRITTEN["shell"], replace(shell, name="git")))

    assert done.outcome is Outcome.NEEDS_CLARIFICATION
    assert not any(ground.touched().values())


def test_the_types_are_shown_in_the_order_of_the_documentation() -> None:
    assert ACTION_TYPES.names == ("shell", "http", "file", "notify")


def test_only_file_actions_displace_files_and_only_notify_actions_send_messages() -> None:
    assert [one.name for one in ACTION_TYPES if one.displaces_files] == ["file"]
    assert [one.name for one in ACTION_TYPES if one.message] == ["notify"]
