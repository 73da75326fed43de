"""The guards around commands, one by one: with it, and what happens without it."""

import os
import signal
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes import posix as processes
from core.adapters.processes import tree as process_tree
from core.adapters.processes.posix import SystemProcesses, shell_program, start
from core.adapters.processes.tree import AdoptedProcesses, ProcessTree, children_of
from core.model.process import Command, Ending, How
from tests.faults.survivors import survivors, until

PROMISE = timedelta(seconds=5)


def command(line: str, folder: Path, token: str) -> Command:
    return Command(line, folder, timedelta(seconds=60), {"TOKEN": token})


def until_one_survives(token: str) -> None:
    """One that becomes another program is not found for a moment: it has no environment then."""
    until(lambda: len(survivors(token)) == 1)


def run(line: str, folder: Path, token: str) -> Ending:
    return SystemProcesses(time.monotonic).run(command(line, folder, token))


@pytest.fixture
def no_adoption(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a system other than Linux: orphans go to init, and nothing but the process group is
    known."""
    monkeypatch.setattr(process_tree, "adopt_orphans", lambda: False)
    monkeypatch.setattr(processes, "open_pidfd", lambda pid: None)


@pytest.mark.usefixtures("no_adoption")
def test_without_adopting_orphans_a_session_of_its_own_survives(token: str, tmp_path: Path) -> None:
    # Until setsid has done its work, it is still in the group that is ended with the shell.
    apart = "setsid sh -c 'touch apart; exec sleep 1000' &"
    ending = run(f"{apart} until [ -e apart ]; do sleep 0.01; done; echo done", tmp_path, token)
    assert ending.output == "done\n"
    until_one_survives(token)


@pytest.mark.usefixtures("no_adoption")
def test_without_adopting_orphans_a_group_still_ends_in_time(token: str, tmp_path: Path) -> None:
    ending = run("trap '' TERM; sleep 1000 & echo done", tmp_path, token)
    assert (ending.how, ending.output, survivors(token)) == (How.EXITED, "done\n", [])
    assert ending.duration < PROMISE


def test_to_kill_the_shell_and_read_on_takes_as_long_as_a_child_holds_the_pipe() -> None:
    """Why we end all of them before we read the rest, and do not wait for the end of the pipe."""
    before = time.monotonic()
    with subprocess.Popen(
        ["/bin/sh", "-c", "sleep 1.5 & echo on; wait"], stdout=subprocess.PIPE
    ) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        shell.kill()
        shell.communicate()
    assert time.monotonic() - before > 1.4


@pytest.mark.parametrize("second_check", [True, False])
def test_only_a_second_check_finds_the_one_that_took_over_during_the_first(
    second_check: bool, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tmp_path / "first"  # its number, once it waits
    go = tmp_path / "go"
    really_has_children = process_tree.has_children

    def number() -> int:
        return int(first.read_text() or 0) if first.exists() else 0

    def children_of_a_moment_ago(pid: int) -> list[int]:
        listed = children_of(pid)
        if pid == os.getpid() and not go.exists() and number() in listed:
            go.touch()
            until(lambda: set(children_of(pid)) - set(listed))
        return listed

    monkeypatch.setattr(process_tree, "children_of", children_of_a_moment_ago)
    if not second_check:
        one_check = lambda: not go.exists() and really_has_children()  # noqa: E731 - short
        monkeypatch.setattr(process_tree, "has_children", one_check)

    line = """setsid -f sh -c 'echo $$ > first; until [ -e go ]; do sleep 0.01; done
    exec setsid -f sleep 1000'
    until [ -s first ]; do sleep 0.01; done"""
    run(line, tmp_path, token)
    if second_check:
        assert survivors(token) == []
    else:
        until_one_survives(token)


@pytest.mark.parametrize("stopped_first", [True, False])
def test_only_those_that_are_stopped_before_one_is_killed_cannot_replace_it(
    stopped_first: bool, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sessions; the second learns by a pipe when the first dies, and then starts a third."""
    line = """mkfifo pipe
    setsid sh -c 'echo $$ > first; exec 3> pipe; exec sleep 1000' &
    export AVENGE='touch avenged; exec sleep 1000'
    setsid sh -c 'exec 3< pipe; touch ready; read word <&3; exec setsid -f sh -c "$AVENGE"' & wait"""
    adopted = AdoptedProcesses()
    mark = adopted.open()
    shell, reading = start(shell_program(command(line, tmp_path, token)), tmp_path, mark)
    tree = ProcessTree(shell, mark, adopted)
    until((tmp_path / "ready").exists)
    first, really_kill = int((tmp_path / "first").read_text()), os.kill

    def kill_slowly(pid: int, number: int) -> None:
        if number != signal.SIGSTOP or stopped_first:
            really_kill(pid, number)
        if (pid, number) == (first, signal.SIGKILL):
            patience = time.monotonic() + (0.2 if stopped_first else 20)
            until(lambda: (tmp_path / "avenged").exists() or time.monotonic() > patience)

    with monkeypatch.context() as patch:
        patch.setattr(os, "kill", kill_slowly)
        tree.kill()
    assert (tmp_path / "avenged").exists() == (not stopped_first)
    if not stopped_first:
        assert tree.anyone_left()
        tree.kill()
    until(lambda: not tree.anyone_left())
    assert survivors(token) == []
    adopted.close(mark)
    os.close(reading)
