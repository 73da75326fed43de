"""A toolbox without an outside: it records what a model did with it, as the real one does."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from core.agent.tool import Effect, OfferedTool, Tool, ToolRefusedError, tool_for
from core.model.agent import BatchEnding, BatchResult
from core.model.evidence import Act, Claim, Said


def schema(*names: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
    }


FACTS = {
    "type": "object",
    "properties": {"facts": {"type": "object"}, "note": {"type": "string"}},
    "required": [],
}


def tool(
    name: str,
    description: str,
    parameters: dict[str, Any],
    effect: Effect,
    run: Callable[[Mapping[str, Any]], str],
) -> Tool:
    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        permission="",
        reads_outside=False,
        effect=effect,
        run=run,
    )


class FakeToolbox:
    """`tasks` are those of the batch: with all of them reported, it is over."""

    def __init__(
        self,
        write: Callable[[Mapping[str, Any]], str] | None = None,
        tasks: Collection[str] = (),
    ) -> None:
        self._tasks = frozenset(tasks)
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
                    schema("task_id", "outcome", "result"),
                    Effect.REPORT,
                    self._report,
                ),
                tool(
                    "write_note",
                    "Keep a line.",
                    schema("line"),
                    Effect.WORK,
                    write or self._write,
                ),
                tool("measure", "Note facts.", FACTS, Effect.NONE, lambda _: "Noted."),
                tool(
                    "read_notes",
                    "All lines.",
                    schema(),
                    Effect.NONE,
                    lambda _: "\n".join(self.notes),
                ),
            )
        }

    def tools(self) -> tuple[OfferedTool, ...]:
        return tuple(one.offer for one in self._tools.values())

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        try:
            tool = tool_for(self._tools, name, arguments)
            output = tool.run(arguments)
            did_it = tool.effect.counts_as_work
        except ToolRefusedError as refused:
            output = str(refused)
            did_it = False
        except Exception as error:
            output = f"It did not work: {error}"
            did_it = False

        self.acts.append(Act(f"{name} {json.dumps(dict(arguments))}", output, did_it))
        return output

    def is_all_reported(self) -> bool:
        return bool(self._tasks) and self._tasks <= self.reports.keys()

    def recorded(self) -> BatchResult:
        return BatchResult(BatchEnding.FINISHED, dict(self.reports), tuple(self.acts))

    def close(self) -> None:
        self.closed = True

    def _report(self, arguments: Mapping[str, Any]) -> str:
        self.reports[arguments["task_id"]] = Claim(Said(arguments["outcome"]), arguments["result"])
        return "Noted."

    def _write(self, arguments: Mapping[str, Any]) -> str:
        self.notes.append(arguments["line"])
        return "Written."
