"""Checks what a model calls a tool with against the tool's schema; only what our own schemas use is known here."""

import json
from collections.abc import Mapping
from typing import Any

LONGEST = 256 * 1024  # characters of one text
MOST_TEXTS = 50

_WORDS = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "array": "a list of texts",
    "object": "a table",
}


def wrong_with(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """What is wrong, as a sentence; nothing where they fit."""
    known: Mapping[str, Any] = schema["properties"]
    for name in schema.get("required", ()):
        if name not in arguments:
            return f"`{name}` is missing."
    for name, value in arguments.items():
        if name not in known:
            return f"There is no `{name}`; it takes {', '.join(known) or 'nothing'}."
        if not _fits(value, known[name]):
            choice = known[name].get("enum")
            wanted = f"one of {', '.join(choice)}" if choice else _WORDS[known[name]["type"]]
            return f"`{name}` must be {wanted}."
    return ""


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    match schema["type"]:
        case "string":
            return _is_text(value) and value in schema.get("enum", [value])
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "array":
            return isinstance(value, list) and len(value) <= MOST_TEXTS and all(map(_is_text, value))
        case _:
            return isinstance(value, dict) and _is_text(json.dumps(value, ensure_ascii=False))


def _is_text(value: object) -> bool:
    """Not one with a NUL or half of a character: no file, command or message can hold it."""
    if not isinstance(value, str) or len(value) > LONGEST or "\0" in value:
        return False
    return not any("\ud800" <= sign <= "\udfff" for sign in value) if not value.isascii() else True
