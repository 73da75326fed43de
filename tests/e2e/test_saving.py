"""Any way of saving leads to exactly one new plan, within 2 s; what the program writes itself
leads to none."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action, alive, wait_for
from tests.person import WAYS

AT_MOST = 2.0  # seconds from the save to the start of the plan


def sed(path: Path, data: bytes) -> None:
    subprocess.run(["sed", "-i", "$a One more line, by sed.", path], check=True)


def mv(path: Path, data: bytes) -> None:
    new = path.parents[1] / "new"
    new.write_bytes(data)
    subprocess.run(["mv", new, path], check=True)


def cp(path: Path, data: bytes) -> None:
    new = path.parents[1] / "new"
    new.write_bytes(data)
    subprocess.run(["cp", new, path], check=True)


def git_checkout(path: Path, data: bytes) -> None:
    """The real thing, in two steps of which only the second changes the file."""

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", *words],
            cwd=path.parent,
            check=True,
            capture_output=True,
            env={"HOME": str(path.parents[1]), "PATH": "/usr/bin:/bin"},
        )

    git("init", "--initial-branch=main")
    path.write_bytes(data)
    git("add", "HEARTBEAT.md")
    git("commit", "--message=now")


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"\nOne more line.\n")


def slowly(path: Path, data: bytes) -> None:
    """A large file over a slow connection: one save all the same."""
    with path.open("wb", buffering=0) as file:
        for start in range(0, len(data), 1 + len(data) // 8):
            file.write(data[start : start + 1 + len(data) // 8])
            time.sleep(0.1)  # it is the slow writer, not a wait of the test


REAL_PROGRAMS: dict[str, Callable[[Path, bytes], None]] = {
    "sed -i": sed,
    "mv": mv,
    "cp": cp,
    "git": git_checkout,
    ">>": append,
    "slowly": slowly,
}


@pytest.fixture
def resting(machine: Machine) -> Machine:
    machine.witness_starts()
    machine.write(action("later", "true", "schedule: daily:03:00"))
    return machine


def plan_follows(machine: Machine, plans: int, saved: float) -> None:
    """Exactly one plan more than there were, soon after the save."""
    wait_for(lambda: len(machine.starts("plan")) > plans, "a plan")
    started = machine.starts("plan")
    assert len(started) == plans + 1
    assert started[-1].at - saved < AT_MOST


def test_every_way_of_saving_leads_to_exactly_one_plan(resting: Machine) -> None:
    """One after the other: a second plan of an earlier save would be counted at a later one."""
    with resting.start("daemon"):
        wait_until_planned(resting)
        for way, save in [*WAYS.items(), *REAL_PROGRAMS.items()]:
            plans = len(resting.starts("plan"))
            save(resting.file, resting.file.read_bytes() + f"\nSaved by {way}.\n".encode())
            plan_follows(resting, plans, time.time())
            wait_until_planned(resting)
        assert len(resting.starts("plan")) == 1 + len(WAYS) + len(REAL_PROGRAMS)
        assert resting.starts("beat") == []


def wait_until_planned(machine: Machine) -> None:
    """Until the latest plan has ended."""
    (*_, plan) = wait_for(lambda: machine.starts("plan"), "a plan")
    wait_for(lambda: not alive(plan.pid), "the plan to end")


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [
        (
            "workspace/config.json",
            '{"heartbeat": {"intervalMs": 600000}}',
            '{"heartbeat": {"intervalMs": 700000}}',
        ),
        ("config/config.toml", 'interval = "10m"', 'interval = "11m"'),
        (
            "workspace/heartbeat/hello.md",
            "---\ntitle: Hello\n---\nSay hello.",
            "---\ntitle: Hello\n---\nSay it again.",
        ),
    ],
)
def test_settings_and_prompts_count_too_new_changed_and_removed(
    resting: Machine, name: str, first: str, then: str
) -> None:
    path = resting.folder / name
    path.parent.mkdir(exist_ok=True)
    with resting.start("daemon"):
        wait_until_planned(resting)
        for content in (first, then):
            plans = len(resting.starts("plan"))
            path.write_text(content)
            plan_follows(resting, plans, time.time())
            wait_until_planned(resting)
        path.unlink()
        plan_follows(resting, 3, time.time())


def test_a_heartbeat_file_of_another_name_counts_too(resting: Machine) -> None:
    (resting.workspace / "config.json").write_text(
        '{"heartbeat": {"heartbeatFile": "plans/today.md"}}'
    )
    file = resting.workspace / "plans" / "today.md"
    file.parent.mkdir()
    file.write_text(resting.text())
    with resting.start("daemon"):
        wait_for(
            lambda: len(resting.starts("plan")) == 2,
            "the plan, and one more for the file that it found",
        )
        wait_until_planned(resting)
        plans = len(resting.starts("plan"))
        file.write_text(resting.text() + "\nOne more line.\n")
        plan_follows(resting, plans, time.time())
        wait_until_planned(resting)
        (resting.workspace / "config.json").write_text(
            '{"heartbeat": {"heartbeatFile": "plans/tomorrow.md"}}'
        )
        plan_follows(resting, plans + 1, time.time())
        wait_until_planned(resting)
        (file.parent / "tomorrow.md").write_text(resting.text())
        plan_follows(resting, plans + 2, time.time())


def test_a_save_while_a_beat_runs_is_planned_after_it(resting: Machine) -> None:
    resting.write(action("long", "touch began; while ! test -e go; do sleep 0.05; done"))
    with resting.start("daemon"):
        wait_for((resting.workspace / "began").exists, "the beat")
        new = action("new", "echo x >> new", "schedule: every:1h")
        resting.file.write_text(resting.text().replace("## Notes", f"{new}## Notes"))
        resting.approve()
        resting.approve()
        (resting.workspace / "go").touch()
        wait_for(lambda: resting.lines("new") == ["x"], "the new action")
        assert len(resting.starts("plan")) == 2


def test_what_the_program_writes_leads_to_no_plan(resting: Machine) -> None:
    resting.write(
        action(
            "tick", "echo x >> ticks; test $(wc -l < ticks) != 2 || sleep 2.5", "schedule: every:1s"
        )
    )
    with resting.start("daemon"):
        wait_for(lambda: len(resting.lines("ticks")) >= 5, "five beats, one of them long", 40)
        assert "## Completed Today" in resting.text()
        assert len(resting.starts("plan")) == 1


def test_files_that_do_not_count_lead_to_no_plan(resting: Machine) -> None:
    with resting.start("daemon"):
        wait_until_planned(resting)
        for name in (
            "notes.txt",
            ".HEARTBEAT.md.swp",
            "HEARTBEAT.md~",
            "4913",
            "HEARTBEAT.sync-conflict-1.md",
        ):
            (resting.workspace / name).write_text("not yours")
        resting.file.touch()
        text = resting.text()
        resting.file.write_text(text)  # the same again
        resting.file.read_text()
        plans = len(resting.starts("plan"))
        resting.file.write_text(text + "\nOne more line.\n")  # this one does, and is the only one
        plan_follows(resting, plans, time.time())
