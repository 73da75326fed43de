"""kill -9 at the system calls of a beat that change something: whatever the moment, the next beat puts it right.

A sample of every kind of call; HEARTBEAT_WHOLE_SWEEP=1 takes them all (about 5 minutes).
"""

import os
import re
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.model.occurrence import Occurrence, Outcome
from tests.e2e.machine import Machine, action, workspace_text
from tests.faults.system_calls import Call, changing_calls, going_wrong, sample, watching

WHOLE = bool(os.environ.get("HEARTBEAT_WHOLE_SWEEP"))
AT_ONCE = 3  # most of a beat's time is waiting
ACTIONS = (
    action("one", "echo one >> ran; echo done one", priority="HIGH"),
    action("two", "echo two >> ran; echo done two"),
)
WITH_FRONTMATTER = workspace_text(*ACTIONS)
WITHOUT = workspace_text(*ACTIONS, header="")


def new_machine(folder: Path, text: str) -> Machine:
    machine = Machine(folder)
    machine.file.write_text(text)
    machine.approve()
    machine.says_yes = False  # from now on nobody but the beat itself touches anything
    return machine


def calls_of_a_beat(folder: Path, text: str) -> list[Call]:
    for name in ("first", "second"):  # the first one also compiles what was never imported
        machine = new_machine(folder / name, text)
        assert machine.heartbeat("run", before=watching(folder / "trace")).code == 0
    return changing_calls(folder / "trace")


@pytest.mark.parametrize(("text", "most_of_a_kind"), [(WITH_FRONTMATTER, 9), (WITHOUT, 3)])
def test_killed_at_any_call_the_next_beat_recovers(tmp_path: Path, text: str, most_of_a_kind: int) -> None:
    calls = calls_of_a_beat(tmp_path, text)
    assert {"pwrite64", "fdatasync", "rename", "renameat2", "unlink", "write", "openat"} <= {one.name for one in calls}
    assert len(calls) > 150
    assert broken_after_each(calls if WHOLE else sample(calls, most_of_a_kind), tmp_path, text) == []


def broken_after_each(calls: list[Call], folder: Path, text: str, *before: Call) -> list[str]:
    """Every promise that a kill at one of the calls breaks; `before` are kills of the beats before that one."""
    machines = [new_machine(folder / f"{call.name}-{call.number}", text) for call in calls]

    def broken(call: Call, machine: Machine) -> list[str]:
        found = []
        for kill in (*before, call):
            killed = machine.heartbeat("run", before=going_wrong(kill, "signal=KILL"))
            found += [] if killed.code == -9 else [f"it was not killed: {killed}"]
        found += [f"right after: {what}" for what in broken_promises_about_the_file(machine, text)]
        return [f"{call}: {what}" for what in (*found, *broken_promises_after_recovery(machine, text))]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [what for found in pool.map(broken, calls, machines) for what in found]


def broken_promises_after_recovery(machine: Machine, text: str) -> list[str]:
    recovered = machine.heartbeat("run")
    broken = [f"left behind: {path.name}" for path in leftovers(machine)]
    if "Traceback" in recovered.err or recovered.code not in (0, 1):
        broken.append(f"the next beat ended with {recovered}")
    if "RUNNING" in machine.text() or "status: running" in machine.text():
        broken.append("the file says that something runs")
    return broken + broken_promises_about_the_file(machine, text) + broken_promises_about_the_ledger(machine)


@pytest.mark.parametrize(("name", "number"), [("renameat2", 1), ("rename", 1), ("rename", 3), ("fsync", 1)])
def test_killed_while_the_file_is_to_show_what_runs_the_next_beat_recovers(
    tmp_path: Path, name: str, number: int
) -> None:
    """The write of a beat's second second is another thread's; the first one waits for the command meanwhile."""
    text = WITH_FRONTMATTER.replace("echo one >> ran;", "echo one >> ran; sleep 3;")
    machine = new_machine(tmp_path / "machine", text)
    strace, *words = going_wrong(Call(name, number, ""), "signal=KILL")
    killed = machine.heartbeat("run", before=[strace, "-f", *words])
    assert killed.code == -9
    assert machine.lines("ran") == ["one"]  # in the middle of the first action
    assert broken_promises_about_the_file(machine, text) == []
    assert broken_promises_after_recovery(machine, text) == []
    assert machine.lines("ran") == ["one", "two"]


