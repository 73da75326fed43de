"""The schema of a prompt's frontmatter says what the reader says."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from core.rules.reading.prompt_frontmatter import GateKeys, PromptFrontmatter
from core.rules.reading.prompts import GATE_KEYS, KEYS, read_prompt

SCHEMA = json.loads(
    (Path(__file__).parents[4] / "docs" / "schemas" / "prompt-frontmatter.json").read_text(
        encoding="utf-8"
    )
)
GATE = "title: A\ngate:\n  command: test -e x\n"
# What the reader reports: a key or a value that it cannot use.
WRONG = {"HB501", "HB502", "HB507"}


def is_valid(front: Any) -> bool:
    return bool(Draft202012Validator(SCHEMA).is_valid(front))


def is_taken(front: str) -> bool:
    """Whether the reader finds nothing wrong with it."""
    found = read_prompt("one", f"---\n{front}\n---\nDo it.\n".encode())
    return not WRONG & {one.code for one in found.diagnostics}


def test_it_has_the_keys_that_the_reader_knows() -> None:
    assert set(PromptFrontmatter.model_fields) == set(KEYS)
    assert set(GateKeys.model_fields) == set(GATE_KEYS)


@pytest.mark.parametrize(
    "front",
    [
        "title: A",
        "title: A\nschedule: daily:09:00",
        "title: A\nrun_if: always",
        GATE,
        f"{GATE}  cwd: notes\n  timeout: 0.1",
        f"{GATE}  timeout: 1m30s\n  env:\n    NAME: value\n    COUNT: 3",
        f"{GATE}  permissions: '@network'\n  allowedDomains: example.org",
        f"{GATE}  permissions:\n    - '@read:/srv'\n    - '@shell'\n  allowedDomains: [a.org, b.org]",
    ],
)
def test_it_takes_what_the_reader_takes(front: str) -> None:
    assert is_taken(front)
    assert is_valid(yaml.safe_load(front))


@pytest.mark.parametrize(
    "front",
    [
        "schedule: hourly",
        "title: ' '",
        "title: [A]",
        "title: A\ntilte: B",
        "title: A\nrun_if: never",
        "title: A\ngate: test -e x",
        "title: A\ngate:\n  timeout: 3",
        f"{GATE}  timeout: 301",
        f"{GATE}  timeout: 0",
        f"{GATE}  timeout: soon",
        f"{GATE}  env: [1]",
        f"{GATE}  env:\n    NAME: [1]",
        f"{GATE}  permissions: '@everything'",
        f"{GATE}  permissions: ['@send-after-reading']",
        f"{GATE}  allowedDomains: 3",
        f"{GATE}  comand: x",
    ],
)
def test_it_refuses_what_the_reader_reports(front: str) -> None:
    assert not is_taken(front)
    assert not is_valid(yaml.safe_load(front))
