"""The arguments of our tools: builds their schemas, and checks what a model passes to them. Only
the parts of JSON Schema that our own schemas use are known here."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, assert_never, cast

from core.model.diagnostic import Problem

LONGEST_TEXT = 256 * 1024  # characters
MOST_TEXTS = 50  # in a list
NOTHING_DONE = "Nothing was done."

TEXT: Mapping[str, Any] = {"type": "string"}
FLAG: Mapping[str, Any] = {"type": "boolean"}
NUMBER: Mapping[str, Any] = {"type": "integer"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
TABLE: Mapping[str, Any] = {"type": "object"}

TypeName = Literal["string", "boolean", "integer", "array", "object"]
DESCRIPTIONS: Mapping[TypeName, str] = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "array": "a list of texts",
    "object": "a table",
}


def one_of(*words: str) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(words)}


def takes(
    parameters: Mapping[str, Mapping[str, Any]], optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """The schema of a tool with these parameters."""
    required = [name for name in parameters if name not in optional]
    schema: dict[str, Any] = {"type": "object", "properties": dict(parameters)}
    if required:
        schema["required"] = required

    return schema


def check_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Problem | None:
    """What is wrong with the arguments; None if they fit the schema."""
    known: Mapping[str, Any] = schema["properties"]
    for name in schema.get("required", ()):
        if name not in arguments:
            return Problem(f"`{name}` is missing.", NOTHING_DONE)

    for name, value in arguments.items():
        if name not in known:
            takes_these = ", ".join(known) or "nothing"
            return Problem(f"There is no `{name}`; it takes {takes_these}.", NOTHING_DONE)

        if not _fits(value, known[name]):
            choices = known[name].get("enum")
            wanted = (
                f"one of {', '.join(choices)}" if choices else DESCRIPTIONS[known[name]["type"]]
            )
            return Problem(f"`{name}` must be {wanted}.", NOTHING_DONE)

    return None


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    type_name = cast(TypeName, schema["type"])
    match type_name:
        case "string":
            return _is_text(value) and value in schema.get("enum", [value])
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "array":
            is_short = isinstance(value, list) and len(value) <= MOST_TEXTS
            return is_short and all(map(_is_text, cast("list[object]", value)))
        case "object":
            return isinstance(value, dict) and _is_text(json.dumps(value, ensure_ascii=False))
        case other:
            assert_never(other)


def _is_text(value: object) -> bool:
    """A text with a NUL or half of a surrogate pair is refused: no file, command or message can
    hold it."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\0" in value:
        return False

    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
