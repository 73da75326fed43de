"""The tray on Windows and macOS, with the platform faked: the same menu and commands, and
nothing of Linux."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[4]


@cache
def seen_on(platform: str) -> Any:
    """What the program saw there: it shows one status, changes it, and clicks on every entry."""
    command = [sys.executable, "-m", "tests.unit.tray_app.tray.stock_tray_program", platform]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


both = pytest.mark.parametrize("platform", ["win32", "darwin"])


@both
def test_it_is_stock_pystray_without_a_linux_module(platform: str) -> None:
    seen = seen_on(platform)
    assert seen["tray"] == "StockTray"
    assert seen["linux_modules"] == []
    assert seen["waits_on"] == -1


@both
def test_the_icon_comes_changes_with_the_status_and_goes(platform: str) -> None:
    seen = seen_on(platform)
    drawn = [what for what, _ in seen["calls"]]
    assert drawn == [
        "workspace · Nothing scheduled | Run now | Pause for | Open HEARTBEAT.md | Set API key… | Quit",
        "icon 64",
        "show",
        "icon 64",
        "Heartbeat · workspace: paused until resumed",
        "workspace · Paused until resumed | Run now | Resume | Open HEARTBEAT.md | Set API key… | Quit",
        "backup failed | exit code 3",
    ]


@both
def test_a_click_on_each_entry_reports_its_command(platform: str) -> None:
    seen = seen_on(platform)
    assert seen["commands"] == ["run", "resume", "open", "key", "quit"]


def test_on_macos_only_the_main_thread_touches_the_screen() -> None:
    assert all(in_main_thread for _, in_main_thread in seen_on("darwin")["calls"])
