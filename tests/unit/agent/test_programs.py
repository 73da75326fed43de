"""What an agent that is a program is given, and how each of its endings is read."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.choose import ProgramAccess
from core.agent.programs import LONGEST_TEXT, work_by_program
from core.model.agent import BatchEnding, BatchResult, Limits, ModelChoice
from core.model.diagnostic import Problem
from core.model.process import How, ProgramEnding
from core.rules.providers import PROVIDERS, Program
from tests.fakes.processes import FakeAgentPrograms
from tests.fakes.toolbox import FakeToolbox

LIMITS = Limits(requests=12, tokens=60000, time=timedelta(seconds=60), usd=0.5)


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


def work(programs: FakeAgentPrograms, switch: CancelSwitch, name: str = "gemini") -> BatchResult:
    record = PROVIDERS[name]
    assert isinstance(record, Program)
    access = ProgramAccess(ModelChoice(name, "", ""), record)
    return work_by_program(programs, access, "Write.", FakeToolbox(), LIMITS, switch)


def ending_with(output: str = "", error_output: str = "") -> FakeAgentPrograms:
    programs = FakeAgentPrograms()
    ending = ProgramEnding(How.EXITED, 3, output, error_output)
    programs.answers = {"gemini": lambda _: ending}
    return programs


def test_it_gets_the_prompt_its_time_its_settings_and_the_tools_of_the_batch(
    switch: CancelSwitch,
) -> None:
    programs = ending_with(json.dumps({"response": "done"}))
    result = work(programs, switch)
    (call,) = programs.started

    assert (result.ending, result.text) == (BatchEnding.FINISHED, "done")
    assert (call.words[0], call.text, call.timeout) == ("gemini", "Write.", LIMITS.time)
    assert (
        "mcp" in json.loads(call.files[".gemini/settings.json"])["mcpServers"]["heartbeat"]["args"]
    )


def test_a_long_answer_is_cut(switch: CancelSwitch) -> None:
    result = work(ending_with(json.dumps({"response": "a" * (LONGEST_TEXT + 1)})), switch)
    assert len(result.text) == LONGEST_TEXT


def test_one_that_is_not_installed_cannot_be_reached(switch: CancelSwitch) -> None:
    result = work(FakeAgentPrograms(), switch)
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem == Problem("gemini could not be started: No such file or directory.", "")


def test_one_that_takes_too_long_is_out_of_budget(switch: CancelSwitch) -> None:
    programs = ending_with()
    programs.takes = {"gemini": LIMITS.time}
    result = work(programs, switch)

    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.problem == Problem("gemini used up its time and was stopped.", "")


def test_a_cancellation_is_not_a_problem(switch: CancelSwitch) -> None:
    programs = ending_with()
    programs.meanwhile = lambda _: switch.set()
    result = work(programs, switch)

    assert (result.ending, result.problem) == (BatchEnding.CANCELLED, None)


@pytest.mark.parametrize(
    ("output", "errors", "said"),
    [
        ("", "", "nothing"),
        ("Log in.", "", "Log in."),
        ("Log in.", "No login for sk-ant-1234567890abcdef", "No login for [redacted]"),
    ],
)
def test_what_is_not_an_answer_is_reported_without_keys(
    switch: CancelSwitch, output: str, errors: str, said: str
) -> None:
    result = work(ending_with(output, errors), switch)
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem == Problem(f"gemini: it ended with exit code 3 and said {said}", "")
