"""`heartbeat doctor`: every probe does the real thing, finds what was broken on purpose, and
leaves nothing behind."""

from pathlib import Path
from typing import Any

import pytest

from core.adapters import doctor as probes
from core.model.diagnostic import Diagnosis, Health
from core.usecases.doctor import run_probe
from tests.e2e.machine import Machine, action
from tests.key_server import GOOD_KEY, KeyServer

NAMES = [
    "workspace",
    "file",
    "disk",
    "lock",
    "watching",
    "clock",
    "permissions",
    "keyring",
    "model",
    "sandbox",
    "notifications",
    "tray",
    "autostart",
]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.write(action("later", "true", "schedule: daily:03:00"))
    return machine


def findings(machine: Machine, code: int = 1) -> dict[str, Any]:
    answer = machine.json("doctor", code=code)
    assert answer["ok"] == (code == 0)
    return {one["name"]: one for one in answer["findings"]}


def test_it_tries_everything_and_says_what_fixes_what_is_wrong(machine: Machine) -> None:
    found = findings(machine)
    assert list(found) == NAMES
    assert {name for name, one in found.items() if one["health"] == "problem"} == {
        "keyring"
    }  # the tests have none
    # It is installed here, so the way to reach it is named instead.
    assert "install" not in found["keyring"]["mend"]
    assert "DBUS_SESSION_BUS_ADDRESS" in found["keyring"]["mend"]
    assert all(one["mend"] for one in found.values() if one["health"] != "works")
    assert found["sandbox"]["health"] == "works"
    assert found["autostart"]["mend"] == "heartbeat autostart on"


def test_for_a_person_it_is_a_list_with_marks(machine: Machine) -> None:
    done = machine.heartbeat("doctor")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("✓ workspace")
    assert any(line.startswith("✗ keyring") for line in lines)
    assert any(line.strip() == "→ heartbeat autostart on" for line in lines)


def test_it_leaves_nothing_behind(machine: Machine) -> None:
    machine.heartbeat("doctor")
    kept = {path.relative_to(machine.folder) for path in machine.folder.rglob("*")}
    machine.heartbeat("doctor")
    assert {path.relative_to(machine.folder) for path in machine.folder.rglob("*")} == kept
    assert not [path for path in kept if "doctor" in path.name]


def test_without_a_workspace_it_says_how_to_make_one_and_makes_none(machine: Machine) -> None:
    machine.file.unlink()
    machine.workspace.rmdir()
    machine.workspace = machine.folder / "home"
    found = findings(machine)
    assert found["workspace"]["mend"].startswith("heartbeat init ")
    assert not (machine.folder / "home" / "Documents").exists()


@pytest.mark.parametrize(
    ("name", "mode", "fix"),
    [
        ("states", 0o755, "chmod go= "),
        ("config", 0o777, "chmod o-w "),
        ("workspace/HEARTBEAT.md", 0o666, "chmod o-w "),
    ],
)
def test_files_that_others_can_touch_are_found(
    machine: Machine, name: str, mode: int, fix: str
) -> None:
    machine.heartbeat("status")
    machine.heartbeat("run")
    (machine.folder / name).chmod(mode)
    found = findings(machine)["permissions"]
    assert (found["health"], found["mend"]) == ("problem", f"{fix}{machine.folder / name}")


def test_what_starts_another_workspace_at_login_is_found(machine: Machine) -> None:
    assert machine.heartbeat("autostart", "on").code == 0
    assert findings(machine)["autostart"]["health"] == "works"
    entry = machine.folder / "home" / ".config" / "autostart" / "heartbeat.desktop"
    entry.write_text(entry.read_text().replace("workspace", "elsewhere"))
    assert findings(machine)["autostart"]["health"] == "problem"
    assert machine.heartbeat("autostart", "off").out.startswith(
        f"Heartbeat does not start at login for {machine.workspace}."
    )


def test_autostart_of_a_second_workspace_adds_to_the_first(machine: Machine) -> None:
    second = machine.folder / "garden"
    second.mkdir()
    assert machine.heartbeat("autostart", "on").code == 0
    done = machine.heartbeat("-C", str(second), "autostart", "on")
    assert f"Heartbeat starts at login, for {second} " in done.out
    assert f"It also starts at login for {machine.workspace}." in done.out
    assert machine.json("autostart", "status")["on"] is True
    assert findings(machine)["autostart"]["message"].endswith(f"Others that do: {second}.")

    machine.heartbeat("autostart", "off")
    assert machine.json("-C", str(second), "autostart", "status")["on"] is True
    assert machine.json("autostart", "status")["on"] is False


