"""Kept promises, over tasks and actions, are the same "1 of 4 kept" wherever they are shown."""

import pytest

from tests.e2e.machine import Machine, action

TASKS = """## Tasks

- [ ] good | Make a file | run: touch good.txt | verify: file:good.txt
- [ ] failing | Fail honestly | run: exit 3
- [ ] wrong | Do something else | run: true | verify: file:wrong.txt
- [ ] late | Never end in time | run: sleep 60 | timeout: 1s
"""
ACTIONS = "## Pending Actions\n\n" + "".join(
    [
        action("good", "true"),
        action("failing", "exit 3"),
        action("missing", "no-such-command-here"),
        action("late", "sleep 60", "timeout: 1s"),
    ]
)
BOTH = """## Tasks

- [ ] good_task | Make a file | run: touch good.txt | verify: file:good.txt
- [ ] wrong_task | Do something else | run: true | verify: file:wrong.txt

""" + ("## Pending Actions\n\n" + action("failing", "exit 3") + action("broken", "exit 4"))


@pytest.mark.parametrize("text", [TASKS, ACTIONS, BOTH], ids=["tasks", "actions", "both"])
def test_three_failed_and_one_good_are_one_of_four_kept(machine: Machine, text: str) -> None:
    machine.file.write_text(text)
    done = machine.heartbeat("run")
    assert done.code == 1
    (today,) = (line for line in done.out.splitlines() if line.startswith("Today: "))
    assert today.startswith("Today: 1 of 4 kept")

    (today,) = (line for line in machine.heartbeat("status").out.splitlines() if "today: " in line)
    assert today.startswith("  today: 1 of 4 kept; ")
    day, *_, today = (
        line for line in machine.heartbeat("score").out.splitlines() if "kept" in line
    )
    assert day.endswith(" 1 of 4 kept")
    assert today.startswith("Today: 1 of 4 kept, ")
    assert "Promises: 1 of 4 kept." in " ".join(machine.heartbeat("score", "--explain").out.split())

    expected = {"kept": 0.25, "kept_count": 1, "due_count": 4}
    status = machine.json("status")["score"]
    (newest,) = machine.json("score")["days"]
    for found in (status, newest):
        assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("text", [TASKS, ACTIONS, BOTH], ids=["tasks", "actions", "both"])
def test_a_beat_counts_them_in_its_own_answer(machine: Machine, text: str) -> None:
    machine.file.write_text(text)
    score = machine.json("run", code=1)["score"]
    assert (score["kept"], score["kept_count"], score["due_count"]) == (0.25, 1, 4)


def test_nothing_is_said_of_promises_where_none_was_due(machine: Machine) -> None:
    machine.write(action("later", "true", "schedule: yearly:02-28:03:00"))
    for words in (["run"], ["status"], ["score"]):
        assert "kept" not in machine.heartbeat(*words).out

    score = machine.json("status")["score"]
    assert (score["kept"], score["kept_count"], score["due_count"]) == (None, 0, 0)
