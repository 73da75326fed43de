"""`heartbeat check`, and every other command, tells where a file action would leave the
workspace."""

import json
from pathlib import Path

import pytest

from tests.installed import answer, heartbeat

ACTION = "## Pending Actions\n### A\n- id: a\n- type: file\n- operation: read\n- path: {}\n"


@pytest.mark.parametrize("place", ["../out.txt", "/etc/hosts", "link/out.txt", "~/out.txt"])
def test_a_path_that_leaves_is_an_error(tmp_path: Path, place: str) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "link").symlink_to(tmp_path)
    (workspace / "HEARTBEAT.md").write_text(ACTION.format(place))
    said = answer("check", home=tmp_path, cwd=workspace)
    assert [one["code"] for one in said["diagnostics"]] == ["HB322"]


def test_a_path_that_stays_is_fine(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "link").symlink_to("other")
    for place in ("notes.txt", workspace / "notes.txt", "link/notes.txt"):
        (workspace / "HEARTBEAT.md").write_text(ACTION.format(place))
        assert answer("check", home=tmp_path, cwd=workspace)["diagnostics"] == []


@pytest.mark.parametrize("place", ["../out.txt", "/etc/hosts", "link/out.txt", "~/out.txt"])
def test_every_command_says_the_same_of_a_path_that_leaves(tmp_path: Path, place: str) -> None:
    """It cannot run, so nobody is asked to approve it."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "link").symlink_to(tmp_path)
    (workspace / "HEARTBEAT.md").write_text(ACTION.format(place))
    words = f"`{place}` is not inside the workspace"

    ran = heartbeat("--json", "run", home=tmp_path, cwd=workspace)
    (item,) = json.loads(ran.stdout)["items"]
    assert (item["outcome"], item["reason"], ran.returncode) == ("needs_clarification", words, 1)

    assert answer("status", home=tmp_path, cwd=workspace)["approvals_waiting"] == 0
    assert "1 error in HEARTBEAT.md" in heartbeat("status", home=tmp_path, cwd=workspace).stdout
    assert answer("approve", home=tmp_path, cwd=workspace)["waiting"] == []

    findings = {
        one["name"]: one for one in answer("doctor", home=tmp_path, cwd=workspace)["findings"]
    }
    assert findings["file"] == {
        "name": "file",
        "health": "problem",
        "message": f"HEARTBEAT.md: {words}.",
        "mend": "heartbeat check",
    }


def test_the_finding_points_to_the_path(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_text(
        "## Pending Actions\n### A\n- id: a\n- type: file\n- **operation**: move\n"
        "- **source**: /etc/hosts\n- params:\n    - destination: /etc/hosts.new\n"
    )
    found = answer("check", home=tmp_path, cwd=tmp_path)["diagnostics"]
    assert [(one["code"], one["line"], one["column"]) for one in found] == [
        ("HB322", 6, 3),
        ("HB322", 8, 7),
    ]
