"""Claude Code: one JSON object. Observed with claude 2.1."""

import json

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
    from core.rules.providers.answers import claude_code  # imported here: it loads pydantic

    return claude_code.read(output)


CLAUDE_CODE = Program(
    name="claude-code",
    program="claude",
    arguments=_arguments,
    read=_read,
    settings=lambda _: None,
    environment={},
)
