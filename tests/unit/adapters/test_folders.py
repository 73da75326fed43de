"""Where things are: stable, private, and no folder is made by asking for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.adapters import folders


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARTBEAT_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "state"))


def state_of(workspace: Path) -> Path:
    return folders.state_folder_of(folders.name_on_disk(workspace))


def test_the_variables_decide_and_asking_makes_no_folder(tmp_path: Path) -> None:
    assert folders.config_folder() == tmp_path / "config"
    assert folders.state_folder() == tmp_path / "state"
    assert state_of(tmp_path / "Notes").parent == tmp_path / "state"
    assert list(tmp_path.iterdir()) == []


def test_without_the_variables_the_platform_decides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("HEARTBEAT_CONFIG_DIR", "HEARTBEAT_STATE_DIR"):
        monkeypatch.delenv(variable)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg-state"))
    monkeypatch.setenv("XDG_DOCUMENTS_DIR", str(tmp_path / "Papers"))
    assert folders.config_folder() == tmp_path / "xdg-config" / "heartbeat"
    assert folders.state_folder() == tmp_path / "xdg-state" / "heartbeat"
    assert folders.default_workspace() == tmp_path / "Papers" / "Heartbeat"


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", "")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert folders.state_folder() == tmp_path / "heartbeat"


def test_platformdirs_is_not_imported_if_the_variable_is_set(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from core.adapters import folders;"
        "folders.config_folder(); folders.state_folder_of(folders.name_on_disk(Path('.'))); print('platformdirs' "
        "in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_a_workspace_has_the_same_state_whichever_way_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "Notes"
    workspace.mkdir()
    (tmp_path / "link").symlink_to(workspace)
    state = state_of(workspace)
    monkeypatch.chdir(workspace)
    for way in (tmp_path / "link", Path(), Path("../Notes/."), workspace / ".." / "Notes"):
        assert state_of(way) == state
    assert "Notes-" in state.name


def test_two_workspaces_never_share_a_state_folder(tmp_path: Path) -> None:
    # the first two have the same readable name
    ways = ["a/b-c", "a-b/c", "A/b-c", "a/b-c " * 40, "x" + "a/b-c " * 40, "a/ä", "a/a\u0308"]
    names = [state_of(tmp_path / way).name for way in ways]
    assert len(set(names)) == len(ways)
    assert max(len(os.fsencode(name)) for name in names) < 200


def test_a_name_is_spelt_as_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that ignores letter case, played by answering stat for the other spelling as
    well."""
    (tmp_path / "Notes" / "Daily").mkdir(parents=True)
    really_stat = Path.stat

    def stat_in_any_case(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        return really_stat(Path(str(path).replace("nOtes", "Notes").replace("dAILY", "Daily")))

    monkeypatch.setattr(Path, "stat", stat_in_any_case)
    assert folders.name_on_disk(tmp_path / "nOtes" / "dAILY") == tmp_path / "Notes" / "Daily"
    assert (
        folders.name_on_disk(tmp_path / "Notes" / "absent" / "deep")
        == tmp_path / "Notes" / "absent" / "deep"
    )


def test_what_is_made_is_private_and_what_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    made = folders.make_private(tmp_path / "shared" / "heartbeat" / "workspace")
    assert [
        folder.stat().st_mode & 0o777 for folder in (made, made.parent, made.parent.parent)
    ] == [
        0o700,
        0o700,
        0o755,
    ]
    assert folders.make_private(made) == made
