"""Each system gets the adapters that are made for it; the other one is only told apart by its name."""

import sys
from pathlib import Path

import pytest

from core import bootstrap
from core.adapters.children import SystemChildren
from core.adapters.processes import SystemProcesses
from core.adapters.windows_children import WindowsChildren
from core.adapters.windows_processes import WindowsProcesses
from core.bootstrap import worlds

ADAPTERS = {
    "linux": (SystemProcesses, SystemChildren),
    "darwin": (SystemProcesses, SystemChildren),
    "win32": (WindowsProcesses, WindowsChildren),
}


@pytest.mark.parametrize("platform", ADAPTERS)
def test_processes_and_children_are_those_of_the_system(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    made = (type(worlds._processes(bootstrap.clock())), type(worlds._children()))
    assert made == ADAPTERS[platform]


def test_where_there_is_no_linux_a_sandbox_says_so_and_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    state = bootstrap.open_sandbox(tmp_path, worlds._processes(bootstrap.clock())).state()
    assert not state.works
    assert state.reason == "Heartbeat has no sandbox on this system."


def test_a_world_makes_what_it_holds_only_when_it_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HEARTBEAT_CONFIG_DIR", str(tmp_path / "config"))
    made: list[str] = []

    def make() -> str:
        made.append("web")
        return "the web"

    monkeypatch.setattr(worlds, "_web", make)
    world = bootstrap.open_world(tmp_path)
    assert made == []
    assert world.http.upper() == "THE WEB"  # type: ignore[attr-defined]
    assert world.http.title() == "The Web"  # type: ignore[attr-defined]
    assert made == ["web"]
