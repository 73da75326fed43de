"""Codex: one JSON object per line. Observed with codex 0.166."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from core.model.agent import Usage
from core.model.diagnostic import Problem
from core.rules.providers.record import SERVER, Job, Program, ProgramAnswer

# Its shell would read whatever the person can read, and the others cost tokens.
SWITCHED_OFF = (
    "shell_tool",
    "unified_exec",
    "view_image",
    "multi_agent",
    "goals",
    "apps",
    "plugins",
)


def _arguments(job: Job) -> list[str]:
    return [
        *("exec", "--json", "--skip-git-repo-check", "--ephemeral", "-s", "read-only"),
        *(word for feature in SWITCHED_OFF for word in ("--disable", feature)),
        *("-c", 'web_search="disabled"'),
        *("-c", f"mcp_servers.{SERVER}.required=true"),
        *("-c", f"mcp_servers.{SERVER}.command={json.dumps(job.tools[0])}"),
        *("-c", f"mcp_servers.{SERVER}.args={json.dumps(list(job.tools[1:]))}"),
        *("-c", f'mcp_servers.{SERVER}.default_tools_approval_mode="approve"'),
        *(("-m", job.model) if job.model else ()),
        "-",
    ]


def _read(output: str) -> ProgramAnswer:
    text = ""
    problem: Problem | None = None
    usage = Usage()

    for event in _lines(output):
        match event["type"]:
            case "item.completed" if event["item"].get("type") == "agent_message":
                text = str(event["item"]["text"])
            case "turn.completed":
                used = event["usage"]
                cached = used.get("cached_input_tokens") or 0
                usage += Usage(
                    1, used["input_tokens"], used["output_tokens"], cache_read_tokens=cached
                )
                problem = None
            case "turn.failed":
                problem = Problem(str(event["error"]["message"] or ""), "")
            case "error" if problem is None or not problem.message:
                problem = Problem(str(event["message"] or ""), "")

    if not usage.requests and problem is None:
        raise ValueError("it ended before its turn did")

    return ProgramAnswer(text, usage, problem)


def _lines(output: str) -> Iterator[Mapping[str, Any]]:
    for line in output.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


CODEX = Program(
    name="codex",
    program="codex",
    arguments=_arguments,
    read=_read,
    settings=lambda _: None,
    environment={},
)
