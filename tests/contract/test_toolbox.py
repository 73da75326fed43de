"""What core.agent.tool.Toolbox promises, asked of the real one over a real workspace, and of the
fake."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from core.agent import toolbox as toolbox_module
from core.agent.tool import Effect, Tool, Toolbox, touches_nothing
from core.model.agent import BatchEnding, BatchResult
from core.model.evidence import Claim, Said
from tests.agent.workbench import Workbench
from tests.fakes.toolbox import FakeToolbox

REPORT = {"task_id": "report", "outcome": "done", "result": "Written"}


class Desk(Protocol):
    """A toolbox, one of its tools that does something, and a look at what was done."""

    toolbox: Toolbox
    name: str
    arguments: dict[str, Any]

    def is_done(self) -> bool: ...


class DeskInMemory:
    name = "write_note"

    def __init__(self) -> None:
        self.fake = FakeToolbox(tasks=("report", "tidy"))
        self.toolbox: Toolbox = self.fake
        self.arguments = {"line": "hello"}

    def is_done(self) -> bool:
        return self.fake.notes == ["hello"]


class DeskOnDisk:
    name = "write_file"

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self.toolbox: Toolbox = bench.toolbox()
        self.arguments = {"path": "note.md", "content": "hello"}

    def is_done(self) -> bool:
        return self.bench.exists("note.md") and self.bench.text("note.md") == "hello"


@pytest.fixture(params=["real", "fake"])
def desk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    if request.param == "fake":
        return DeskInMemory()

    return DeskOnDisk(Workbench(tmp_path, monkeypatch))


Raising = Callable[[Mapping[str, Any]], str]


@pytest.fixture(params=["real", "fake"])
def toolbox_with(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Raising], Toolbox]:
    """A toolbox whose tool `write_note` runs what is given."""
    if request.param == "fake":
        return FakeToolbox

    def made(run: Raising) -> Toolbox:
        tool = Tool(
            name="write_note",
            description="Keep a line.",
            parameters={"type": "object", "properties": {}, "required": []},
            permission="",
            reads_outside=False,
            effect=Effect.WORK,
            touches=touches_nothing,
            run=run,
        )
        monkeypatch.setattr(toolbox_module, "TOOLS", [lambda _world, _record: [tool]])
        return Workbench(tmp_path, monkeypatch).toolbox()

    return made


def test_every_tool_says_what_it_is_for_and_what_it_takes(desk: Desk) -> None:
    offered = {tool.name: tool for tool in desk.toolbox.tools()}
    assert offered[desk.name].changes_something
    assert not offered["report_task"].changes_something
    for tool in offered.values():
        assert tool.description
        assert tool.parameters["type"] == "object"
        assert set(tool.parameters.get("required", ())) <= set(tool.parameters["properties"])


def test_a_call_does_it_and_is_recorded_as_work(desk: Desk) -> None:
    answer = desk.toolbox.call(desk.name, desk.arguments)
    assert desk.is_done()
    (act,) = desk.toolbox.recorded().acts
    assert act.what.startswith(desk.name)
    assert "hello" in act.what
    assert (act.output, act.could_do_it) == (answer, True)


def test_a_report_is_recorded_and_does_not_count_as_work(desk: Desk) -> None:
    desk.toolbox.call("report_task", REPORT)
    recorded = desk.toolbox.recorded()
    assert recorded.reports == {"report": Claim(Said.DONE, "Written")}
    assert [act.could_do_it for act in recorded.acts] == [False]


def test_a_record_has_nothing_but_what_the_tools_did(desk: Desk) -> None:
    assert desk.toolbox.recorded() == BatchResult(BatchEnding.FINISHED)
    desk.toolbox.call("report_task", REPORT)
    recorded = desk.toolbox.recorded()
    expected = BatchResult(BatchEnding.FINISHED, recorded.reports, recorded.acts)
    assert recorded == expected


def test_a_batch_of_tasks_is_over_when_each_is_reported(desk: Desk) -> None:
    seen = [desk.toolbox.is_all_reported()]
    desk.toolbox.call("report_task", REPORT)
    seen.append(desk.toolbox.is_all_reported())
    desk.toolbox.call("report_task", {**REPORT, "task_id": "tidy"})
    assert [*seen, desk.toolbox.is_all_reported()] == [False, False, True]


def test_what_only_reports_says_so(desk: Desk) -> None:
    only_reporting = {tool.name for tool in desk.toolbox.tools() if tool.only_reports}
    assert only_reporting - {"report_review"} == {"report_task"}


def test_a_call_of_an_unknown_tool_is_answered_with_the_known_ones(desk: Desk) -> None:
    answer = desk.toolbox.call("approve_everything", {})
    assert all(tool.name in answer for tool in desk.toolbox.tools())
    assert [act.could_do_it for act in desk.toolbox.recorded().acts] == [False]


def test_arguments_that_do_not_fit_are_answered_and_nothing_is_done(desk: Desk) -> None:
    missing, *_ = desk.arguments
    answers = [
        desk.toolbox.call(desk.name, {}),
        desk.toolbox.call(desk.name, {**desk.arguments, missing: 3}),
        desk.toolbox.call(desk.name, {**desk.arguments, "mode": "777"}),
    ]
    assert [f"`{missing}`" in answer for answer in answers[:2]] == [True, True]
    assert "`mode`" in answers[2]
    assert not desk.is_done()
    assert [act.could_do_it for act in desk.toolbox.recorded().acts] == [False] * 3


def test_a_tool_that_breaks_is_answered_and_nothing_counts_as_done(
    toolbox_with: Callable[[Raising], Toolbox],
) -> None:
    def breaks(_arguments: Mapping[str, Any]) -> str:
        raise OSError("no space left")

    toolbox = toolbox_with(breaks)
    assert "no space left" in toolbox.call("write_note", {"line": "hello"})
    (act,) = toolbox.recorded().acts
    assert "no space left" in act.output
    assert not act.could_do_it


def test_calls_may_come_from_any_thread_and_each_is_recorded(desk: Desk) -> None:
    callers = [
        threading.Thread(target=desk.toolbox.call, args=(f"unknown_{number}", {}))
        for number in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(desk.toolbox.recorded().acts) == 8


def test_it_can_be_closed(desk: Desk) -> None:
    desk.toolbox.tools()
    desk.toolbox.close()
