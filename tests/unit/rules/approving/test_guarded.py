"""What the agent may not change by itself."""

from dataclasses import fields

import pytest

from core.kinds import read_document
from core.model.document import Action, Task
from core.rules.approving.guarded import FREE_IN_ACTIONS, FREE_IN_TASKS, guarded_changes
from core.rules.reading.frontmatter import KEYS, FrontmatterKey

BEFORE = """## Tasks
- [ ] one | One | required | verify: file:x | max_attempts: 3
- [ ] two | Two | run: ls

## Probes
- used: df

## Pending Actions

### Pay
- id: pay
- command: ./pay
- schedule: yearly:01-01:09:00
- condition: weekday:mon
- depends_on: save
- retry: 1
- retry_delay: 1m
- timeout: 5m
- status: COMPLETED

### Save
- id: save
- command: ./save
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[ ] one", "[x] one", [("task:one", "checked", "false", "true")]),
        ("required", "optional", [("task:one", "required", "true", "false")]),
        ("file:x", "task_completed", [("task:one", "verify", "file:x", "task_completed")]),
        ("max_attempts: 3", "max_attempts: 99", [("task:one", "max_attempts", "3", "99")]),
        ("- [ ] two | Two | run: ls\n", "", [("task:two", "removed", "two", "")]),
        ("used: df", "used: echo 0", [("probe:used", "command", "df", "echo 0")]),
        ("- used: df\n", "", [("probe:used", "removed", "df", "")]),
        (
            "- [ ] one |",
            "- [ ] one | One | required | max_attempts: 3\n- [ ] one |",
            [
                ("task:one", "verify", "file:x", "task_completed"),
                ("task:one_2", "added", "", "one_2"),
            ],
        ),
        ("| One |", "| Another |", [("task:one", "description", "One", "Another")]),
        (
            "| run: ls",
            "| run: ls | schedule: daily:09:00",
            [("task:two", "schedule", "None", "daily:09:00")],
        ),
        ("## Probes", "- [ ] three | Three\n\n## Probes", [("task:three", "added", "", "three")]),
        (
            "yearly:01-01:09:00",
            "every:1s",
            [("action:pay", "schedule", "yearly:01-01:09:00", "every:1s")],
        ),
        ("weekday:mon", "weekday:tue", [("action:pay", "condition", "weekday:mon", "weekday:tue")]),
        ("- depends_on: save\n", "", [("action:pay", "depends_on", "('save',)", "()")]),
        ("retry: 1\n", "retry: 9\n", [("action:pay", "retry", "1", "9")]),
        (
            "retry_delay: 1m",
            "retry_delay: 2m",
            [("action:pay", "retry_delay", "0:01:00", "0:02:00")],
        ),
        ("timeout: 5m", "timeout: 9m", [("action:pay", "timeout", "0:05:00", "0:09:00")]),
        ("COMPLETED", "PENDING", [("action:pay", "status", "COMPLETED", "PENDING")]),
        ("### Save\n- id: save\n- command: ./save\n", "", [("action:save", "removed", "save", "")]),
        (
            "## Tasks",
            "---\nactive: 09:00-10:00\n---\n## Tasks",
            [("frontmatter", "active", "", "09:00-10:00")],
        ),
        ("## Tasks", "---\ntimezone: UTC\n---\n## Tasks", [("frontmatter", "timezone", "", "UTC")]),
        ("## Tasks", "---\nformat: mixed\n---\n## Tasks", [("frontmatter", "format", "", "mixed")]),
        ("## Tasks", "---\nlast_error: none\n---\nSome notes.\n\n## Tasks", []),
        ("### Save", "### [HIGH] New\n- id: new\n- command: ls\n\n### Save", []),
    ],
)
def test_the_agent_that_does_the_work_does_not_change_its_check(
    old: str, new: str, expected: list[tuple[str, str, str, str]]
) -> None:
    assert BEFORE.count(old) == 1
    before, after = (read_document(text.encode()) for text in (BEFORE, BEFORE.replace(old, new)))
    changes = guarded_changes(before, after)
    assert [(one.key, one.what, one.before, one.after) for one in changes] == expected


def test_every_field_is_guarded_unless_it_is_named_as_free() -> None:
    """So that a new field of a task or an action is guarded from the start."""
    for kind, free in ((Task, FREE_IN_TASKS), (Action, FREE_IN_ACTIONS)):
        assert set(free) < {one.name for one in fields(kind)}


def test_a_new_key_of_the_frontmatter_is_guarded_unless_its_record_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, may_change in (("rest", False), ("colour", True)):
        record = FrontmatterKey(lambda _: None, holds_back=False, model_may_change=may_change)
        monkeypatch.setitem(KEYS, name, record)

    front = "---\nrest: short\ncolour: red\n---\n"
    changed = front.replace("short", "long").replace("red", "blue")
    before, after = (read_document((one + BEFORE).encode()) for one in (front, changed))
    assert [(one.key, one.what) for one in guarded_changes(before, after)] == [
        ("frontmatter", "rest")
    ]
