"""The services have all that the engine and the tools may ask for, each made when it is first
used, and made for this system; another system is only pretended by its name."""

import sys
from pathlib import Path

import pytest

from core.adapters.processes.children import SystemChildren
from core.adapters.processes.posix import SystemProcesses
from core.adapters.processes.windows import WindowsChildren, WindowsProcesses
from core.agent.agent import ModelWorld
from core.agent.choose import ModelSources
from core.agent.tool_world import ToolWorld
from core.engine.keys import KeyWorld
from core.model.agent import NoModel
from core.model.errors import HeartbeatError
from core.model.report import Notice, NoticeKind, Urgency
from core.model.settings import AgentSettings, Settings
from core.ports.world import ResidentWorld, World
from core.rules.keys import RESERVED
from core.rules.providers import with_keys
from core.services import MachineServices, Services, ToolServices, lazy, lazy_here
from tests.fakes.outside import FakeMessenger, FakeSecrets
from tests.fakes.services import changed

BELL = {"bell": {"type": "webhook", "url": "http://127.0.0.1:9/"}}
ADAPTERS = {
    "linux": (SystemProcesses, SystemChildren),
    "darwin": (SystemProcesses, SystemChildren),
    "win32": (WindowsProcesses, WindowsChildren),
}


@pytest.mark.parametrize("platform", ADAPTERS)
def test_processes_and_children_are_those_of_the_system(
    platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    machine = MachineServices()
    made = (type(machine.processes), type(machine.children))
    assert made == ADAPTERS[platform]


def test_where_there_is_no_linux_a_sandbox_says_so_and_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    state = Services(tmp_path).sandbox.state()
    assert not state.works
    assert state.reason == "Heartbeat has no sandbox on this system."


def test_services_make_an_adapter_at_its_first_use_and_once_for_all_who_share_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    monkeypatch.setattr("core.adapters.http.Web", make)
    services = Services(tmp_path)
    other = services.with_settings(Settings(enabled=False))
    assert made == []
    assert other.http is services.http is other.http
    assert len(made) == 1
    assert not other.settings.enabled


def lazy_properties(services: MachineServices) -> dict[str, lazy[object]]:
    return {
        name: value
        for one in type(services).__mro__
        for name, value in vars(one).items()
        if isinstance(value, lazy)
    }


def test_what_depends_on_the_settings_is_made_again_under_other_settings(tmp_path: Path) -> None:
    services = Services(tmp_path).with_settings(Settings(agent=AgentSettings("none")))
    other = services.with_settings(Settings(agent=AgentSettings("openai", "gpt-5"), channels=BELL))
    changed(services, secrets=FakeSecrets())
    notice = Notice(NoticeKind.PROBLEM, "a", "b")

    first = services.agent.choice()
    second = other.agent.choice()
    assert isinstance(first, NoModel)
    assert isinstance(second, NoModel)
    assert first.reason == "config.toml says that there is none"
    assert second.reason == "there is no key for openai"

    unknown = services.messenger.send("bell", notice, Urgency.NORMAL)
    known = other.messenger.send("bell", notice, Urgency.NORMAL)
    assert unknown
    assert known
    assert unknown != known
    assert services.agent is services.agent


def test_what_a_test_sets_counts_under_other_settings_too(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    services = changed(Services(tmp_path), messenger=messenger)
    assert services.with_settings(Settings()).messenger is messenger


def test_what_is_shared_does_not_depend_on_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that share it differ in their settings: it would be right for one of them only."""
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HEARTBEAT_CONFIG_DIR", str(tmp_path / "config"))
    services = ToolServices(Services(tmp_path))

    def refuse(_: Services) -> Settings:
        raise AssertionError("a shared property asks for the settings: make it `lazy_here`")

    monkeypatch.setattr(Services, "settings", property(refuse))
    for name, value in lazy_properties(services).items():
        if not isinstance(value, lazy_here):
            getattr(services, name)

    with pytest.raises(AssertionError, match="lazy_here"):
        _ = services.messenger


def test_the_services_of_a_batch_make_nothing_before_a_tool_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "state"))
    services = Services(tmp_path).with_settings(Settings())
    first = ToolServices(services)
    assert (services.made, first.made_here) == ({}, {})
    assert not (tmp_path / "state").exists()

    second = ToolServices(services)
    assert first.undo_folder is first.undo_folder
    assert first.undo_folder is not second.undo_folder, "each batch is undone by itself"


@pytest.mark.parametrize(
    ("contract", "services"),
    [
        (World, Services),
        (ResidentWorld, Services),
        (ToolWorld, ToolServices),
        (ModelWorld, Services),
        (ModelSources, Services),
        (KeyWorld, MachineServices),
    ],
)
def test_every_line_of_a_contract_is_a_property_of_the_services(
    contract: type, services: type
) -> None:
    """The type checker says the same; this says it by name."""
    lines = {name for name in vars(contract) if not name.startswith("_")}
    missing = {name for name in lines - {"root"} if not hasattr(services, name)}
    assert missing == set()


def test_every_adapter_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HEARTBEAT_CONFIG_DIR", str(tmp_path / "config"))
    services = ToolServices(Services(tmp_path))
    names = lazy_properties(services)
    made = {name: getattr(services, name) for name in names}
    assert all(value is not None for value in made.values())
    assert made == {name: getattr(services, name) for name in names}


@pytest.mark.parametrize("name", [*with_keys(), *RESERVED])
def test_actions_get_no_key_of_a_model_and_no_entry_of_the_program(
    name: str, tmp_path: Path
) -> None:
    secrets = FakeSecrets()
    secrets.kept = {name: "sk-1234567890", "my-token": "t-1"}
    services = changed(Services(tmp_path), secrets=secrets)

    with pytest.raises(HeartbeatError, match="is not given to actions"):
        services.secret(name)

    assert secrets.reads == 0
    assert services.secret("my-token") == "t-1"
