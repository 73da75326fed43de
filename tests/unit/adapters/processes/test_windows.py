"""What Windows is asked for, as far as that can be tested without it: no window, no input, cmd.exe,
one job."""

import ctypes
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.adapters.processes import commands, windows
from core.model.process import Command


class Asked(Exception):  # noqa: N818 - not an error: it carries what was asked for
    def __init__(self, line: object, **options: Any) -> None:
        super().__init__(line)
        self.line = line
        self.options = options


@pytest.fixture(autouse=True)
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(line: object, **options: Any) -> None:
        raise Asked(line, **options)

    monkeypatch.setattr(subprocess, "Popen", ask)
    monkeypatch.setattr(commands, "PASSED", commands.ON_WINDOWS)


def test_a_command_runs_in_cmd_without_a_window_and_without_our_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "COMSPEC": r"C:\Windows\cmd.exe",
        "SYSTEMROOT": r"C:\Windows",
        "OPENAI_API_KEY": "x",
    }.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Asked) as asked:
        windows.start(
            Command('echo "a b" & exit 3', tmp_path, timedelta(minutes=1), {"GREETING": "hello"})
        )
    options = asked.value.options
    assert asked.value.line == r'"C:\Windows\cmd.exe" /d /s /c "echo "a b" & exit 3"'
    assert options["creationflags"] == 0x08000000  # CREATE_NO_WINDOW
    assert (options["stdin"], options["stderr"]) == (subprocess.DEVNULL, subprocess.STDOUT)
    assert options["env"].keys() >= {"COMSPEC", "SYSTEMROOT", "GREETING"}
    assert "OPENAI_API_KEY" not in options["env"]


class Kernel:
    """Notes what the system is asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            self.calls.append((name, arguments))
            return 7

        return call


@pytest.mark.parametrize("kill_on_close", [True, False])
def test_only_a_job_that_should_end_with_us_is_killed_on_close(
    kill_on_close: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = Kernel()
    monkeypatch.setattr(windows, "load_kernel", lambda: kernel)
    job = windows.Job(42, kill_on_close=kill_on_close)
    job.close()
    job.close()
    job.kill()  # after close() there is nothing that it could end
    names = [name for name, _ in kernel.calls]
    limited = ["SetInformationJobObject"] if kill_on_close else []
    assigned = ["OpenProcess", "AssignProcessToJobObject", "CloseHandle"]
    assert names == ["CreateJobObjectW", *limited, *assigned, "CloseHandle"]


def test_the_limits_of_a_job_are_laid_out_as_windows_reads_them() -> None:
    assert ctypes.sizeof(ctypes.c_void_p) == 8
    assert ctypes.sizeof(windows.ExtendedLimits) == 144
    assert windows.BasicLimits.flags.offset == 16


@pytest.mark.parametrize(("console", "flags"), [(True, 0x00000200), (False, 0x08000200)])
def test_a_child_opens_no_window_where_we_have_no_console_to_share(
    console: bool, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not console:
        monkeypatch.setattr("sys.stderr", None)  # as under pythonw
    with pytest.raises(Asked) as asked:
        windows.WindowsChildren().start(["C:/heartbeat.exe", "beat"], {"A": "1"})
    assert asked.value.options["creationflags"] == flags
    assert asked.value.options["env"] == {"A": "1"}
    assert asked.value.options["stdin"] == subprocess.DEVNULL
