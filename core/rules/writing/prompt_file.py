"""A prompt as the text of its file; reading it gives the same prompt."""

import json
from collections.abc import Sequence

from core.model.errors import HeartbeatError
from core.rules.reading.prompts import read_prompt


def new_prompt(
    identifier: str,
    title: str,
    body: str,
    *,
    schedule: str | None = None,
    run_if: str | None = None,
    gate: str | None = None,
    domains: Sequence[str] = (),
) -> str:
    """The text of a prompt's file; HeartbeatError where nothing could be run from it."""
    text = prompt_text(title, body, schedule=schedule, run_if=run_if, gate=gate, domains=domains)
    read = read_prompt(identifier, text.encode())
    errors = [found for found in read.diagnostics if found.severity == "error"]
    if errors or read.prompt is None or read.prompt.unclear:
        found = (errors or list(read.diagnostics))[0]
        raise HeartbeatError(found.message, found.hint)
    return text


def prompt_text(
    title: str,
    body: str,
    *,
    schedule: str | None = None,
    run_if: str | None = None,
    gate: str | None = None,
    domains: Sequence[str] = (),
) -> str:
    """Every value in quotes: whatever it holds, it stays that value."""
    lines = ["---", f"title: {_quoted(' '.join(title.split()))}"]
    lines += [f"schedule: {_quoted(schedule)}"] if schedule else []
    lines += [f"run_if: {run_if}"] if run_if else []
    if gate:
        lines += ["gate:", f"  command: {_quoted(gate)}"]
        lines += ["  allowedDomains:", *(f"    - {_quoted(domain)}" for domain in domains)] if domains else []
    return "\n".join([*lines, "---", "", body.strip(), ""])


def _quoted(text: str) -> str:
    """JSON's strings are YAML's, but for characters that YAML does not print."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in plain)
