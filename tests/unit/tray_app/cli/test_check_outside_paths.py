"""`heartbeat check` tells where a file action would leave the workspace."""

from pathlib import Path

import pytest

from tests.installed import answer

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
