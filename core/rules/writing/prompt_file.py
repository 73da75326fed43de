"""A prompt as the text of its file. Reading the text gives the same prompt."""

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
    """Return the text of a prompt's file; raise HeartbeatError if nothing would run from it."""
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
    """Return the text with every value in quotes, so that any characters in it stay as they are."""
    lines = ["---", f"title: {_quoted(' '.join(title.split()))}"]
    if schedule:
        lines.append(f"schedule: {_quoted(schedule)}")
    if run_if:
        lines.append(f"run_if: {run_if}")
    if gate:
        lines += ["gate:", f"  command: {_quoted(gate)}"]
    if gate and domains:
        lines += ["  allowedDomains:", *(f"    - {_quoted(domain)}" for domain in domains)]

    return "\n".join([*lines, "---", "", body.strip(), ""])


def _quoted(text: str) -> str:
    """Return a YAML string: JSON's, except for characters that YAML does not print."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in plain)
