"""`heartbeat init`: a starter workspace that passes `check` without a word and never overwrites
a file."""

import json
from pathlib import Path

from tests.installed import answer, heartbeat

STARTER = ["HEARTBEAT.md", "heartbeat/example.txt", "memory/MEMORY.md"]


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_it_writes_a_workspace_that_check_has_nothing_to_say_about(tmp_path: Path) -> None:
    done = heartbeat("init", "new/place", home=tmp_path)
    assert done.returncode == 0
    folder = tmp_path / "new" / "place"
    assert files_in(folder) == STARTER
    checked = heartbeat("check", folder, "--json", home=tmp_path)
    assert checked.returncode == 0
    said = json.loads(checked.stdout)
    assert (said["diagnostics"], said["active"], said["format"]) == ([], True, "mixed")


def test_it_shows_each_format_and_needs_no_model(tmp_path: Path) -> None:
    heartbeat("init", home=tmp_path)
    said = answer("show", home=tmp_path)
    assert said["tasks"]
    assert all(task["run"] for task in said["tasks"])
    assert {action["type"] for action in said["actions"]} >= {"shell", "file", "notify"}
    assert said["probes"]
    assert said["review"] is None


def test_its_prompt_example_is_a_good_prompt_once_renamed(tmp_path: Path) -> None:
    heartbeat("init", home=tmp_path)
    text = (tmp_path / "heartbeat" / "example.txt").read_text(encoding="utf-8")
    (tmp_path / "heartbeat" / "look-at-inbox.md").write_text(
        text[text.index("---") :], encoding="utf-8"
    )
    assert answer("check", home=tmp_path)["diagnostics"] == []


def test_it_never_overwrites_a_file(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text("mine")
    (tmp_path / "heartbeat.md").write_text("mine too")
    said = answer("init", home=tmp_path)
    assert said == {
        "workspace": str(tmp_path),
        "written": ["heartbeat/example.txt"],
        "kept": ["HEARTBEAT.md", "memory/MEMORY.md"],
    }
    assert (tmp_path / "memory" / "MEMORY.md").read_text() == "mine"
    assert (tmp_path / "heartbeat.md").read_text() == "mine too"
    assert not (tmp_path / "HEARTBEAT.md").exists()


def test_a_second_time_changes_nothing_and_says_so(tmp_path: Path) -> None:
    heartbeat("init", home=tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = heartbeat("init", home=tmp_path)
    assert done.returncode == 0
    assert "nothing was changed" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_it_follows_no_link_to_overwrite_what_is_there(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("precious")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "HEARTBEAT.md").symlink_to(target)
    heartbeat("init", "w", home=tmp_path)
    assert target.read_text() == "precious"


def test_json_says_what_was_written(tmp_path: Path) -> None:
    said = answer("init", "here", home=tmp_path)
    assert said == {"workspace": str(tmp_path / "here"), "written": STARTER, "kept": []}


def test_the_folder_may_be_given_as_the_workspace(tmp_path: Path) -> None:
    assert answer("-C", "there", "init", home=tmp_path)["workspace"] == str(tmp_path / "there")
    variable = heartbeat(
        "init",
        "--json",
        home=tmp_path,
        variables={"HEARTBEAT_WORKSPACE": str(tmp_path / "variable")},
    )
    assert json.loads(variable.stdout)["workspace"] == str(tmp_path / "variable")


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = heartbeat("init", "file/inside", "--json", home=tmp_path)
    assert done.returncode == 2
    assert "file/inside" in json.loads(done.stdout)["error"]["message"]


def test_it_says_how_to_go_on(tmp_path: Path) -> None:
    assert "heartbeat check" in heartbeat("init", home=tmp_path).stdout
    assert (
        f"heartbeat -C '{tmp_path / 'other'}' check"
        in heartbeat("init", "other", home=tmp_path).stdout
    )


def test_the_place_is_named_without_detours(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    said = answer("init", "../b", home=tmp_path, cwd=tmp_path / "a")
    assert said["workspace"] == str(tmp_path / "b")
    assert (tmp_path / "b" / "HEARTBEAT.md").exists()
