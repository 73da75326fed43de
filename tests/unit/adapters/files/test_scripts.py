"""Scripts on a real disk: links, odd files and places outside the workspace."""

import os
from pathlib import Path

import pytest

from core.adapters.files.scripts import LARGEST, ScriptsOnDisk
from core.model.approval import OUTSIDE, UNREADABLE, Candidate, Script


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def find(workspace: Path, path: str, *, is_run: bool = False) -> Script | None:
    candidate = Candidate(path, is_run)
    return ScriptsOnDisk(workspace).find([candidate]).get(candidate)


def test_the_mode_makes_a_script(workspace: Path) -> None:
    tool = workspace / "tool"
    tool.write_text("echo")
    assert find(workspace, "tool") is None
    tool.chmod(0o755)
    found = find(workspace, "tool")
    assert found is not None
    assert found.name == "tool"


def test_a_file_is_found_by_its_absolute_path_and_through_the_home(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "run.sh").write_text("echo")
    monkeypatch.setenv("HOME", str(workspace.parent))
    found = [
        find(workspace, path)
        for path in ("run.sh", str(workspace / "run.sh"), "~/workspace/run.sh", "x/../run.sh")
    ]
    assert found[0] is not None
    assert found[:3] == [found[0]] * 3
    assert found[3] is None  # there is no folder x
    (workspace / "x").mkdir()
    assert find(workspace, "x/../run.sh") == found[0]


def test_a_file_elsewhere_is_not_a_script_of_the_workspace(workspace: Path) -> None:
    outside = workspace.parent / "outside.sh"
    outside.write_text("echo")
    assert find(workspace, str(outside), is_run=True) is None
    assert find(workspace, "../outside.sh", is_run=True) is None


def test_a_link_out_of_the_workspace_counts_with_its_target(workspace: Path) -> None:
    for name in ("one", "two"):
        (workspace.parent / name).write_text("echo")
    link = workspace / "run.sh"
    link.symlink_to(workspace.parent / "one")
    assert find(workspace, "run.sh") == Script(f"run.sh → {workspace.parent / 'one'}", OUTSIDE)
    before = find(workspace, "run.sh")
    link.unlink()
    link.symlink_to(workspace.parent / "two")
    assert find(workspace, "run.sh") != before


def test_a_link_inside_the_workspace_is_its_target(workspace: Path) -> None:
    (workspace / "real.sh").write_text("echo")
    (workspace / "link").symlink_to("real.sh")
    assert find(workspace, "link") == find(workspace, "real.sh")


def test_what_cannot_be_read_whole_cannot_be_approved(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with (workspace / "huge.sh").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert find(workspace, "pipe", is_run=True) == Script("pipe", UNREADABLE)
    assert find(workspace, "huge.sh") == Script("huge.sh", UNREADABLE)


def test_a_huge_data_file_is_not_read_and_nothing_odd_is_an_error(workspace: Path) -> None:
    with (workspace / "data.bin").open("wb") as file:
        file.truncate(1 << 40)
    os.mkfifo(workspace / "pipe")
    (workspace / "folder").mkdir()
    (workspace / "loop").symlink_to("loop")
    for path in (
        "data.bin",
        "pipe",
        "folder",
        ".",
        "",
        "loop",
        "a\0b",
        "x" * 5000,
        "~nobody/x",
        "\ud800",
        "a/b/c",
    ):
        assert find(workspace, path) is None
