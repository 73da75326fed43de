"""Calls with random arguments: each returns a sentence, and nothing outside of the workspace
changes."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.agent.toolbox import LONGEST_RESULT
from core.rules.fingerprint import fingerprint
from tests.agent.workbench import Workbench

NAMES = [
    "read_file",
    "list_files",
    "write_file",
    "edit_file",
    "notify",
    "remember",
    "resolve_pending",
    "heartbeat_add",
    "heartbeat_list",
    "heartbeat_run",
    "heartbeat_remove",
    "report_task",
    "report_review",
    "no_such_tool",
]
PLACES = [
    "a.md",
    "../out.md",
    "/etc/hostname",
    "link/out.md",
    "HEARTBEAT.md",
    "config.json",
    "heartbeat/x.md",
    "*",
]
TEXTS = st.one_of(
    st.sampled_from(["done", "Pending", "report", "", "\0", "\ud800", *PLACES]),
    st.text(max_size=30),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.booleans(), st.none(), st.integers(), st.floats()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=5,
)
KEYS = st.sampled_from(
    [
        "path",
        "content",
        "old",
        "new",
        "pattern",
        "title",
        "message",
        "section",
        "line",
        "id",
        "prompt",
        "gate",
        "ids",
        "task_id",
        "outcome",
        "result",
        "facts",
        "overwrite",
        "first_line",
        "something",
    ]
)
FITTING = {
    "write_file": {"path": TEXTS, "content": TEXTS},
    "read_file": {"path": TEXTS},
    "edit_file": {"path": TEXTS, "old": TEXTS, "new": TEXTS},
    "heartbeat_add": {"id": TEXTS, "title": TEXTS, "prompt": TEXTS, "gate": TEXTS},
    "remember": {"section": st.just("Pending"), "line": TEXTS},
}
CALLS = st.one_of(
    st.tuples(st.sampled_from(NAMES), st.dictionaries(KEYS, VALUES, max_size=5)),
    *(
        st.tuples(st.just(name), st.fixed_dictionaries(arguments))
        for name, arguments in FITTING.items()
    ),
)


def outside(bench: Workbench) -> dict[str, str]:
    """The person's files outside of the workspace and of the program's state."""
    found: dict[str, str] = {}
    for path in Path(bench.home).rglob("*"):
        is_inside = path.is_relative_to(bench.root) or path.is_relative_to(bench.state)
        if path.is_file() and not path.is_symlink() and not is_inside:
            found[str(path)] = fingerprint(path.read_bytes())

    return found


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(calls=st.lists(CALLS, min_size=1, max_size=4))
def test_no_call_raises_or_changes_anything_outside_the_workspace(
    bench: Workbench, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    bench.grants = ("@workspace", "@notify", "@memory", "@heartbeat")
    (bench.home / "out.md").write_text("private\n")
    (bench.root / "link").unlink(missing_ok=True)
    (bench.root / "link").symlink_to(bench.home)
    before = outside(bench)
    for answer in bench.play(*calls):
        assert 0 < len(answer) <= LONGEST_RESULT
        assert "private" not in answer
        assert not answer.startswith("It did not work"), answer

        json.dumps(answer, ensure_ascii=False).encode()

    assert outside(bench) == before
    assert not bench.exists("config.json")
    assert not bench.exists(".heartbeat")
