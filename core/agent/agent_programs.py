"""How each agent program is called and how its answer is read: one table. Law: its own tools are off or only read.

What stands here was seen with claude 2.1, codex 0.166 and gemini 0.61.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.model.agent import Limits, Usage

SERVER = "heartbeat"


@dataclass(frozen=True, slots=True)
class Job:
    model: str  # empty: the agent's own choice
    tools: tuple[str, ...]  # the command line of our tools, as an MCP server
    folder: Path  # an empty one, of this job alone
    limits: Limits


@dataclass(frozen=True, slots=True)
class Answer:
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    problem: str = ""
    is_over_budget: bool = False


@dataclass(frozen=True, slots=True)
class CommandLineAgent:
    program: str
    words: Callable[[Job], list[str]]
    read: Callable[[str], Answer]
    settings: Callable[[Job], tuple[str, dict[str, Any]] | None] = lambda _: None  # a file in its folder
    environment: Mapping[str, str] = field(default_factory=dict)


# -- claude: one JSON object. A 401 has `subtype: success`, so `is_error` decides. ----------------------------------


def _claude_words(job: Job) -> list[str]:
    server = {"mcpServers": {SERVER: {"command": job.tools[0], "args": list(job.tools[1:])}}}
    return [
        *("-p", "--output-format", "json", "--no-session-persistence"),
        *("--strict-mcp-config", "--mcp-config", json.dumps(server), "--setting-sources", "user"),
        *("--tools", "", "--allowedTools", f"mcp__{SERVER}", "--max-turns", str(job.limits.requests)),
        *(("--max-budget-usd", f"{job.limits.usd:.4f}") if job.limits.usd is not None else ()),
        *(("--model", job.model) if job.model else ()),
    ]


def _claude_answer(output: str) -> Answer:
    result = json.loads(output)
    used = result.get("usage") or {}
    read, written = used.get("cache_read_input_tokens") or 0, used.get("cache_creation_input_tokens") or 0
    usage = Usage(
        requests=result.get("num_turns") or 0,
        input_tokens=(used.get("input_tokens") or 0) + read + written,
        output_tokens=used.get("output_tokens") or 0,
        cache_read_tokens=read,
        cache_write_tokens=written,
        usd=result.get("total_cost_usd"),
    )
    kind = str(result["subtype"])
    if result["is_error"] or kind != "success":
        words = str(result.get("result") or kind.replace("_", " "))
        return Answer(usage=usage, problem=words, is_over_budget=kind.startswith("error_max"))
    return Answer(str(result["result"]), usage)


# -- codex: one JSON object a line ------------------------------------------------------------------------------------


# Its shell would read whatever the person can read, and the others cost tokens.
_CODEX_OFF = ("shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "apps", "plugins")


def _codex_words(job: Job) -> list[str]:
    return [
        *("exec", "--json", "--skip-git-repo-check", "--ephemeral", "-s", "read-only"),
        *(word for feature in _CODEX_OFF for word in ("--disable", feature)),
        *("-c", 'web_search="disabled"'),
        *("-c", f"mcp_servers.{SERVER}.required=true"),
        *("-c", f"mcp_servers.{SERVER}.command={json.dumps(job.tools[0])}"),
        *("-c", f"mcp_servers.{SERVER}.args={json.dumps(list(job.tools[1:]))}"),
        *("-c", f'mcp_servers.{SERVER}.default_tools_approval_mode="approve"'),
        *(("-m", job.model) if job.model else ()),
        "-",
    ]


def _codex_answer(output: str) -> Answer:
    text, problem, usage = "", "", Usage()
    for event in _lines(output):
        match event["type"]:
            case "item.completed" if event["item"].get("type") == "agent_message":
                text = str(event["item"]["text"])
            case "turn.completed":
                used = event["usage"]
                cached = used.get("cached_input_tokens") or 0
                usage += Usage(1, used["input_tokens"], used["output_tokens"], cache_read_tokens=cached)
                problem = ""
            case "turn.failed":
                problem = str(event["error"]["message"])
            case "error":
                problem = problem or str(event["message"])
    if not usage.requests and not problem:
        raise ValueError("it ended before its turn did")
    return Answer(text, usage, problem)


def _lines(output: str) -> Iterator[Mapping[str, Any]]:
    for line in output.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


# -- gemini: one JSON object; its servers stand in a settings file -----------------------------------------------------


def _gemini_words(job: Job) -> list[str]:
    return [
        *("-p", "Do what the text above says.", "-o", "json", "--skip-trust"),
        *("--allowed-mcp-server-names", SERVER),
        *(("-m", job.model) if job.model else ()),
    ]


def _gemini_settings(job: Job) -> tuple[str, dict[str, Any]]:
    server = {"command": job.tools[0], "args": list(job.tools[1:]), "trust": True}
    return ".gemini/settings.json", {
        "mcpServers": {SERVER: server},
        "tools": {"core": [f"mcp_{SERVER}_*"]},  # all that it may use; an empty list would mean everything
        "model": {"maxSessionTurns": job.limits.requests},
        "telemetry": {"enabled": False},
    }


_GEMINI_VARIABLES = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}  # the folder is ours; else its settings are not read


def _gemini_answer(output: str) -> Answer:
    result = json.loads(output[output.index("{") :])
    usage = Usage()
    for model in ((result.get("stats") or {}).get("models") or {}).values():
        tokens = model["tokens"]
        cached, output_tokens = (
            tokens.get("cached") or 0,
            (tokens.get("candidates") or 0) + (tokens.get("thoughts") or 0),
        )
        usage += Usage(model["api"]["totalRequests"], tokens["prompt"], output_tokens, cache_read_tokens=cached)
    if error := result.get("error"):
        return Answer(usage=usage, problem=str(error["message"]))
    return Answer(str(result["response"]), usage)


AGENTS = {
    "claude-code": CommandLineAgent("claude", _claude_words, _claude_answer),
    "codex": CommandLineAgent("codex", _codex_words, _codex_answer),
    "gemini": CommandLineAgent("gemini", _gemini_words, _gemini_answer, _gemini_settings, _GEMINI_VARIABLES),
}
