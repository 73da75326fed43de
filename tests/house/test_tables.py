"""Every record that a file defines is in the table of its kind: a record that is written and not
listed would simply never be used."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from core import actions, checks
from core.actions.runnable import RunnableType
from core.agent import toolbox, tools
from core.checks.measurable import MeasurableKind
from core.rules import channels, providers
from core.rules.channels.record import ChannelType
from core.rules.providers.record import AnyServer, LocalServer, Program, Service
from core.rules.timing import words
from core.rules.timing.schedule import ScheduleWord


class Kind(NamedTuple):
    folder: ModuleType  # that has one file per record
    is_record: Callable[[object], bool]
    table: Iterable[object]


def instance_of(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types)


def makes_tools(value: object) -> bool:
    """Whether it is a function as the toolbox calls it, with the world and the record."""
    if not inspect.isfunction(value) or not value.__name__.endswith("_tools"):
        return False

    return [name.lstrip("_") for name in inspect.signature(value).parameters] == ["world", "record"]


KINDS = {
    "action type": Kind(actions, instance_of(RunnableType), actions.ACTION_TYPES),
    "check": Kind(checks, instance_of(MeasurableKind), checks.CHECK_KINDS),
    "provider": Kind(
        providers,
        instance_of(Service, AnyServer, LocalServer, Program),
        providers.PROVIDERS.values(),
    ),
    "channel": Kind(channels, instance_of(ChannelType), channels.CHANNEL_TYPES.values()),
    "schedule word": Kind(words, instance_of(ScheduleWord), words.WORDS.values()),
    "tool": Kind(tools, makes_tools, toolbox.TOOLS),
}


def records_in(kind: Kind) -> Iterator[tuple[str, Any]]:
    """Each record with the file and the name that it has there."""
    for found in pkgutil.iter_modules(kind.folder.__path__):
        module = importlib.import_module(f"{kind.folder.__name__}.{found.name}")
        for name, value in vars(module).items():
            if kind.is_record(value):
                yield f"{module.__name__}.{name}", value


def missing_from(table: Iterable[object], kind: Kind) -> list[str]:
    listed = [*table]
    return [name for name, record in records_in(kind) if not any(record is one for one in listed)]


@pytest.mark.parametrize("name", KINDS)
def test_every_record_is_in_its_table(name: str) -> None:
    kind = KINDS[name]
    assert missing_from(kind.table, kind) == []
    assert len({id(record) for _, record in records_in(kind)}) == len([*kind.table])


@pytest.mark.parametrize("name", KINDS)
def test_a_record_that_its_table_lacks_is_named(name: str) -> None:
    kind = KINDS[name]
    forgotten, *listed = kind.table
    missing = missing_from(listed, kind)
    assert dict(records_in(kind))[missing[0]] is forgotten
