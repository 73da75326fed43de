"""The arguments of our tools: each tool has a model of what it takes, which says what is sent to
the provider and checks what comes back.

Law: what fits the model can be written into a file, a command or a message.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from core.model.diagnostic import Problem

LONGEST_TEXT = 256 * 1024  # characters
MOST_TEXTS = 50  # in a list
NOTHING_DONE = "Nothing was done."


class Arguments(BaseModel):
    """What one tool takes; a field with a default may be left out."""

    # Nothing is converted: "1" is not a number. Few tools are called in a beat, so a model is
    # built when its tool is called first.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class NoArguments(Arguments):
    pass


class NotFiniteError(ValueError):
    """A number that JSON cannot write."""


def _writable(text: str) -> str:
    """A text with a NUL or half of a surrogate pair is refused: no file, command or message can
    hold it."""
    if len(text) > LONGEST_TEXT or "\0" in text or not _is_whole(text):
        raise ValueError

    return text


def _is_whole(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _writable_table(table: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(table, ensure_ascii=False, allow_nan=False)
    except ValueError as error:  # `NaN` and `1e999`, which Python's reader of JSON lets in
        raise NotFiniteError from error

    _writable(text)
    return table


Text = Annotated[str, AfterValidator(_writable)]
Texts = Annotated[list[Text], Field(max_length=MOST_TEXTS)]
Table = Annotated[dict[str, Any], AfterValidator(_writable_table)]

# By what a field holds: its JSON schema, and what it must be, for the model.
SCHEMAS: Mapping[Any, tuple[Mapping[str, Any], str]] = {
    str: ({"type": "string"}, "a text"),
    bool: ({"type": "boolean"}, "true or false"),
    int: ({"type": "integer"}, "a whole number"),
    list: ({"type": "array", "items": {"type": "string"}}, "a list of texts"),
    dict: ({"type": "object"}, "a table"),
}


def schema_of(takes: type[Arguments]) -> dict[str, Any]:
    """As small as it can be: it is part of every request, so pydantic's own, with titles, defaults
    and limits, would cost twice the tokens."""
    fields = takes.model_fields
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _field_schema(field) for name, field in fields.items()},
    }
    required = [name for name, field in fields.items() if field.is_required()]
    if required:
        schema["required"] = required

    return schema


def _field_schema(field: FieldInfo) -> dict[str, Any]:
    choices = _choices(field)
    if choices:
        return {"type": "string", "enum": choices}
    if isinstance(field.json_schema_extra, dict):
        return dict(field.json_schema_extra)

    schema, _ = SCHEMAS[get_origin(field.annotation) or field.annotation]
    return dict(schema)


def _choices(field: FieldInfo) -> list[str]:
    return list(get_args(field.annotation)) if get_origin(field.annotation) is Literal else []


Taken = TypeVar("Taken", bound=Arguments)


def read_arguments(takes: type[Taken], given: Mapping[str, Any]) -> Taken | Problem:
    """The arguments, or what is wrong with them."""
    try:
        return takes.model_validate(dict(given))
    except (ValidationError, RecursionError) as error:
        return Problem(_what_is_wrong(takes, error), NOTHING_DONE)


def _what_is_wrong(takes: type[Arguments], error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return "The arguments are nested too deeply."

    # What is missing first: a model that mistyped a name reads which one it should have been.
    flaws = sorted(error.errors(), key=lambda flaw: flaw["type"] != "missing")
    flaw = flaws[0]
    name = str(flaw["loc"][0])
    if flaw["type"] == "missing":
        return f"`{name}` is missing."
    if flaw["type"] == "extra_forbidden":
        return f"There is no `{name}`; it takes {', '.join(takes.model_fields) or 'nothing'}."
    if isinstance(flaw.get("ctx", {}).get("error"), NotFiniteError):
        return f"`{name}` has a number that is not finite, such as NaN. Leave it out."

    field = takes.model_fields[name]
    choices = _choices(field)
    if choices:
        return f"`{name}` must be one of {', '.join(choices)}."

    if field.json_schema_extra:
        return f"`{name}` must be a text or a table."

    _, wanted = SCHEMAS[get_origin(field.annotation) or field.annotation]
    return f"`{name}` must be {wanted}."
