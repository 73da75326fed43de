"""Agents that are programs. Small programs with their names are in the PATH, answer in their
format, and use the tools over real MCP. The arguments were tried with the real programs."""

import json
import os
import sys
import threading
import time
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.adapters.processes.agent_programs import SystemAgentPrograms
from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.choose import ProgramAccess
from core.agent.judge import judge_by_program
from core.agent.programs import work_by_program
from core.model.agent import BatchEnding, BatchResult, Limits, ModelChoice, Question, Usage
from core.model.diagnostic import Problem
from core.model.evidence import Said
from core.rules.providers import PROVIDERS, Program
from tests.agent.stand_ins import STAND_IN
from tests.agent.workbench import Workbench
from tests.e2e.machine import alive, wait_for

LIMITS = Limits(requests=12, tokens=60000, time=timedelta(seconds=60), usd=0.5)
CALLS = [
    ["write_file", {"path": "report.md", "content": "hello\n"}],
    ["write_file", {"path": "../out.md", "content": "hello\n"}],
    ["report_task", {"task_id": "report", "outcome": "done", "result": "Written"}],
]
AGENTS = {name: one for name, one in PROVIDERS.items() if isinstance(one, Program)}
ALL = sorted(AGENTS)
PROGRAMS = SystemAgentPrograms(time.monotonic)


def access_to(name: str, model: str = "") -> ProgramAccess:
    return ProgramAccess(ModelChoice(name, model, ""), AGENTS[name])


QUESTIONS = [Question("mail", "Send the mail", "", "sent\nexit code 0")]


class Agents:
    programs = PROGRAMS

    def __init__(self, bench: Workbench, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bench = bench
        for agent in AGENTS.values():
            program = folder / agent.program
            program.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
            program.chmod(0o700)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def work(
        self, name: str, script: dict[str, Any], limits: Limits = LIMITS, model: str = ""
    ) -> BatchResult:
        self.script(script)
        return work_by_program(
            self.programs,
            access_to(name, model),
            "Write the report.",
            self.bench.toolbox(),
            limits,
            self.cancelled,
        )

    def script(self, script: dict[str, Any]) -> None:
        """Set what the program does when it is started next."""
        (self.bench.home / "script.json").write_text(json.dumps(script))

    cancelled = CancelSwitch()

    @property
    def given(self) -> dict[str, Any]:
        return dict(json.loads((self.bench.home / "given.json").read_text()))


@pytest.fixture
def agents(bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    folder = tmp_path / "programs"
    folder.mkdir()
    made = Agents(bench, folder, monkeypatch)
    made.cancelled = CancelSwitch()
    return made


@pytest.mark.parametrize("name", ALL)
def test_a_program_uses_the_tools_of_the_batch_and_its_answer_is_read(
    agents: Agents, name: str
) -> None:
    result = agents.work(name, {"calls": CALLS})
    assert (result.ending, result.problem, result.text) == (
        BatchEnding.FINISHED,
        None,
        "HEARTBEAT_OK",
    )
    assert result.reports["report"].said is Said.DONE
    assert [act.could_do_it for act in result.acts] == [True, False, False]
    assert agents.bench.text("report.md") == "hello\n"
    assert not (agents.bench.home / "out.md").exists()

    usage = replace(result.usage, requests=3, usd=None, cache_write_tokens=0)
    assert usage == Usage(3, input_tokens=100, output_tokens=7, cache_read_tokens=90)


@pytest.mark.parametrize("name", ALL)
def test_a_program_gets_the_prompt_an_empty_folder_and_no_key(
    agents: Agents, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "the-canary-key-of-the-person")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    agents.bench.grants = ("@workspace",)
    agents.work(name, {})
    given = agents.given

    assert given["prompt"] == "Write the report."
    assert "canary" not in json.dumps(given)
    assert "DBUS_SESSION_BUS_ADDRESS" not in given["environment"]
    assert set(given["folder"]) <= {".gemini"}
    assert given["tools"] == [tool.name for tool in agents.bench.toolbox().tools()]


def test_the_programs_own_tools_are_turned_off(agents: Agents) -> None:
    agents.work("claude-code", {})
    words = agents.given["words"]

    assert words[words.index("--tools") + 1] == ""
    assert "--strict-mcp-config" in words

    agents.work("codex", {})
    words = agents.given["words"]

    assert {("--disable", "shell_tool"), ("--disable", "unified_exec")} <= set(pairwise(words))
    assert words[words.index("-s") + 1] == "read-only"
    assert 'web_search="disabled"' in words


@pytest.mark.parametrize(
    ("name", "option"), [("claude-code", "--model"), ("codex", "-m"), ("gemini", "-m")]
)
def test_the_model_of_the_settings_is_passed_on(agents: Agents, name: str, option: str) -> None:
    agents.work(name, {}, model="the-large-one")
    words = agents.given["words"]

    assert words[words.index(option) + 1] == "the-large-one"

    agents.work(name, {})
    assert option not in agents.given["words"]


@pytest.mark.parametrize("name", ALL)
def test_an_error_of_the_program_is_shown_without_what_looks_like_a_key(
    agents: Agents, name: str
) -> None:
    result = agents.work(name, {"error": "401 for key sk-ant-1234567890abcdef", "calls": CALLS})
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem == Problem(f"{AGENTS[name].program}: 401 for key [redacted]", "")
    assert result.reports["report"].said is Said.DONE, "what was reported before still counts"


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("codex", {"type": "turn.failed", "error": {"message": ""}}),
        ("codex", {"type": "error", "message": None}),
        ("gemini", {"error": {"message": ""}}),
        ("gemini", {"error": {"message": None}}),
        ("gemini", {"response": "", "error": {}}),
    ],
)
def test_an_error_without_words_is_still_an_error(
    agents: Agents, name: str, printed: dict[str, object]
) -> None:
    result = agents.work(name, {"print": json.dumps(printed)})
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem == Problem(f"{name}: it does not say why it failed", "")


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("codex", {"type": "turn.failed", "error": {"message": 429}}),
        ("codex", {"type": "error", "message": 429}),
        ("gemini", {"error": {"message": 429}}),
    ],
)
def test_an_error_that_is_a_number_is_shown(
    agents: Agents, name: str, printed: dict[str, object]
) -> None:
    result = agents.work(name, {"print": json.dumps(printed)})
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem == Problem(f"{name}: 429", "")


