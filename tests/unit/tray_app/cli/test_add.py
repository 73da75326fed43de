"""`heartbeat add`: a prompt that is replaced is told as what it is."""

import subprocess
from pathlib import Path

from tests.installed import heartbeat


def test_replacing_a_prompt_without_a_title_does_not_deny_that_it_exists(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_text("## Tasks\n")

    def add(*words: str) -> subprocess.CompletedProcess[str]:
        return heartbeat("add", "news", *words, home=tmp_path, cwd=tmp_path)

    assert add("Look.", "--title", "News").returncode == 0
    done = add("Look again.", "--overwrite")
    assert done.returncode == 2
    assert "replaces the prompt news as a whole, so it needs a title" in done.stderr
    assert "Look.\n" in (tmp_path / "heartbeat" / "news.md").read_text()
    assert add("Look again.", "--overwrite", "--title", "New").returncode == 0
