"""Gemini: one JSON object; its servers are in a settings file. Observed with gemini 0.61."""

import json
from typing import Any

from core.model.agent import Usage
from core.model.diagnostic import Problem
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
    result = json.loads(output[output.index("{") :])
    usage = Usage()
    for model in ((result.get("stats") or {}).get("models") or {}).values():
        tokens = model["tokens"]
        usage += Usage(
            requests=model["api"]["totalRequests"],
            input_tokens=tokens["prompt"],
            output_tokens=(tokens.get("candidates") or 0) + (tokens.get("thoughts") or 0),
            cache_read_tokens=tokens.get("cached") or 0,
        )

    error = result.get("error")
    if error is not None:
        words = str(error.get("message") or "")
        return ProgramAnswer(usage=usage, problem=Problem(words, ""))

    return ProgramAnswer(str(result["response"]), usage)


GEMINI = Program(
    name="gemini",
    program="gemini",
    arguments=_arguments,
    read=_read,
    settings=_settings,
    # The folder is ours; without this its settings are not read.
    environment={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
)
