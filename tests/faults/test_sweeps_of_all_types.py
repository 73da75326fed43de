"""kill -9 and disk errors at the system calls of a beat with a shell, an http, a file and a notify
action: whatever the moment, nothing is done twice, nothing is lost, and what was overwritten comes
back.

A sample of every kind of call; HEARTBEAT_WHOLE_SWEEP=1 takes them all.
"""

import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.engine.write_back import RUNNING_AFTER
from core.model.occurrence import Outcome
from tests.e2e.machine import Machine, action, block, workspace_text
from tests.e2e.servers import Site, site
from tests.faults.promises import (
    broken_promises_about_the_file,
    broken_promises_about_the_message,
    leftovers,
)
from tests.faults.sweep import AT_ONCE, WHOLE, faults
from tests.faults.system_calls import Call, changing_calls, going_wrong, sample, watching

OLD, NEW = b"the person's own bytes\r\n", b"new"
TYPES = ("shell", "http", "file", "notify")
# A beat that lasts longer than RUNNING_AFTER marks in the file what is executing. All of them do:
# otherwise a busy machine would decide whether it does, and so which calls there are.
LONG_ENOUGH = RUNNING_AFTER + 0.5


class Subject:
    """A machine whose four actions leave traces outside of it."""

    def __init__(self, folder: Path, server: Site) -> None:
        self.name = re.sub(r"\W", "", folder.name)
        self.server = server
        self.machine = Machine(folder)
        self.note = self.machine.workspace / "note.txt"
        self.note.write_bytes(OLD)
        (self.machine.config / "config.toml").write_text(
            f'[notify]\nchannels = []\n[channels.hook]\ntype = "webhook"\nurl = "http://{server.address}/{self.name}/notify"\n'
        )
        self.text = workspace_text(
            action("shell", f"sleep {LONG_ENOUGH}; echo x >> ran"),
            block("http", f"url: http://{server.address}/{self.name}/http", "method: POST"),
            block(
                "file",
                "type: file",
                "operation: write",
                "path: note.txt",
                f"content: {NEW.decode()}",
            ),
            block("notify", "type: notify", "message: hello", "channel: hook"),
        )
        self.machine.file.write_text(self.text)
        self.machine.approve()
        self.machine.says_yes = False  # from now on only the beat itself changes anything

    def times_done(self) -> dict[str, int]:
        asked = [one.path for one in self.server.asked]
        return {
            "shell": len(self.machine.lines("ran")),
            "http": asked.count(f"/{self.name}/http"),
            "notify": asked.count(f"/{self.name}/notify"),
            "file": int(self.note.read_bytes() == NEW),
        }

    def broken_promises_after_recovery(self) -> list[str]:
        recovered = self.machine.heartbeat("run")
        broken = [] if recovered.code in (0, 1) else [f"the next beat ended with {recovered}"]
        broken += ["a traceback"] if "Traceback" in recovered.err else []
        broken += [f"left behind: {path.name}" for path in self.leftovers()]
        broken += broken_promises_about_the_file(self.machine, self.text)
        return (
            broken
            + self._broken_promises_about_the_ledger()
            + self._broken_promises_about_the_note()
        )

    def _broken_promises_about_the_ledger(self) -> list[str]:
        """It is sound, each action has ended once, none was done twice, and the file says the
        same."""
        broken = []
        with closing(sqlite3.connect(self.machine.state / "ledger.db")) as connection:
            if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                broken.append("the ledger is damaged")
        with closing(self.machine.ledger()) as ledger:
            ended = {
                one.item.removeprefix("action:"): one.outcome
                for one in ledger.occurrences.history()
            }
            if (
                sorted(ended) != sorted(TYPES)
                or len(ledger.occurrences.history()) != len(TYPES)
                or ledger.occurrences.unfinished()
            ):
                broken.append(
                    "occurrences: "
                    f"{[(one.item, one.outcome) for one in ledger.occurrences.history()]}"
                )
        for name, times in self.times_done().items():
            outcome = ended.get(name)
            if times > 1 or (outcome is Outcome.COMPLETED) > times:
                broken.append(f"{name} was done {times} times and is {outcome}")
            status = {Outcome.COMPLETED: "COMPLETED"}.get(outcome or Outcome.MISSED, "FAILED")
            if not re.search(
                rf"id\*\*: {name}\n(- .*\n)*?- \*\*status\*\*: {status}\n", self.machine.text()
            ):
                broken.append(f"{name} is {outcome} and the file does not say {status}")
        return broken

    def _broken_promises_about_the_note(self) -> list[str]:
        """The old or the new bytes, and the way back to the old ones."""
        found = self.note.read_bytes()
        if found == OLD:
            return []
        undone = self.machine.heartbeat("undo", "file")
        back = self.note.read_bytes()
        broken = (
            []
            if found == NEW and back == OLD
            else [f"the note held {found!r}, then {back!r}: {undone}"]
        )
        if (
            re.search(r"id\*\*: file\n(- .*\n)*?- \*\*status\*\*: PENDING\n\n", self.machine.text())
            is None
        ):
            broken.append("its lines did not come back with it")
        return broken

    def leftovers(self) -> list[Path]:
        """Whatever no beat that went well leaves."""
        ours = r"note\.txt|config\.toml|settings\.json|changes\.json|lines\.json|0"
        return [path for path in leftovers(self.machine) if not re.fullmatch(ours, path.name)]


