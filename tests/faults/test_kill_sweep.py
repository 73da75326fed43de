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

from core.model.occurrence import Occurrence, Outcome
from tests.e2e.machine import Machine, action, workspace_text
from tests.faults.system_calls import Call, changing_calls, going_wrong, sample, watching

WHOLE = bool(os.environ.get("HEARTBEAT_WHOLE_SWEEP"))
MOST_OF_A_KIND = 1000 if WHOLE else 10
AT_ONCE = 3  # most of a beat's time is waiting
TEXT = workspace_text(
    action("one", "echo one >> ran; echo done one", priority="HIGH"),
    action("two", "echo two >> ran; echo done two"),
)


def new_machine(folder: Path) -> Machine:
    machine = Machine(folder)
    machine.file.write_text(TEXT)
    return machine


def calls_of_a_beat(folder: Path) -> list[Call]:
    for name in ("first", "second"):  # the first one also compiles what was never imported
        machine = new_machine(folder / name)
        assert machine.heartbeat("run", before=watching(folder / "trace")).code == 0
    return changing_calls(folder / "trace")


def test_killed_at_any_call_the_next_beat_recovers(tmp_path: Path) -> None:
    calls = sample(calls_of_a_beat(tmp_path), MOST_OF_A_KIND)
    machines = [new_machine(tmp_path / f"{call.name}-{call.number}") for call in calls]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        violations = list(pool.map(violations_after_kill, calls, machines))
    assert [f"{call}: {broken}" for call, broken in zip(calls, violations, strict=True) if broken] == []
    assert len(calls) > 60
    assert {"pwrite64", "fdatasync", "rename", "renameat2", "unlink", "write", "openat"} <= {
        call.name for call in calls
    }


def violations_after_kill(call: Call, machine: Machine) -> list[str]:
    killed = machine.heartbeat("run", before=going_wrong(call, "signal=KILL"))
    broken = [] if killed.code == -9 else [f"it was not killed: {killed}"]
    broken += [f"right after: {what}" for what in broken_promises_about_the_file(machine)]
    recovered = machine.heartbeat("run")
    if "Traceback" in recovered.err or recovered.code not in (0, 1):
        broken.append(f"the next beat ended with {recovered}")
    broken += broken_promises_about_the_file(machine)
    broken += broken_promises_about_the_ledger(machine)
    broken += [f"left behind: {path.name}" for path in leftovers(machine)]
    return broken


def broken_promises_about_the_file(machine: Machine) -> list[str]:
    """HEARTBEAT.md is always there, whole, with every line that the person wrote."""
    text = machine.text()
    if text == TEXT:
        return []
    lines = iter(re.sub(r"(?m)^(.*status.*): .*$", r"\1", text).splitlines())
    lost = [line for line in re.sub(r"(?m)^(.*status.*): .*$", r"\1", TEXT).splitlines() if line not in lines]
    return [f"lost lines: {lost}"] if lost else []


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
    kept += r"|HEARTBEAT\.\d{6}\.\w+\.md|own-writes"
    files = [path for folder in (machine.workspace, machine.states) for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if not re.fullmatch(kept, path.name)]
