"""A toolbox without an outside: it records what a model did with it, as the real one does."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from core.agent.tool import Tool
from core.model.agent import BatchEnding, BatchResult
from core.model.evidence import Act, Claim, Said


def schema(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


FACTS = {"type": "object", "properties": {"facts": {"type": "object"}, "note": {"type": "string"}}, "required": []}


class FakeToolbox:
    def __init__(self, write: Callable[[Mapping[str, Any]], str] | None = None) -> None:
        self.notes: list[str] = []
        self.reports: dict[str, Claim] = {}
        self.acts: list[Act] = []
        self.closed = False
        self._tools = {
            tool.name: tool
            for tool in (
                Tool("report_task", "Report a task.", schema("task_id", "outcome", "result"), "", False, self._report),
                Tool("write_note", "Keep a line.", schema("line"), "@workspace", True, write or self._write),
                Tool("measure", "Note facts.", FACTS, "", False, lambda _: "Noted."),
                Tool("read_notes", "All lines.", schema(), "@workspace", False, lambda _: "\n".join(self.notes)),
            )
        }

    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._tools.values())

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        tool = self._tools[name]
        missing = [one for one in tool.parameters["required"] if one not in arguments]
        if missing:
            return f"{name} needs: {', '.join(missing)}."
        output = tool.call(arguments)
        self.acts.append(Act(f"{name} {json.dumps(dict(arguments))}", output, tool.could_do_it))
        return output

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