def test_a_model_is_asked_whether_it_is_there(machine: Machine) -> None:
    with KeyServer() as server:
        (machine.config / "config.toml").write_text(
            f'[agent]\nprovider = "openai"\nmodel = "small"\nbase_url = "{server.url}"\n'
        )
        found = findings(machine)["model"]
        assert (found["health"], found["mend"]) == ("problem", "Store it: heartbeat key set openai")
        machine.environment["OPENAI_API_KEY"] = GOOD_KEY
        found = findings(machine)["model"]
        assert found["health"] == "works"
        assert found["message"].startswith("openai small, because it is in config.toml")
        assert found["message"].endswith("It answers.")
        assert [path for path, _ in server.asked] == ["/models"]
        machine.environment["OPENAI_API_KEY"] = "sk-wrong-0123456789"
        found = findings(machine)["model"]
        assert found["health"] == "problem"
        assert found["mend"].startswith("heartbeat key set openai ")
        assert "export OPENAI_API_KEY=" in found["mend"]
    found = findings(machine)["model"]
    assert found["health"] == "problem"
    assert "could not be asked" in found["message"]


def test_without_a_model_nothing_is_wrong(machine: Machine) -> None:
    (machine.config / "config.toml").write_text('[agent]\nprovider = "none"\n')
    assert findings(machine)["model"]["health"] == "absent"


def test_a_display_without_a_bus_is_a_problem(machine: Machine) -> None:
    machine.environment |= {
        "DISPLAY": ":nowhere",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus",
    }
    found = findings(machine)
    for name in ("notifications", "tray"):
        assert found[name]["health"] == "problem"
        assert "session bus cannot be reached" in found[name]["message"]


def test_a_full_disk_and_a_missing_folder_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert probes.try_disk([tmp_path]).health is Health.WORKS
    assert "No such file" in probes.try_disk([tmp_path / "gone"]).words
    monkeypatch.setattr(probes, "LEAST_ROOM", 1 << 60)
    found = probes.try_disk([tmp_path])
    assert (found.health, found.fix) == (Health.PROBLEM, f"df -h {tmp_path}")


def test_a_probe_that_breaks_is_a_finding_and_hides_no_other() -> None:
    def broken() -> Diagnosis:
        raise RuntimeError("out of order")

    found = run_probe("disk", broken)
    assert (found.health, "out of order" in found.words) == (Health.PROBLEM, True)


def test_a_key_of_the_environment_is_named_as_such(machine: Machine) -> None:
    machine.environment["ANTHROPIC_API_KEY"] = "sk-ant-0123456789"
    assert "  model: anthropic, key from ANTHROPIC_API_KEY;" in machine.heartbeat("status").out
    assert machine.json("status")["model"]["key_from"] == "ANTHROPIC_API_KEY"
    del machine.environment["ANTHROPIC_API_KEY"]
    assert machine.json("status")["model"]["key_from"] is None


def test_a_server_of_the_persons_own_gets_its_key_from_a_variable_of_its_own(
    machine: Machine,
) -> None:
    with KeyServer() as server:
        (machine.config / "config.toml").write_text(
            f'[agent]\nprovider = "openai-compatible"\nmodel = "small"\nbase_url = "{server.url}"\n'
        )
        machine.environment["OPENAI_API_KEY"] = GOOD_KEY  # which must not go there
        assert findings(machine)["model"]["health"] == "problem"
        machine.environment["OPENAI_COMPATIBLE_API_KEY"] = GOOD_KEY
        found = findings(machine)["model"]
        assert found["health"] == "works"
        assert "OPENAI_COMPATIBLE_API_KEY is set" in found["message"]


def test_a_tool_server_that_does_not_start_is_found(machine: Machine) -> None:
    assert "tool servers" not in findings(machine)
    (machine.config / "config.toml").write_text('[mcp.servers.time]\ncommand = "true"\n')
    assert findings(machine)["tool servers"]["mend"] == "heartbeat approve"
    machine.approve()
    found = findings(machine)["tool servers"]
    assert found["health"] == "problem"
    assert found["message"].startswith("time did not start: ")
    assert "[mcp.servers.time]" in found["mend"]


def test_what_cannot_run_as_it_is_written_is_a_problem(machine: Machine) -> None:
    folder = machine.file.parent / "heartbeat"
    folder.mkdir()
    (folder / "untitled.md").write_text("Look around.\n", encoding="utf-8")
    found = findings(machine)["file"]
    assert (found["health"], found["mend"]) == ("problem", "heartbeat check")
    assert "heartbeat/untitled.md: This prompt has no title" in found["message"]
