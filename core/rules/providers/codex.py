"""Codex: one JSON object per line. Observed with codex 0.166."""

import json

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
    from core.rules.providers.answers import codex  # imported here: it loads pydantic

    return codex.read(output)


CODEX = Program(
    name="codex",
    program="codex",
    arguments=_arguments,
    read=_read,
    settings=lambda _: None,
    environment={},
)
