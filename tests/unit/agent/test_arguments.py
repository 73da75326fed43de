"""What a tool takes: the schema that is sent, and what a model reads when its call does not fit."""

import json
from typing import Any, Literal

import pytest
from pydantic import Field

from core.agent.arguments import (
    LONGEST_TEXT,
    MOST_TEXTS,
    Arguments,
    NoArguments,
    Table,
    Text,
    Texts,
    read_arguments,
    schema_of,
)
from core.agent.tools import commands, files, heartbeats, memory, messages, reports, web
from core.model.diagnostic import Problem
from core.rules.writing.memory import SECTIONS


class Everything(Arguments):
    name: Text
    kind: Literal["one", "two"]
    lines: Texts = Field(default_factory=list)
    count: int = 1
    is_new: bool = False
    facts: Table = Field(default_factory=dict)


FITS: dict[str, Any] = {"name": "Bern", "kind": "one"}


def test_the_schema_says_what_the_model_may_write_and_no_more() -> None:
    assert schema_of(Everything) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "kind": {"type": "string", "enum": ["one", "two"]},
            "lines": {"type": "array", "items": {"type": "string"}},
            "count": {"type": "integer"},
            "is_new": {"type": "boolean"},
            "facts": {"type": "object"},
        },
        "required": ["name", "kind"],
    }
    assert schema_of(NoArguments) == {"type": "object", "properties": {}}


def models() -> list[type[Arguments]]:
    rooms = (commands, files, heartbeats, memory, messages, reports, web)
    found = {one for room in rooms for one in vars(room).values() if isinstance(one, type)}
    return sorted(
        (one for one in found if issubclass(one, Arguments)), key=lambda one: one.__name__
    )


@pytest.mark.parametrize("takes", models())
def test_the_schema_agrees_with_that_of_pydantic(takes: type[Arguments]) -> None:
    whole = takes.model_json_schema()
    ours = schema_of(takes)
    assert ours.get("required") == whole.get("required")
    for name, field in whole["properties"].items():
        kept = {key: field[key] for key in ("type", "enum") if key in field}
        assert {key: ours["properties"][name][key] for key in kept} == kept


def test_what_fits_is_read_with_its_defaults() -> None:
    read = read_arguments(Everything, FITS)
    assert isinstance(read, Everything)
    assert (read.name, read.lines, read.count, read.facts) == ("Bern", [], 1, {})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": 3}, "`name` must be a text."),
        ({"name": None}, "`name` must be a text."),
        ({"name": "a\0b"}, "`name` must be a text."),
        ({"name": "\ud83d"}, "`name` must be a text."),
        ({"name": "x" * (LONGEST_TEXT + 1)}, "`name` must be a text."),
        ({"kind": "three"}, "`kind` must be one of one, two."),
        ({"lines": "a"}, "`lines` must be a list of texts."),
        ({"lines": ["a", 1]}, "`lines` must be a list of texts."),
        ({"lines": ["a"] * (MOST_TEXTS + 1)}, "`lines` must be a list of texts."),
        ({"count": "1"}, "`count` must be a whole number."),
        ({"count": True}, "`count` must be a whole number."),
        ({"count": 1.5}, "`count` must be a whole number."),
        ({"is_new": 1}, "`is_new` must be true or false."),
        ({"facts": []}, "`facts` must be a table."),
        ({"facts": {"a": "\0"}}, None),  # escaped in JSON: what reads it decides
        ({"facts": {"a": "\ud83d"}}, "`facts` must be a table."),
        *(
            (
                {"facts": {"a": odd, "b": 3}},
                "`facts` has a number that is not finite, such as NaN. Leave it out.",
            )
            for odd in (float("nan"), float("inf"), [1, {"c": float("-inf")}])
        ),
        (
            {"nmae": "Bern"},
            "There is no `nmae`; it takes name, kind, lines, count, is_new, facts.",
        ),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(
    change: dict[str, Any], sentence: str | None
) -> None:
    read = read_arguments(Everything, {**FITS, **change})
    assert (read.message if isinstance(read, Problem) else None) == sentence


def test_what_is_missing_is_said_first() -> None:
    read = read_arguments(Everything, {"nmae": "Bern", "kind": "one"})
    assert isinstance(read, Problem)
    assert read.message == "`name` is missing."


def test_a_table_that_never_ends_is_refused() -> None:
    endless: Any = {}
    for _ in range(100_000):
        endless = {"a": endless}
    read = read_arguments(Everything, {**FITS, "facts": endless})
    assert isinstance(read, Problem)


def test_the_sections_of_the_memory_are_those_that_can_be_remembered() -> None:
    sections = schema_of(memory.Remember)["properties"]["section"]["enum"]
    assert json.dumps(sections) == json.dumps(SECTIONS)
