"""What core.ports.LastLines promises, asked of the files and of the fake."""

from pathlib import Path

import pytest

from core.adapters.files.last_lines import LastLinesOnDisk
from core.ports.processes import LastLines
from tests.fakes.processes import FakeLastLines


@pytest.fixture(params=["files", "fake"])
def lines(request: pytest.FixtureRequest, tmp_path: Path) -> LastLines:
    return LastLinesOnDisk(tmp_path / "running") if request.param == "files" else FakeLastLines()


def test_the_last_line_of_each_item_is_kept_until_it_ends(lines: LastLines) -> None:
    assert lines.of("action:a") == ""
    lines.tell("action:a", "one")
    lines.tell("action:a", "two ✓")
    lines.tell("task:a", "other")
    assert (lines.of("action:a"), lines.of("task:a")) == ("two ✓", "other")
    lines.forget("action:a")
    lines.forget("action:a")
    assert (lines.of("action:a"), lines.of("task:a")) == ("", "other")


def test_a_character_that_no_file_can_hold_is_no_error(lines: LastLines) -> None:
    lines.tell("action:a", "odd \udcff")
    assert lines.of("action:a").startswith("odd ")


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "running").write_text("a file")
    lines = LastLinesOnDisk(tmp_path / "running")
    lines.tell("action:a", "one")
    lines.forget("action:a")
    assert lines.of("action:a") == ""


def test_other_people_cannot_read_a_line(tmp_path: Path) -> None:
    lines = LastLinesOnDisk(tmp_path / "running")
    lines.tell("action:a", "one")
    assert (tmp_path / "running").stat().st_mode & 0o077 == 0
    assert [path.suffix for path in (tmp_path / "running").iterdir()] == [".txt"]


def test_killed_while_it_is_told_nothing_of_the_line_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    lines = LastLinesOnDisk(tmp_path / "running")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", killed)
        lines.tell("action:a", "one")
    assert list((tmp_path / "running").iterdir())
    lines.forget("action:a")
    assert list((tmp_path / "running").iterdir()) == []
