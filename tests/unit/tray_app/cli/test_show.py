"""`heartbeat show` as installed: the JSON as pinned, the table as a person reads it."""

from pathlib import Path
from typing import Any

import pytest

from tests.installed import answer, heartbeat

FILE = """---
version: 1
timezone: Europe/Berlin
---
# Heartbeat

Words.

## Tasks
- [ ] Check_Mail | Read the mail | optional | verify: count > 0 | max_attempts: 5 | schedule: hourly | run: make mail
- [x] Done before

## Probes
- count: ls | wc -l

## Pending Actions
### [HIGH] Build
- **id**: build
- **type**: shell
- **status**: PENDING
- **schedule**: daily:02:00
- **retry**: 3
- **timeout**: 1m30s
- **depends_on**: a, b
- **condition**: any_failed
- **params**:
  - command: make
  - env:
    - A: 1

### Odd
- **id**: odd
- **type**: shel

## Proactive Review
Look around.
"""
PROMPT = """---
title: Check internet
schedule: every:5m
gate:
  command: "curl -f x"
  allowedDomains: [api.example.com]
---
Do it.
"""


@pytest.fixture
def said(tmp_path: Path) -> Any:
    (tmp_path / "heartbeat").mkdir()
    (tmp_path / "HEARTBEAT.md").write_text(FILE)
    (tmp_path / "heartbeat" / "net.md").write_text(PROMPT)
    (tmp_path / "heartbeat" / "b.md").write_text("---\ntitle: A first\n---\nx\n")
    (tmp_path / "heartbeat" / "a.md").write_text("---\ntitle: A first\n---\nx\n")
    return answer("show", home=tmp_path)


def test_the_pinned_keys_are_there(said: Any) -> None:
    assert set(said) == {
        "frontmatter",
        "context",
        "tasks",
        "actions",
        "prompts",
        "review",
        "active",
        "format",
        "probes",
    }
    task_keys = {
        "id",
        "description",
        "required",
        "verify",
        "max_attempts",
        "checked",
        "schedule",
        "run",
        "timeout",
        "details",
        "line",
    }
    assert [set(task) for task in said["tasks"]] == [task_keys] * 2
    action_keys = {
        "id",
        "name",
        "priority",
        "type",
        "status",
        "schedule",
        "retry",
        "timeout",
        "depends_on",
    }
    assert [set(action) for action in said["actions"]] == [
        action_keys | {"condition", "params", "line"}
    ] * 2
    assert [set(prompt) for prompt in said["prompts"]] == [
        {"id", "title", "gate", "schedule", "run_if"}
    ] * 3


def test_the_values_are_what_the_file_says(said: Any) -> None:
    assert said["frontmatter"] == {"version": 1, "timezone": "Europe/Berlin"}
    assert said["context"] == "# Heartbeat\n\nWords."
    assert (said["review"], said["active"], said["format"]) == ("Look around.", True, "mixed")
    assert said["tasks"][0] == {
        "id": "check_mail",
        "description": "Read the mail",
        "required": False,
        "verify": "count > 0",
        "max_attempts": 5,
        "checked": False,
        "schedule": "hourly",
        "run": "make mail",
        "timeout": 300.0,
        "details": "",
        "line": 10,
    }
    assert (said["tasks"][1]["id"], said["tasks"][1]["checked"]) == ("done_before", True)
    assert said["actions"][0] == {
        "id": "build",
        "name": "Build",
        "priority": "HIGH",
        "type": "shell",
        "status": "PENDING",
        "schedule": "daily:02:00",
        "retry": 3,
        "timeout": 90.0,
        "depends_on": ["a", "b"],
        "condition": "any_failed",
        "params": {"command": "make", "env": {"A": "1"}},
        "line": 17,
    }


def test_an_action_of_unknown_type_needs_clarification(said: Any) -> None:
    odd = said["actions"][1]
    assert (odd["type"], odd["status"]) == (None, "NEEDS_CLARIFICATION")


def test_prompts_are_sorted_by_title_then_id(said: Any) -> None:
    assert [prompt["id"] for prompt in said["prompts"]] == ["a", "b", "net"]
    assert said["prompts"][2]["gate"] == {
        "command": "curl -f x",
        "cwd": None,
        "timeout": 30.0,
        "env": {},
        "permissions": [],
        "allowedDomains": ["api.example.com"],
    }
    assert said["prompts"][0]["gate"] is None


def test_a_workspace_without_a_file_is_empty(tmp_path: Path) -> None:
    said = answer("-C", tmp_path, "show", home=tmp_path)
    assert (said["tasks"], said["actions"], said["prompts"], said["review"], said["active"]) == (
        [],
        [],
        [],
        None,
        False,
    )


def test_prompts_count_without_a_heartbeat_file_and_next_to_a_refused_one(tmp_path: Path) -> None:
    (tmp_path / "heartbeat").mkdir()
    (tmp_path / "heartbeat" / "net.md").write_text(PROMPT)
    assert answer("-C", tmp_path, "show", home=tmp_path)["active"] is True
    (tmp_path / "HEARTBEAT.md").write_bytes(b"\xff")
    said = answer("-C", tmp_path, "show", home=tmp_path)
    assert [prompt["id"] for prompt in said["prompts"]] == ["net"]


def test_without_json_it_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_text(FILE)
    done = heartbeat("show", home=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == str(tmp_path / "HEARTBEAT.md")
    assert lines[1].split() == ["ID", "KIND", "WHEN", "WHAT"]
    assert "check_mail" in lines[2]
    assert "on the hour" in lines[2]
    assert "task ✓" in lines[3]
    assert "action HIGH" in lines[4]
    assert "review" in done.stdout


def test_a_plain_file_is_one_row(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_text("# Hi\n\nSay \x1b[31mhello.\n")
    done = heartbeat("show", home=tmp_path)
    assert "plain" in done.stdout
    assert "\x1b" not in done.stdout
    assert answer("show", home=tmp_path)["context"] == "# Hi\n\nSay \x1b[31mhello.\n"
