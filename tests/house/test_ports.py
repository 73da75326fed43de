"""Every port has a contract, a fake and a suite. These tests list what is missing."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import core.ports
from core.agent.tool import Toolbox
from core.ports.world import ResidentWorld, World
from tests.house.contract_suites import Suite, names_called, suites

TESTS = Path(__file__).parents[1]

# Parts of another port, which that port's suite tests.
PARTS = {
    "AnnouncementRecords": "Ledger",
    "ApprovalMarks": "Ledger",
    "Beats": "Ledger",
    "ContentRecords": "Ledger",
    "EvidenceRecords": "Ledger",
    "Items": "Ledger",
    "ModelUses": "Ledger",
    "Occurrences": "Ledger",
    "PlanRecords": "Ledger",
    "Scores": "Ledger",
    "Tasks": "Ledger",
    "Requests": "Ledger",
    "Child": "Children",
    "HeldLock": "Lock",
    "OtherProcess": "OtherProcesses",
    "Source": "Waiting",
    "ToolServerProcess": "ToolServerProcesses",
    "UndoFolder": "UndoStore",
    "WorkspaceReader": "WorkspaceFiles",
}
BUNDLES = {"World", "ResidentWorld"}  # of ports
FAKE_BUNDLES = {"FakeWorld", "FakeModelWorld", "FakeResidentWorld"}
# Their real things are quick and reach nothing outside of a test, so that every test uses them.
WITHOUT_FAKE = {"AllowedWeb", "Cancellation", "Ledger", "PromptStore"}
SUITES = suites()


def fake_modules() -> dict[str, str]:
    """The fakes that a test can get, with their modules."""
    return {
        node.name: f"tests.fakes.{path.stem}"
        for path in (TESTS / "fakes").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Fake")
    }


def fake_classes() -> dict[str, ast.ClassDef]:
    return {
        node.name: node
        for path in (TESTS / "fakes").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }


def own_methods(port: type) -> list[str]:
    return [
        name
        for name, value in vars(port).items()
        if inspect.isfunction(value) and not name.startswith("_")
    ]


def all_ports() -> dict[str, type]:
    """Every protocol of core/ports, by its name."""
    themes = [
        importlib.import_module(f"core.ports.{theme.name}")
        for theme in pkgutil.iter_modules(core.ports.__path__)
    ]
    return {
        name: value
        for theme in themes
        for name, value in vars(theme).items()
        if inspect.isclass(value) and value.__module__ == theme.__name__
    }


PORTS = all_ports()


@pytest.mark.parametrize("name", PORTS)
def test_a_port_says_what_it_promises(name: str) -> None:
    if name not in BUNDLES:
        assert vars(PORTS[name]).get("__doc__"), f"{name} has no docstring: no contract"


@pytest.mark.parametrize("name", PORTS)
def test_a_port_has_a_suite(name: str) -> None:
    if name in BUNDLES:
        return
    asked = PARTS.get(name, name)
    assert any(asked in suite.contracts() for suite in SUITES.values()), (
        f"no suite in tests/contract imports {asked}"
    )


@pytest.mark.parametrize("name", PORTS)
def test_a_port_has_one_fake_unless_every_test_uses_the_real_thing(name: str) -> None:
    if name in BUNDLES:
        return
    port = PORTS[PARTS.get(name, name)]
    found = [fake for fake in fake_modules().keys() - FAKE_BUNDLES if has_methods_of(fake, port)]
    assert len(found) == (0 if port.__name__ in WITHOUT_FAKE else 1), found


@pytest.mark.parametrize("name", sorted(fake_modules().keys() - FAKE_BUNDLES))
def test_a_fake_runs_in_the_suite_of_its_port(name: str) -> None:
    makers = {name, *makers_of(name)}
    assert any(
        makers & suite.given_to_tests() and implements(name, suite.contracts())
        for suite in SUITES.values()
    ), f"no suite in tests/contract runs {name}"


def makers_of(name: str) -> set[str]:
    """The fakes that hand it out as a part of theirs."""
    return {
        maker
        for maker, node in fake_classes().items()
        if maker != name and name in names_called(node)
    }


def implements(name: str, contracts: set[str]) -> bool:
    """Whether the fake has all that one of the contracts, or a part of one, asks for."""
    parts = {part for part, whole in PARTS.items() if whole in contracts}
    known = {**PORTS, "Toolbox": Toolbox}
    return any(has_methods_of(name, known[one]) for one in contracts | parts if one in known)


def has_methods_of(name: str, port: type) -> bool:
    """Whether the fake has the port's methods, with the same parameters."""
    fake = getattr(importlib.import_module(fake_modules()[name]), name)
    methods = own_methods(port)
    return bool(methods) and all(
        parameters_of(getattr(fake, method, None)) == parameters_of(getattr(port, method))
        for method in methods
    )


def parameters_of(method: object) -> list[str] | None:
    return list(inspect.signature(method).parameters) if callable(method) else None


IMPORTED_ONLY = """
from core.ports.waiting import Clock
from tests.fakes.waiting import FakeClock

def fake() -> FakeClock:
    return FakeClock(NOON)

def test_it_does_not_move() -> None:
    assert FakeClock
"""
GIVEN = """
from core.ports.waiting import Clock
from tests.fakes.waiting import FakeClock

CLOCKS = {"fake": lambda: FakeClock(NOON)}

@pytest.fixture(params=CLOCKS)
def clock(request):
    return CLOCKS[request.param]()

def test_it_does_not_move(clock: Clock) -> None:
    assert clock.now() == NOON
"""


def test_a_fake_that_is_only_imported_does_not_count() -> None:
    assert "FakeClock" not in Suite(IMPORTED_ONLY).given_to_tests()
    assert "FakeClock" in Suite(GIVEN).given_to_tests()
    assert Suite(GIVEN).contracts() == {"Clock"}
    assert implements("FakeClock", {"Clock"})
    assert not implements("FakeClock", {"Watcher"})


def test_there_is_one_fake_per_port() -> None:
    """Two fakes of one port could behave differently, so no class is defined twice."""
    found = [
        node.name
        for path in (TESTS / "fakes").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    assert sorted(found) == sorted(set(found))


def test_no_port_has_more_methods_than_a_person_reads_at_once() -> None:
    sizes = {name: len(own_methods(port)) for name, port in PORTS.items() if name not in BUNDLES}
    assert {name: size for name, size in sizes.items() if size > 12} == {}


def test_what_a_beat_can_touch_is_made_of_ports() -> None:
    """Every port that `World` or `ResidentWorld` names is one of core/ports."""
    known = {*PORTS, "Path", "Settings", "str", "bool", "None"}
    for bundle in (World, ResidentWorld):
        for name, value in vars(bundle).items():
            if isinstance(value, property) and value.fget:
                named = str(value.fget.__annotations__["return"])
                assert named in known or "[" in named, f"{bundle.__name__}.{name}: {named}"
