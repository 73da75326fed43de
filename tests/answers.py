"""Compares what the commands really answer in JSON with docs/schemas/answers: every test that asks
a command for JSON does, so that a new key, or a value of another kind, is found wherever it is."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tests.made_pages import schema_file
from tray_app.cli.answers import ANSWERS

MOST_SHOWN = 5


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = json.loads(schema_file(name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def name_of(words: Sequence[str], answer: Any) -> str:
    """Which answer of ANSWERS it is."""
    if isinstance(answer, dict) and answer.keys() == {"error"}:
        return "error"

    command, *others = _without_workspace(words)
    names = [
        name
        for name in ANSWERS
        if name.split()[0] == command and set(name.split()[1:]) <= {*others}
    ]
    return max(names, key=len)


def _without_workspace(words: Sequence[str]) -> list[str]:
    """The words from the command's name on."""
    rest = list(words)
    while rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "--workspace") else 1]

    return rest


def check_answer(words: Sequence[str], answer: Any) -> None:
    """Assert that this is what the page promises for these words."""
    if "--schema" in words:
        Draft202012Validator.check_schema(answer)
        return

    name = name_of(words, answer)
    wrong = [f"{one.json_path}: {one.message}" for one in _validator(name).iter_errors(answer)]
    assert not wrong, f"`{name}` answers otherwise than its schema: {wrong[:MOST_SHOWN]}"

    # The schema names the format of an instant; this reads it.
    ANSWERS[name].model_validate_json(json.dumps(answer))
