"""Runs the installed `heartbeat` command as a person does, with home, config and state in a
temporary place."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.answers import check_answer

HEARTBEAT = Path(sys.executable).with_name("heartbeat")
OURS = ("HEARTBEAT_WORKSPACE", "HEARTBEAT_CONFIG_DIR", "HEARTBEAT_STATE_DIR")


def environment(home: Path) -> dict[str, str]:
    """The test's own environment, but nothing in it leads to the real home."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in OURS and not name.startswith("XDG_")
    }
    return {**kept, "HOME": str(home)}


def heartbeat(
    *words: str | Path,
    home: Path,
    cwd: Path | None = None,
    stdin: bytes = b"",
    variables: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """One call of the command."""
    done = subprocess.run(
        [HEARTBEAT, *words],
        cwd=cwd or home,
        env=environment(home) | (variables or {}),
        input=stdin,
        capture_output=True,
        timeout=120,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def answer(*words: str | Path, home: Path, cwd: Path | None = None) -> Any:
    """What the command says with --json, compared with its schema."""
    found = json.loads(heartbeat("--json", *words, home=home, cwd=cwd).stdout)
    check_answer([str(word) for word in words], found)
    return found
