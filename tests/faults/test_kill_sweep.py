"""kill -9 at the system calls of a beat that change something: whatever the moment, the next beat
puts it right.

A sample of every kind of call; HEARTBEAT_WHOLE_SWEEP=1 takes them all (about 5 minutes).
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.machine import Machine
from tests.faults.promises import broken_promises_about_the_file, broken_promises_after_recovery
from tests.faults.sweep import (
    AT_ONCE,
    WHOLE,
    WITH_FRONTMATTER,
    WITHOUT,
    calls_of_a_beat,
    new_machine,
)
from tests.faults.system_calls import Call, changing_calls, going_wrong, sample, watching


@pytest.mark.slow
@pytest.mark.parametrize(("text", "most_of_a_kind"), [(WITH_FRONTMATTER, 9), (WITHOUT, 3)])
def test_killed_at_any_call_the_next_beat_recovers(
    tmp_path: Path, text: str, most_of_a_kind: int
) -> None:
    calls = calls_of_a_beat(tmp_path, text)
    assert {"pwrite64", "fdatasync", "rename", "renameat2", "unlink", "write", "openat"} <= {
        one.name for one in calls
    }
    assert len(calls) > 150
    assert (
        broken_after_each(calls if WHOLE else sample(calls, most_of_a_kind), tmp_path, text) == []
    )


def broken_after_each(calls: list[Call], folder: Path, text: str, *before: Call) -> list[str]:
    """Every promise that a kill at one of the calls breaks; `before` are kills of the beats
    before that one."""
    machines = [new_machine(folder / f"{call.name}-{call.number}", text) for call in calls]

    def broken(call: Call, machine: Machine) -> list[str]:
        found = []
        for kill in (*before, call):
            killed = machine.heartbeat("run", before=going_wrong(kill, "signal=KILL"))
            found += [] if killed.code == -9 else [f"it was not killed: {killed}"]
        found += [f"right after: {what}" for what in broken_promises_about_the_file(machine, text)]
        return [
            f"{call}: {what}" for what in (*found, *broken_promises_after_recovery(machine, text))
        ]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [what for found in pool.map(broken, calls, machines) for what in found]


@pytest.mark.parametrize(
    ("name", "number"), [("renameat2", 1), ("rename", 1), ("rename", 3), ("fsync", 1)]
)
def test_killed_while_the_file_is_to_show_what_runs_the_next_beat_recovers(
    tmp_path: Path, name: str, number: int
) -> None:
    """The write of a beat's second second is another thread's; the first one waits for the
    command meanwhile."""
    as_long_as_the_beat = "while kill -0 $PPID 2>/dev/null; do sleep 0.1; done"
    text = WITH_FRONTMATTER.replace("echo one >> ran;", f"echo one >> ran; {as_long_as_the_beat};")
    machine = Machine(tmp_path / "machine")
    machine.file.write_text("# Nothing yet\n")
    assert machine.heartbeat("run").code == 0  # the first beat gives the folder its identity
    machine.file.write_text(text)
    machine.approve()
    machine.says_yes = False
    strace, *words = going_wrong(Call(name, number, ""), "signal=KILL")
    killed = machine.heartbeat("run", before=[strace, "-f", *words])
    assert killed.code == -9
    assert machine.lines("ran") == ["one"]  # in the middle of the first action
    assert broken_promises_about_the_file(machine, text) == []
    assert broken_promises_after_recovery(machine, text) == []
    assert machine.lines("ran") == ["one", "two"]


@pytest.mark.slow
def test_killed_while_it_recovers_the_beat_after_that_recovers(tmp_path: Path) -> None:
    """The first beat is killed when all is done and nothing is shown yet, and so is the one that
    makes up for it."""
    text = WITH_FRONTMATTER
    (first,) = (call for call in calls_of_a_beat(tmp_path, text) if call.name == "renameat2")
    trial = new_machine(tmp_path / "trial", text)
    trial.heartbeat("run", before=going_wrong(first, "signal=KILL"))
    assert trial.heartbeat("run", before=watching(tmp_path / "recovery")).code == 0
    # How many files it opens depends on how many processes there are: it looks for what the killed
    # one left running.
    calls = [call for call in changing_calls(tmp_path / "recovery") if call.name != "openat"]
    assert len(calls) > 30
    assert broken_after_each(calls if WHOLE else sample(calls, 1), tmp_path, text, first) == []
