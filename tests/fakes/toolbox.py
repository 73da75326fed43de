"""A toolbox without an outside: it records what a model did with it, as the real one does."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from pydantic import Field

from core.agent.arguments import Arguments, NoArguments, Table, Taken, Text
from core.agent.own_tool import own_tool
from core.agent.tool import (
    Effect,
    OfferedTool,
    Tool,
    ToolRefusedError,
    only_reads,
    tool_for,
    touches_nothing,
)
from core.model.agent import BatchEnding, BatchResult
from core.model.evidence import Act, Claim, Said


class ReportTask(Arguments):
    task_id: Text
    outcome: Text
    result: Text


class WriteNote(Arguments):
    line: Text


class Measure(Arguments):
    facts: Table = Field(default_factory=dict)
    note: Text = ""


def tool(
    name: str,
    description: str,
    takes: type[Taken],
    effect: Effect,
    run: Callable[[Taken], str],
) -> Tool:
    return own_tool(
        takes,
        run,
        name=name,
        description=description,
        permission="",
        reads_outside=False,
        effect=effect,
        touches=only_reads if effect is Effect.NONE else touches_nothing,
    )


class FakeToolbox:
    """`tasks` are those of the batch: with all of them reported, it is over."""

    def __init__(
        self,
        write: Callable[[Mapping[str, Any]], str] | None = None,
        tasks: Collection[str] = (),
    ) -> None:
        self._tasks = frozenset(tasks)
        self.refused = 0
        self._instead = write
        self.notes: list[str] = []
        self.reports: dict[str, Claim] = {}
        self.acts: list[Act] = []
        self.closed = False
        self._tools = {
            one.name: one
            for one in (
                tool(
                    "report_task",
                    "Report a task.",
                    ReportTask,
                    Effect.REPORT,
                    self._report,
                ),
                tool("write_note", "Keep a line.", WriteNote, Effect.WORK, self._write),
                tool("measure", "Note facts.", Measure, Effect.NONE, lambda _: "Noted."),
                tool(
                    "read_notes",
                    "All lines.",
                    NoArguments,
                    Effect.NONE,
                    lambda _: "\n".join(self.notes),
                ),
            )
        }

    def tools(self) -> tuple[OfferedTool, ...]:
        return tuple(one.offer for one in self._tools.values())

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        try:
            tool = tool_for(self._tools, name)
            output = tool.run(arguments)
            did_it = tool.effect.counts_as_work
            happened = tool.effect.is_more_than_words
        except ToolRefusedError as refused:
            self.refused += 1
            output = str(refused)
            did_it = happened = False
        except Exception as error:
            self.refused += 1
            output = f"It did not work: {error}"
            did_it = happened = False

        self.acts.append(Act(f"{name} {json.dumps(dict(arguments))}", output, did_it, happened))
        return output

    def is_all_reported(self) -> bool:
        return bool(self._tasks) and self._tasks <= self.reports.keys()

    def recorded(self) -> BatchResult:
        return BatchResult(BatchEnding.FINISHED, dict(self.reports), tuple(self.acts))

    def close(self) -> None:
        self.closed = True

    def _report(self, given: ReportTask) -> str:
        self.reports[given.task_id] = Claim(Said(given.outcome), given.result)
        return "Noted."

    def _write(self, given: WriteNote) -> str:
        if self._instead:
            return self._instead(given.model_dump())

        self.notes.append(given.line)
        return "Written."
