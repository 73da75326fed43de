"""Claude Code: one JSON object. Observed with claude 2.1."""

import json

from core.model.agent import Usage
from core.model.diagnostic import Problem
from core.rules.providers.record import SERVER, Job, Program, ProgramAnswer


def _arguments(job: Job) -> list[str]:
    server = {"mcpServers": {SERVER: {"command": job.tools[0], "args": list(job.tools[1:])}}}
    return [
        *("-p", "--output-format", "json", "--no-session-persistence"),
        *("--strict-mcp-config", "--mcp-config", json.dumps(server), "--setting-sources", "user"),
        *("--tools", "", "--allowedTools", f"mcp__{SERVER}"),
        *("--max-turns", str(job.limits.requests)),
        *(("--max-budget-usd", f"{job.limits.usd:.4f}") if job.limits.usd is not None else ()),
        *(("--model", job.model) if job.model else ()),
    ]


def _read(output: str) -> ProgramAnswer:
    result = json.loads(output)
    used = result.get("usage") or {}
    read = used.get("cache_read_input_tokens") or 0
    written = used.get("cache_creation_input_tokens") or 0
    usage = Usage(
        requests=result.get("num_turns") or 0,
        input_tokens=(used.get("input_tokens") or 0) + read + written,
        output_tokens=used.get("output_tokens") or 0,
        cache_read_tokens=read,
        cache_write_tokens=written,
        usd=result.get("total_cost_usd"),
    )

    # A refused key has the subtype `success` too, so `is_error` decides.
    kind = str(result["subtype"])
    if result["is_error"] or kind != "success":
        words = str(result.get("result") or kind.replace("_", " "))
        return ProgramAnswer(
            usage=usage,
            problem=Problem(words, ""),
            is_over_budget=kind.startswith("error_max"),
        )

    return ProgramAnswer(str(result["result"]), usage)


CLAUDE_CODE = Program(
    name="claude-code",
    program="claude",
    arguments=_arguments,
    read=_read,
    settings=lambda _: None,
    environment={},
)
