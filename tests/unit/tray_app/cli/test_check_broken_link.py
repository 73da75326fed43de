"""`heartbeat check`: a broken link is told as what it is."""

from pathlib import Path

from tests.installed import answer


def test_a_broken_link_as_the_file_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").symlink_to("nowhere.md")
    (found,) = answer("check", home=tmp_path, cwd=tmp_path)["diagnostics"]
    assert found["message"] == (
        "HEARTBEAT.md is a link to a file that is not there, so nothing runs from it."
    )
    assert "config.json" not in found["hint"]
