"""Whether what executes is what was approved, what `approval = "owner"` adds, and what the agent may not change."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.model.approval import (
    UNREADABLE,
    ApprovedBy,
    Candidate,
    Executable,
    ExecutableKind,
    Judged,
    Script,
    Standing,
)
from core.model.memory import Look
from core.model.occurrence import Beat, BeatReason
from core.rules.permitting.approval import approval_of, approved_by_saving, judge, look_at, reasons_to_wait
from core.rules.permitting.guarded import guarded_changes
from core.rules.reading.document import read_document

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
RUN = Candidate("run.sh", False)
ONE = Executable(
    key="action:one",
    kind=ExecutableKind.ACTION,
    title="One",
    file="HEARTBEAT.md",
    line=3,
    fields=(("type", "shell"), ("command", "./run.sh")),
    candidates=(RUN, Candidate("data.csv", False)),
    needed_by=("action:one",),
)
SCRIPT = {RUN: Script("run.sh", "aa")}


def judged(executable: Executable, scripts: Mapping[Candidate, Script], place: str = "/w") -> Judged:
    """Beside the approval of ONE with SCRIPT in /w."""
    approval = approval_of(judge(ONE, SCRIPT, "/w", {}), NOW, ApprovedBy.PERSON)
    return judge(executable, scripts, place, {ONE.key: approval})


def test_the_same_is_approved() -> None:
    one = judged(ONE, SCRIPT)
    assert (one.standing, one.waits) == (Standing.APPROVED, False)


def test_where_it_stands_and_what_it_is_called_do_not_matter() -> None:
    assert judged(replace(ONE, title="Two", line=99, file="heartbeat.md"), SCRIPT).standing is Standing.APPROVED


def test_what_was_never_approved_is_new() -> None:
    assert judge(ONE, SCRIPT, "/w", {}).standing is Standing.NEW


@pytest.mark.parametrize(
    "fields",
    [
        (("type", "shell"), ("command", "./run.sh now")),
        (("type", "shell"), ("command", "./run.sh"), ("env.A", "1")),
        (("type", "shell"),),
    ],
)
def test_another_field_is_a_change_with_what_was_approved_beside_it(fields: tuple[tuple[str, str], ...]) -> None:
    one = judged(replace(ONE, fields=fields), SCRIPT)
    assert one.standing is Standing.CHANGED
    assert one.before is not None
    assert one.before.fields == ONE.fields


@pytest.mark.parametrize(
    "scripts", [{RUN: Script("run.sh", "bb")}, {}, {**SCRIPT, ONE.candidates[1]: Script("d", "cc")}]
)
def test_other_bytes_of_a_script_one_less_or_one_more_are_a_change_of_scripts(
    scripts: Mapping[Candidate, Script],
) -> None:
    assert judged(ONE, scripts).standing is Standing.SCRIPT_CHANGED


def test_another_workspace_is_another_matter() -> None:
    assert judged(ONE, SCRIPT, "/copy").standing is Standing.CHANGED


def test_a_script_that_cannot_be_read_is_never_approved() -> None:
    unreadable = {RUN: Script("run.sh", UNREADABLE)}
    assert judge(ONE, unreadable, "/w", {}).standing is Standing.UNREADABLE
    assert judged(ONE, unreadable).standing is Standing.UNREADABLE


def test_an_item_waits_for_the_first_of_its_parts_that_is_not_approved() -> None:
    probe = replace(ONE, key="probe:p", kind=ExecutableKind.PROBE, needed_by=("task:a", "task:b"))
    reasons = reasons_to_wait([judged(ONE, SCRIPT), judge(probe, {}, "/w", {})])
    assert reasons == dict.fromkeys(("task:a", "task:b"), "its probe waits for your approval")


# approval = "owner"

SINCE = NOW - timedelta(hours=1)
BEAT = Beat(7, BeatReason.TIMER, 1, NOW - timedelta(minutes=30), NOW - timedelta(minutes=29))
NEW = judge(ONE, SCRIPT, "/w", {})


def look(**changes: object) -> Look:
    """A look without ONE, while the process of SINCE was watching, after beat 7."""
    return replace(Look(SINCE, 7, {"action:other": "ff"}), **changes)  # type: ignore[arg-type]


def test_what_was_saved_while_somebody_watched_and_no_beat_ran_is_approved() -> None:
    assert approved_by_saving([NEW], look(), SINCE, [BEAT]) == (NEW,)


def test_a_changed_line_too() -> None:
    assert approved_by_saving([NEW], look(seen={ONE.key: "before"}), SINCE, [BEAT]) == (NEW,)


@pytest.mark.parametrize(
    ("before", "since", "beats"),
    [
        pytest.param(None, SINCE, [BEAT], id="a first sight"),
        pytest.param(look(), None, [BEAT], id="nobody watches now"),
        pytest.param(look(watched_since=None), None, [BEAT], id="nobody ever watched"),
        pytest.param(look(watched_since=SINCE - timedelta(days=1)), SINCE, [BEAT], id="changed while it was off"),
        pytest.param(look(beat=6), SINCE, [BEAT], id="a beat ran since the last look"),
        pytest.param(look(beat=8), SINCE, [BEAT, replace(BEAT, number=8, finished=None)], id="a beat is running"),
        pytest.param(look(seen={ONE.key: NEW.digest}), SINCE, [BEAT], id="it waited before"),
    ],
)
def test_a_first_sight_what_changed_while_off_and_what_changed_during_a_beat_wait(
    before: Look | None, since: datetime | None, beats: list[Beat]
) -> None:
    assert approved_by_saving([NEW], before, since, beats) == ()


def test_a_look_remembers_everything_that_executes_and_the_newest_beat() -> None:
    assert look_at([NEW], SINCE, [BEAT]) == Look(SINCE, 7, {ONE.key: NEW.digest})


# What the agent may not change by itself

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
            [("task:one", "verify", "file:x", "task_completed"), ("task:one_2", "added", "", "one_2")],
        ),
        ("| One |", "| Another |", [("task:one", "description", "One", "Another")]),
        ("| run: ls", "| run: ls | schedule: daily:09:00", [("task:two", "schedule", "None", "daily:09:00")]),
        ("## Probes", "- [ ] three | Three\n\n## Probes", [("task:three", "added", "", "three")]),
        ("yearly:01-01:09:00", "every:1s", [("action:pay", "schedule", "yearly:01-01:09:00", "every:1s")]),
        ("weekday:mon", "weekday:tue", [("action:pay", "condition", "weekday:mon", "weekday:tue")]),
        ("- depends_on: save\n", "", [("action:pay", "depends_on", "('save',)", "()")]),
        ("retry: 1\n", "retry: 9\n", [("action:pay", "retry", "1", "9")]),
        ("retry_delay: 1m", "retry_delay: 2m", [("action:pay", "retry_delay", "0:01:00", "0:02:00")]),
        ("timeout: 5m", "timeout: 9m", [("action:pay", "timeout", "0:05:00", "0:09:00")]),
        ("COMPLETED", "PENDING", [("action:pay", "status", "COMPLETED", "PENDING")]),
        ("### Save\n- id: save\n- command: ./save\n", "", [("action:save", "removed", "save", "")]),
        ("## Tasks", "---\nactive: 09:00-10:00\n---\n## Tasks", [("frontmatter", "active", "", "09:00-10:00")]),
        ("## Tasks", "---\ntimezone: UTC\n---\n## Tasks", [("frontmatter", "timezone", "", "UTC")]),
        ("## Tasks", "---\nformat: mixed\n---\n## Tasks", [("frontmatter", "format", "", "mixed")]),
        ("## Tasks", "---\nlast_error: none\n---\nSome notes.\n\n## Tasks", []),
        ("### Save", "### [HIGH] New\n- id: new\n- command: ls\n\n### Save", []),
    ],
)
def test_whoever_does_the_work_does_not_change_its_check(
    old: str, new: str, expected: list[tuple[str, str, str, str]]
) -> None:
    assert BEFORE.count(old) == 1
    before, after = (read_document(text.encode()) for text in (BEFORE, BEFORE.replace(old, new)))
    changes = guarded_changes(before, after)
    assert [(one.key, one.what, one.before, one.after) for one in changes] == expected