def test_of_several_errors_the_first_with_words_is_told(agents: Agents) -> None:
    events = [{"type": "error", "message": words} for words in ("", "over the limit", "later")]
    result = agents.work("codex", {"print": "\n".join(map(json.dumps, events))})
    assert result.problem == Problem("codex: over the limit", "")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "words", ["", "Please log in first.", "{}", "[1]", '{"type": 3}', '{"is_error": false']
)
def test_an_answer_that_cannot_be_read_is_reported(agents: Agents, name: str, words: str) -> None:
    result = agents.work(name, {"print": words})
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert (
        "it ended with exit code 3 and said no login: run it once by hand"
        in result.problem.full_text
    )


def test_a_used_up_budget_does_not_count_as_unreachable(agents: Agents) -> None:
    result = agents.work("claude-code", {"subtype": "error_max_budget_usd"})
    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.usage.usd == 0.02


def test_a_program_that_takes_too_long_is_ended(agents: Agents) -> None:
    pid = agents.bench.home / "pid"

    def monotonic() -> float:
        """Its time is over as soon as it has begun, however long that takes."""
        return LIMITS.time.total_seconds() if has_begun(pid) else 0

    agents.programs = SystemAgentPrograms(monotonic)
    result = agents.work("codex", {"hang": True})
    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.problem == Problem("codex used up its time and was stopped.", "")
    wait_for(lambda: not alive(int(pid.read_text())), "its end")


def has_begun(pid: Path) -> bool:
    return pid.exists() and pid.read_text() != ""


def test_a_cancellation_ends_the_program(agents: Agents) -> None:
    pid = agents.bench.home / "pid"

    def cancel() -> None:
        wait_for(lambda: has_begun(pid), "its start")
        agents.cancelled.set()

    canceller = threading.Thread(target=cancel, daemon=True)
    canceller.start()
    result = agents.work("codex", {"hang": True})
    canceller.join()

    assert (result.ending, result.problem) == (BatchEnding.CANCELLED, None)
    wait_for(lambda: not alive(int(pid.read_text())), "its end")


def test_a_missing_program_is_reported(agents: Agents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = agents.work("gemini", {})

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem == Problem("gemini could not be started: No such file or directory.", "")


# -- as a judge ------------------------------------------------------------------------------------

VERDICT = {
    "task_id": "mail",
    "verdict": "verified",
    "contradiction": False,
    "quote": "sent",
    "reason": "it says so",
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("around", ["{}", "Here it is:\n```json\n{}\n```"])
def test_a_program_judges_without_tools(agents: Agents, name: str, around: str) -> None:
    agents.script(
        {
            "text": around.replace(
                "{}", json.dumps({"answers": [VERDICT, VERDICT | {"task_id": "other"}]})
            )
        }
    )

    result = judge_by_program(PROGRAMS, access_to(name), QUESTIONS, LIMITS, agents.cancelled)

    assert result.problem is None
    assert set(result.judgements) == {"mail"}
    assert result.judgements["mail"].quote == "sent"
    assert result.usage.output_tokens == 7
    assert "» exit code 0" in agents.given["prompt"]
    assert agents.given["tools"] == []


@pytest.mark.parametrize(
    "script", [{"text": "I would say so."}, {"text": ""}, {"error": "no login"}], ids=str
)
def test_an_answer_in_another_shape_gives_no_judgement(
    agents: Agents, script: dict[str, Any]
) -> None:
    agents.script(script)
    access = access_to("claude-code")
    result = judge_by_program(PROGRAMS, access, QUESTIONS, LIMITS, agents.cancelled)

    assert result.judgements == {}
    assert result.problem
