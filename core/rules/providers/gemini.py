"""Gemini: one JSON object; its servers are in a settings file. Observed with gemini 0.61."""

from typing import Any

from core.rules.providers.record import SERVER, Job, Program, ProgramAnswer


def _arguments(job: Job) -> list[str]:
    return [
        *("-p", "Do what the text above says.", "-o", "json", "--skip-trust"),
        *("--allowed-mcp-server-names", SERVER),
        *(("-m", job.model) if job.model else ()),
    ]


def _settings(job: Job) -> tuple[str, dict[str, Any]]:
    server = {"command": job.tools[0], "args": list(job.tools[1:]), "trust": True}
    return ".gemini/settings.json", {
        "mcpServers": {SERVER: server},
        # all that it may use; an empty list would mean everything
        "tools": {"core": [f"mcp_{SERVER}_*"]},
        "model": {"maxSessionTurns": job.limits.requests},
        "telemetry": {"enabled": False},
    }


def _read(output: str) -> ProgramAnswer:
    from core.rules.providers.answers import gemini  # imported here: it loads pydantic

    return gemini.read(output)


GEMINI = Program(
    name="gemini",
    program="gemini",
    arguments=_arguments,
    read=_read,
    settings=_settings,
    # The folder is ours; without this its settings are not read.
    environment={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
)
