"""What holds after a beat in which something went wrong; each function returns what does not."""

import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from core.model.occurrence import Occurrence, Outcome
from tests.e2e.machine import Done, Machine


def broken_promises_after_recovery(machine: Machine, text: str) -> list[str]:
    recovered = machine.heartbeat("run")
    broken = [f"left behind: {path.name}" for path in leftovers(machine)]
    if "Traceback" in recovered.err or recovered.code not in (0, 1):
        broken.append(f"the next beat ended with {recovered}")
    if "RUNNING" in machine.text() or "status: running" in machine.text():
        broken.append("the file says that something runs")
    return (
        broken
        + broken_promises_about_the_file(machine, text)
        + broken_promises_about_the_ledger(machine)
    )


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
        history = {one.item: one for one in ledger.occurrences.history()}
        if len(history) != len(ledger.occurrences.history()) or set(history) != {
            "action:one",
            "action:two",
        }:
            broken.append(
                f"occurrences: {[(one.item, one.outcome) for one in ledger.occurrences.history()]}"
            )
        if ledger.occurrences.unfinished() or any(
            beat.finished is None for beat in ledger.beats.recent(9)
        ):
            broken.append("something is still open")
    ran = Counter(machine.lines("ran"))
    for item, one in history.items():
        broken += broken_promises_about(machine, item.removeprefix("action:"), one, ran)
    return broken


def broken_promises_about(
    machine: Machine, name: str, one: Occurrence, ran: Counter[str]
) -> list[str]:
    broken = []
    if ran[name] > 1 or (one.outcome is Outcome.COMPLETED and ran[name] != 1):
        broken.append(f"{name} ran {ran[name]} times and is {one.outcome}")
    status = {Outcome.COMPLETED: "COMPLETED", Outcome.INTERRUPTED: "FAILED"}.get(
        one.outcome or Outcome.MISSED
    )
    shown = re.search(rf"id\*\*: {name}\n.*\n- \*\*status\*\*: (\w+)\n", machine.text())
    if shown is None or shown[1] != status:
        broken.append(f"{name} is {one.outcome} in the ledger and {shown and shown[1]} in the file")
    if one.outcome is Outcome.COMPLETED and f"- [x] {name}: done {name} (" not in machine.text():
        broken.append(f"{name} is not under Completed Today")
    if f" {name}: {one.outcome} in" not in "".join(
        path.read_text() for path in machine.workspace.glob("history/*")
    ):
        broken.append(f"{name} is not in the history")
    return broken


def leftovers(machine: Machine) -> list[Path]:
    """Whatever no beat that went well leaves."""
    kept = (
        r"HEARTBEAT\.md|ran|\d{4}-\d\d-\d\d\.md|lock|ledger\.db(-wal|-shm)?"
        r"|heartbeat-progress\.json|HEARTBEAT\.\d{6}\.\w+\.md"
        r"|own-writes|workspace\.json|approvals\.json|approval-seal\.key"
    )
    files = [
        path
        for folder in (machine.workspace, machine.states)
        for path in folder.rglob("*")
        if path.is_file()
    ]
    return [path for path in files if not re.fullmatch(kept, path.name)]


def broken_promises_about_the_message(done: Done) -> list[str]:
    """Fine, or one sentence with what to do; never a traceback."""
    broken = ["a traceback"] if re.search("Traceback|unexpected", done.err + done.out) else []
    messages = re.findall(r"(?m)^heartbeat: .*\.\n  \S.*\.$", done.err)
    messages += re.findall(
        r"(?m)^The results are recorded, but not in the file yet: .*\.$", done.out
    )
    expected = {0: (0, 1), 1: (0, 1), 2: (1,)}.get(done.code, ())
    return (
        broken
        if len(messages) in expected
        else [*broken, f"exit code {done.code} with {len(messages)} messages"]
    )