@pytest.fixture(scope="module")
def server() -> Iterator[Site]:
    with site() as server:
        yield server


@pytest.fixture(scope="module")
def calls(server: Site, tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    """Those of a beat that goes well, which all the others are compared with."""
    folder = tmp_path_factory.mktemp("calls")
    for name in ("first", "second"):  # the first one also compiles what was never imported
        subject = Subject(folder / name, server)
        assert subject.machine.heartbeat("run", before=watching(folder / "trace")).code == 0
        assert subject.times_done() == dict.fromkeys(TYPES, 1)
        assert subject.leftovers() == []
    return changing_calls(folder / "trace")


@pytest.mark.slow
def test_killed_at_any_call_nothing_is_done_twice_and_nothing_is_lost(
    tmp_path: Path, server: Site, calls: list[Call]
) -> None:
    chosen = calls if WHOLE else sample(calls, 2)
    subjects = [Subject(tmp_path / f"{call.name}-{call.number}", server) for call in chosen]

    def broken(call: Call, subject: Subject) -> list[str]:
        killed = subject.machine.heartbeat("run", before=going_wrong(call, "signal=KILL"))
        found = [] if killed.code == -9 else [f"it was not killed: {killed}"]
        found += [
            f"right after: {what}"
            for what in broken_promises_about_the_file(subject.machine, subject.text)
        ]
        return [f"{call}: {what}" for what in (*found, *subject.broken_promises_after_recovery())]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert [what for found in pool.map(broken, chosen, subjects) for what in found] == []


@pytest.mark.slow
def test_a_disk_error_at_any_call_is_said_once_and_nothing_is_lost(
    tmp_path: Path, server: Site, calls: list[Call]
) -> None:
    chosen = faults(calls if WHOLE else sample(calls, 1), lasting=False)
    subjects = [
        Subject(tmp_path / f"{call.name}-{call.number}-{how}", server) for call, how in chosen
    ]

    def broken(fault: tuple[Call, str], subject: Subject) -> list[str]:
        call, how = fault
        done = subject.machine.heartbeat("run", before=going_wrong(call, how))
        found = broken_promises_about_the_message(done) + subject.broken_promises_after_recovery()
        if call.name == "unlink":  # what cannot be deleted stays
            found = [what for what in found if not what.startswith("left behind: .")]
        return [f"{call} {how}: {what} ({done})" for what in found]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert [what for found in pool.map(broken, chosen, subjects) for what in found] == []
