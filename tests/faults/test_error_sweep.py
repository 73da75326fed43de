"""A disk that is full or broken at a system call of a beat: the old data stay, one message says so,
nothing is left.

A sample of every kind of call; HEARTBEAT_WHOLE_SWEEP=1 takes them all with every error.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.machine import Machine
from tests.faults.promises import (
    broken_promises_about_the_file,
    broken_promises_about_the_message,
    broken_promises_after_recovery,
    leftovers,
)
from tests.faults.sweep import AT_ONCE, WITH_FRONTMATTER, calls_of_a_beat, faults, new_machine
from tests.faults.system_calls import Call, going_wrong


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True])
def test_a_disk_error_at_any_call_keeps_the_old_data_and_is_said_once(
    tmp_path: Path, lasting: bool
) -> None:
    calls = calls_of_a_beat(tmp_path, WITH_FRONTMATTER)
    if lasting:  # standard output must still work, so that there is a message to be read
        calls = [call for call in calls if call.name not in ("write", "openat", "unlink")]
    chosen = faults(calls, lasting)
    machines = [
        new_machine(tmp_path / f"{call.name}-{call.number}-{how}", WITH_FRONTMATTER)
        for call, how in chosen
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(broken_by, chosen, machines))
    assert [what for broken in found for what in broken] == []


def broken_by(fault: tuple[Call, str], machine: Machine) -> list[str]:
    call, how = fault
    strace = going_wrong(call, how.removesuffix("+"))
    done = machine.heartbeat(
        "run", before=[*strace[:-1], strace[-1] + ("+" if how.endswith("+") else "")]
    )
    broken = broken_promises_about_the_message(done)
    broken += (
        [f"left behind: {path.name}" for path in leftovers(machine)]
        if not how.endswith("+")
        else []
    )
    broken += broken_promises_about_the_file(machine, WITH_FRONTMATTER)
    broken += broken_promises_after_recovery(machine, WITH_FRONTMATTER)
    if call.name == "unlink":  # what cannot be deleted stays, until the next write to the file
        broken = [
            what for what in broken if not what.startswith("left behind: .HEARTBEAT.md.heartbeat-")
        ]
    return [f"{call} {how}: {what} ({done})" for what in broken]


@pytest.mark.parametrize("blocks", [0, 8, 40, 72])
def test_where_no_file_may_grow_any_more_it_is_said_once(tmp_path: Path, blocks: int) -> None:
    """The real thing: the system refuses every byte beyond the limit."""
    machine = new_machine(tmp_path / "machine", WITH_FRONTMATTER)
    done = machine.heartbeat("run", before=["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh"])
    assert broken_promises_about_the_message(done) == []
    assert broken_promises_about_the_file(machine, WITH_FRONTMATTER) == []
    assert broken_promises_after_recovery(machine, WITH_FRONTMATTER) == []


def test_a_history_that_cannot_be_written_is_said_and_the_beats_go_on(tmp_path: Path) -> None:
    machine = new_machine(tmp_path / "machine", WITH_FRONTMATTER)
    (machine.workspace / "history").symlink_to(tmp_path)
    done = machine.heartbeat("run")
    assert done.code == 0
    assert "history leads out of the workspace" in done.out
    assert machine.lines("ran") == ["one", "two"]
    (machine.workspace / "history").unlink()
    assert machine.heartbeat("run").out.startswith("Nothing was due.\nNothing is scheduled.\n")
    assert len(list((machine.workspace / "history").iterdir())) == 1  # it was made up for