def test_killed_while_it_recovers_the_beat_after_that_recovers(tmp_path: Path) -> None:
    """The first beat is killed when all is done and nothing is shown yet, and so is the one that makes up for it."""
    text = WITH_FRONTMATTER
    (first,) = (call for call in calls_of_a_beat(tmp_path, text) if call.name == "renameat2")
    trial = new_machine(tmp_path / "trial", text)
    trial.heartbeat("run", before=going_wrong(first, "signal=KILL"))
    assert trial.heartbeat("run", before=watching(tmp_path / "recovery")).code == 0
    # How many files it opens depends on how many processes there are: it looks for what the killed one left running.
    calls = [call for call in changing_calls(tmp_path / "recovery") if call.name != "openat"]
    assert len(calls) > 30
    assert broken_after_each(calls if WHOLE else sample(calls, 1), tmp_path, text, first) == []


def broken_promises_about_the_file(machine: Machine, before: str) -> list[str]:
    """HEARTBEAT.md is always there, whole, with every line that the person wrote."""
    lines = iter(without_statuses(machine.text()))
    lost = [line for line in without_statuses(before) if line not in lines]
    return [f"lost lines: {lost}"] if lost else []


def without_statuses(text: str) -> list[str]:
    return re.sub(r"(?m)^(.*status.*): .*$", r"\1", text).splitlines()


def broken_promises_about_the_ledger(machine: Machine) -> list[str]:
    """It is sound, both actions have ended once, none ran twice, and the file says the same."""
    broken = []
    with closing(sqlite3.connect(machine.state / "ledger.db")) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            broken.append("the ledger is damaged")
    with closing(machine.ledger()) as ledger:
        history = {one.item: one for one in ledger.history()}
        if len(history) != len(ledger.history()) or set(history) != {"action:one", "action:two"}:
            broken.append(f"occurrences: {[(one.item, one.outcome) for one in ledger.history()]}")
        if ledger.unfinished() or any(beat.finished is None for beat in ledger.recent_beats(9)):
            broken.append("something is still open")
    ran = Counter(machine.lines("ran"))
    for item, one in history.items():
        broken += broken_promises_about(machine, item.removeprefix("action:"), one, ran)
    return broken


def broken_promises_about(machine: Machine, name: str, one: Occurrence, ran: Counter[str]) -> list[str]:
    broken = []
    if ran[name] > 1 or (one.outcome is Outcome.COMPLETED and ran[name] != 1):
        broken.append(f"{name} ran {ran[name]} times and is {one.outcome}")
    status = {Outcome.COMPLETED: "COMPLETED", Outcome.INTERRUPTED: "FAILED"}.get(one.outcome or Outcome.MISSED)
    shown = re.search(rf"id\*\*: {name}\n.*\n- \*\*status\*\*: (\w+)\n", machine.text())
    if shown is None or shown[1] != status:
        broken.append(f"{name} is {one.outcome} in the ledger and {shown and shown[1]} in the file")
    if one.outcome is Outcome.COMPLETED and f"- [x] {name}: done {name} (" not in machine.text():
        broken.append(f"{name} is not under Completed Today")
    if f" {name}: {one.outcome} in" not in "".join(path.read_text() for path in machine.workspace.glob("history/*")):
        broken.append(f"{name} is not in the history")
    return broken


def leftovers(machine: Machine) -> list[Path]:
    """Whatever no beat that went well leaves."""
    kept = r"HEARTBEAT\.md|ran|\d{4}-\d\d-\d\d\.md|lock|ledger\.db(-wal|-shm)?|heartbeat-progress\.json"
    kept += r"|HEARTBEAT\.\d{6}\.\w+\.md|own-writes|approvals\.json|approval-seal\.key"
    files = [path for folder in (machine.workspace, machine.states) for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if not re.fullmatch(kept, path.name)]
