"""What Windows is asked for, as far as it can be told without one: no window, no input, cmd.exe, one job."""

import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.adapters import command_environment as environment_module
from core.adapters import windows_children, windows_processes
from core.model.process import Command


class Asked(Exception):  # noqa: N818 - it is no error: it carries what was asked for
    def __init__(self, line: object, **options: Any) -> None:
        super().__init__(line)
        self.line = line
        self.options = options


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(line: object, **options: Any) -> None:
        raise Asked(line, **options)

    monkeypatch.setattr(subprocess, "Popen", ask)
    monkeypatch.setattr(environment_module, "PASSED", environment_module.ON_WINDOWS)


def test_a_command_runs_in_cmd_without_a_window_and_without_our_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COMSPEC": r"C:\Windows\cmd.exe", "SYSTEMROOT": r"C:\Windows", "OPENAI_API_KEY": "x"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Asked) as asked:
        windows_processes.start(Command('echo "a b" & exit 3', tmp_path, timedelta(minutes=1), {"GREETING": "hello"}))
    options = asked.value.options
    assert asked.value.line == r'"C:\Windows\cmd.exe" /d /s /c "echo "a b" & exit 3"'
    assert options["creationflags"] == 0x08000000  # CREATE_NO_WINDOW
    assert (options["stdin"], options["stderr"]) == (subprocess.DEVNULL, subprocess.STDOUT)
    assert options["env"].keys() >= {"COMSPEC", "SYSTEMROOT", "GREETING"}
    assert "OPENAI_API_KEY" not in options["env"]


@pytest.mark.parametrize(("console", "flags"), [(True, 0x00000200), (False, 0x08000200)])
def test_a_child_opens_no_window_where_we_have_no_console_to_share(
    console: bool, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not console:
        monkeypatch.setattr("sys.stderr", None)  # as under pythonw
    with pytest.raises(Asked) as asked:
        windows_children.WindowsChildren().start(["C:/heartbeat.exe", "beat"], {"A": "1"})
    assert asked.value.options["creationflags"] == flags
    assert asked.value.options["env"] == {"A": "1"}
    assert asked.value.options["stdin"] == subprocess.DEVNULL
