"""A prompt as the text of its file. Reading the text gives the same prompt."""

import json
from collections.abc import Iterator, Mapping, Sequence

from core.model.document import Gate, Prompt, RunIf
from core.model.errors import HeartbeatError
from core.model.light_dataclass import light_dataclass
from core.rules.reading.prompts import DEFAULT_GATE_TIMEOUT, read_prompt

GateKeys = Mapping[str, object]  # as they are written in the file


@light_dataclass(frozen=True, slots=True)
class PromptKeys:
    """What somebody says about a prompt; None: nothing, so it stays as it is."""

    title: str | None = None
    body: str | None = None
    schedule: str | None = None
    run_if: str | None = None
    gate: GateKeys | None = None  # the keys that are given; the others stay


def added_prompt(identifier: str, before: Prompt | None, given: PromptKeys) -> str:
    """Return the text of a prompt's file with what is given, and all else as it was before; raise
    HeartbeatError if nothing would run from it."""
    if before and before.unclear:
        raise HeartbeatError(
            f"The prompt {identifier} cannot be changed as it is: {before.unclear}.",
            f"Fix {before.file}, or replace it as a whole with --overwrite.",
        )
    if before is None and not given.title:
        raise HeartbeatError(f"There is no prompt {identifier} yet, so it needs a title.", "")

    gate = {**(_gate_keys(before.gate) if before and before.gate else {}), **(given.gate or {})}
    run_if = before.run_if if before and before.run_if is not RunIf.SUCCESS else None

    return new_prompt(
        identifier,
        given.title or (before.title if before else ""),
        given.body or (before.body if before else ""),
        schedule=given.schedule or (before.schedule if before else None),
        run_if=given.run_if or run_if,
        gate=gate,
    )


def new_prompt(
    identifier: str,
    title: str,
    body: str,
    *,
    schedule: str | None = None,
    run_if: str | None = None,
    gate: GateKeys | None = None,
) -> str:
    """Return the text of a prompt's file; raise HeartbeatError if nothing would run from it."""
    text = prompt_text(title, body, schedule=schedule, run_if=run_if, gate=gate)
    read = read_prompt(identifier, text.encode())
    errors = [found for found in read.diagnostics if found.severity == "error"]
    unknown = [found for found in read.diagnostics if found.code == "HB502"]

    if errors or unknown or read.prompt is None or read.prompt.unclear:
        found = (errors or unknown or list(read.diagnostics))[0]
        raise HeartbeatError(found.message, found.hint)

    return text


def prompt_text(
    title: str,
    body: str,
    *,
    schedule: str | None = None,
    run_if: str | None = None,
    gate: GateKeys | None = None,
) -> str:
    """Return the text with every value in quotes, so that any characters in it stay as they are."""
    lines = ["---", f"title: {_quoted(' '.join(title.split()))}"]
    if schedule:
        lines.append(f"schedule: {_quoted(schedule)}")
    if run_if:
        lines.append(f"run_if: {run_if}")
    if gate:
        lines += ["gate:", *_gate_lines(gate)]

    return "\n".join([*lines, "---", "", body.strip(), ""])


def _gate_keys(gate: Gate) -> dict[str, object]:
    """The keys that would be written for this gate."""
    keys: dict[str, object] = {
        "command": gate.command,
        "cwd": gate.cwd,
        "timeout": gate.timeout.total_seconds(),
        "env": gate.env,
        "permissions": gate.permissions,
        "allowedDomains": gate.allowed_domains,
    }
    if gate.timeout == DEFAULT_GATE_TIMEOUT:
        del keys["timeout"]

    return keys


def _gate_lines(gate: GateKeys) -> Iterator[str]:
    """The lines below `gate:`; a key without a value, such as an empty list, is left out."""
    for key, value in gate.items():
        if value is None or value in ("", [], (), {}):
            continue

        name = key if key.isidentifier() else _quoted(key)
        if isinstance(value, Mapping):
            yield f"  {name}:"
            yield from (f"    {_quoted(str(one))}: {_scalar(value[one])}" for one in value)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"  {name}:"
            yield from (f"    - {_scalar(one)}" for one in value)
        else:
            yield f"  {name}: {_scalar(value)}"


def _scalar(value: object) -> str:
    """A number as it is; anything else as a text in quotes."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    if isinstance(value, bool):
        return str(value).lower()

    return _quoted(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _quoted(text: str) -> str:
    """Return a YAML string: JSON's, except for characters that YAML does not print."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in plain)
