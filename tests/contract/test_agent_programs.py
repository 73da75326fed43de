"""What every AgentPrograms must do: the fake, and this system's with small programs in the PATH."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes.agent_programs import LARGEST_OUTPUT, SystemAgentPrograms
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.process import How, ProgramCall, ProgramEnding
from core.ports.processes import AgentPrograms
from tests.fakes.processes import FakeAgentPrograms

LONG = timedelta(seconds=60)
SHORT = timedelta(seconds=1)


def exited(code: int, output: str = "", error_output: str = "") -> ProgramEnding:
    return ProgramEnding(How.EXITED, code, output, error_output)


# What each program does, for the system and for the fake.
PROGRAMS: dict[str, tuple[str, Callable[[ProgramCall], ProgramEnding]]] = {
    "talks": ("cat; echo oops >&2; exit 3", lambda call: exited(3, call.text, "oops\n")),
    "repeats": (
        'printf "%s\\n" "$@"',
        lambda call: exited(0, "".join(f"{word}\n" for word in call.words[1:])),
    ),
    "reads": (
        "cat .settings/own.json; printf %s $MODE",
        lambda call: exited(0, call.files[".settings/own.json"] + call.environment["MODE"]),
    ),
    "ignores": ("exit 0", lambda _: exited(0)),
    "floods": (
        "head -c 5000000 /dev/zero | tr '\\0' a; head -c 5000000 /dev/zero | tr '\\0' b >&2",
        lambda _: exited(0, "a" * 5_000_000, "b" * 5_000_000),
    ),
    "hangs": ('echo >"$STARTED"; exec sleep 50', lambda _: exited(0)),
}


@pytest.fixture(params=["fake", "system"])
def programs(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AgentPrograms:
    if request.param == "fake":
        made = FakeAgentPrograms()
        made.answers = {name: answer for name, (_, answer) in PROGRAMS.items()}
        made.takes = {"hangs": timedelta(seconds=50)}
        return made

    folder = tmp_path / "programs"
    folder.mkdir()
    for name, (script, _) in PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o700)

    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return SystemAgentPrograms(time.monotonic)


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


def test_it_reads_its_text_and_its_answer_comes_back(
    programs: AgentPrograms, switch: CancelSwitch
) -> None:
    ending = programs.run(ProgramCall(("talks",), "Grüße\n", LONG), switch)
    assert ending == exited(3, "Grüße\n", "oops\n")


def test_a_character_that_utf_8_does_not_have_does_not_keep_the_rest_from_it(
    programs: AgentPrograms, switch: CancelSwitch
) -> None:
    ending = programs.run(ProgramCall(("talks",), "made a\udcff.txt\n", LONG), switch)
    assert ending == exited(3, "made a?.txt\n", "oops\n")


def test_no_shell_reads_its_words(programs: AgentPrograms, switch: CancelSwitch) -> None:
    ending = programs.run(ProgramCall(("repeats", "$HOME", "a b", ""), "", LONG), switch)
    assert ending == exited(0, "$HOME\na b\n\n")


def test_it_gets_the_files_and_variables_of_the_call(
    programs: AgentPrograms, switch: CancelSwitch
) -> None:
    files = {".settings/own.json": '{"a": "ä"}'}
    ending = programs.run(ProgramCall(("reads",), "", LONG, {"MODE": "quiet"}, files), switch)
    assert ending == exited(0, '{"a": "ä"}quiet')


def test_a_text_that_it_does_not_read_does_no_harm(
    programs: AgentPrograms, switch: CancelSwitch
) -> None:
    assert programs.run(ProgramCall(("ignores",), "a" * 1_000_000, LONG), switch) == exited(0)


def test_of_too_much_output_the_beginning_is_kept(
    programs: AgentPrograms, switch: CancelSwitch
) -> None:
    ending = programs.run(ProgramCall(("floods",), "", LONG), switch)
    assert ending == exited(0, "a" * LARGEST_OUTPUT, "b" * LARGEST_OUTPUT)


def test_at_its_timeout_it_is_ended(
    programs: AgentPrograms, switch: CancelSwitch, tmp_path: Path
) -> None:
    started = {"STARTED": str(tmp_path / "started")}
    ending = programs.run(ProgramCall(("hangs",), "", SHORT, started), switch)
    assert ending == ProgramEnding(How.TIMED_OUT)


def test_cancelled_while_it_runs_it_is_ended(
    programs: AgentPrograms, switch: CancelSwitch, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    call = ProgramCall(("hangs",), "", LONG, {"STARTED": str(started)})
    canceller = threading.Thread(target=when, args=(started.exists, switch.set), daemon=True)
    if isinstance(programs, FakeAgentPrograms):
        programs.meanwhile = lambda _: switch.set()
    else:
        canceller.start()

    before = time.monotonic()
    assert programs.run(call, switch) == ProgramEnding(How.CANCELLED)
    assert time.monotonic() - before < 30
    if canceller.ident:
        canceller.join()


def when(condition: Callable[[], bool], act: Callable[[], None]) -> None:
    while not condition():
        time.sleep(0.01)
    act()


def test_cancelled_beforehand_nothing_is_started(
    programs: AgentPrograms, switch: CancelSwitch, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    switch.set()
    ending = programs.run(ProgramCall(("hangs",), "", LONG, {"STARTED": str(started)}), switch)

    assert ending == ProgramEnding(How.CANCELLED)
    assert not started.exists()
    assert not (isinstance(programs, FakeAgentPrograms) and programs.started)


@pytest.mark.parametrize("words", [("missing",), ("repeats", "a\0b")], ids=["missing", "NUL"])
def test_what_cannot_be_started_is_an_ending_that_says_why(
    programs: AgentPrograms, switch: CancelSwitch, words: tuple[str, ...]
) -> None:
    ending = programs.run(ProgramCall(words, "", LONG), switch)
    assert (ending.how, ending.exit_code) == (How.COULD_NOT_START, None)
    assert ending.output.startswith(f"{words[0]} could not be started: ")
