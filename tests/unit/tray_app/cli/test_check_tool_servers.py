"""`heartbeat check` tells which tool servers of the settings cannot start."""

import shlex
from pathlib import Path

from tests.installed import answer, heartbeat


def write(home: Path, settings: str) -> None:
    folder = home / ".config" / "heartbeat"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(settings)
    (home / "HEARTBEAT.md").write_text("## Tasks\n- [ ] a | b | run: true\n")


def test_a_program_that_is_not_there_is_told_with_its_table(tmp_path: Path) -> None:
    write(tmp_path, '[mcp.servers.mail]\ncommand = "nonexistent-server"\n')
    (found,) = answer("check", home=tmp_path, cwd=tmp_path)["diagnostics"]
    assert (found["file"], found["severity"], found["code"]) == ("config.toml", "warning", "HB801")
    assert found["message"] == (
        "[mcp.servers.mail] starts `nonexistent-server`, and there is no such program."
    )
    done = heartbeat("check", home=tmp_path, cwd=tmp_path)
    assert done.returncode == 0
    assert "config.toml\n" in done.stdout
    assert "[mcp.servers.mail]" in done.stdout


def test_a_program_that_is_there_is_not_told_and_not_started(tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(tmp_path / 'started'))}\n")
    program.chmod(0o700)
    write(tmp_path, f'[mcp.servers.mail]\ncommand = "{program}"\n')
    assert answer("check", home=tmp_path, cwd=tmp_path)["diagnostics"] == []
    assert not (tmp_path / "started").exists()
