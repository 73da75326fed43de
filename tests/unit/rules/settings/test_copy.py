"""The checked copy of the settings: whatever was read comes back, and what is not exactly a copy
is none."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.light_dataclass import replace
from core.model.settings import McpServer, NotifySettings, Price, Settings
from core.rules.fingerprint import fingerprint
from core.rules.settings import copy
from core.rules.settings.copy import copy_of, settings_of
from core.rules.settings.tables import ConfigFile, WorkspaceFile, full_schema_of

SOURCES = [("/home/me/config.toml", "0123"), ("/home/me/notes/config.json", "4567")]
EVERYTHING = Settings(
    workspace="~/notes",
    interval=timedelta(minutes=2, milliseconds=500),
    quiet="",
    notify=NotifySettings(channels=("desktop", "phone")),
    channels={"phone": {"type": "smtp", "host": "mail", "port": 25, "from": "a", "to": "b"}},
    mcp_servers={"time": McpServer("mcp-time", ("--utc",), ("@network",))},
    prices={"my:model": Price(1.0, 2.5, cache_read=0.5)},
    sources={"interval": "/home/me/config.toml"},
    warnings=("/home/me/config.toml: too short.",),
)


def written(settings: Settings) -> Any:
    """As it comes back from the disk."""
    return json.loads(json.dumps(copy_of(settings, SOURCES)))


@pytest.mark.parametrize("settings", [Settings(), EVERYTHING], ids=["defaults", "everything"])
def test_what_was_written_comes_back(settings: Settings) -> None:
    assert settings_of(written(settings), SOURCES) == settings


def test_a_copy_counts_only_for_the_declaration_that_it_was_checked_by() -> None:
    schemas = [full_schema_of(ConfigFile), full_schema_of(WorkspaceFile)]
    now = fingerprint(json.dumps(schemas, sort_keys=True).encode())[:16]
    assert now == copy.DECLARATION, f'write `DECLARATION = "{now}"` into {copy.__file__}'


@given(
    st.timedeltas(min_value=timedelta(0)),
    st.integers(min_value=0),
    st.floats(min_value=0, max_value=1e13),
    st.dictionaries(st.text(), st.text()),
    st.lists(st.text()),
)
def test_any_values_come_back(
    interval: timedelta,
    days: int,
    price: float,
    channel: dict[str, str],
    warnings: list[str],
) -> None:
    settings = replace(
        EVERYTHING,
        interval=interval,
        history_days=days,
        prices={"m": Price(price, price)},
        channels={"phone": channel},
        warnings=tuple(warnings),
    )
    assert settings_of(written(settings), SOURCES) == settings


@pytest.mark.parametrize(
    "sources",
    [
        [],
        SOURCES[:1],
        SOURCES[::-1],
        [SOURCES[0], (SOURCES[1][0], "4568")],
        [("/home/you/config.toml", "0123"), SOURCES[1]],
    ],
    ids=["of no file", "of one of them", "in another order", "of other bytes", "of other files"],
)
def test_it_counts_for_its_own_files_alone(sources: list[copy.Source]) -> None:
    assert settings_of(written(EVERYTHING), sources) is None


@pytest.mark.parametrize("constant", ["FORMAT", "VERSION"])
def test_a_copy_of_another_program_is_none(constant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = written(EVERYTHING)
    assert settings_of(found, SOURCES) == EVERYTHING

    monkeypatch.setattr(copy, constant, 99)
    assert settings_of(found, SOURCES) is None


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield above
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from places(value[key], (*above, key))


def with_value(found: Any, place: tuple[Any, ...], value: object) -> Any:
    if not place:
        return value

    changed = json.loads(json.dumps(found))
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value

    return changed


INSIDE = [place for place in places(written(EVERYTHING)) if place[:1] != ("sources",)]


@pytest.mark.parametrize("place", INSIDE, ids=lambda place: ".".join(map(str, place)) or "all")
def test_a_value_of_another_kind_makes_it_none(place: tuple[Any, ...]) -> None:
    found = written(EVERYTHING)
    others: list[Any] = [[None], {"x": [{}]}, 10**400, -1]
    for value in others:
        changed = with_value(found, place, value)
        kept = settings_of(changed, SOURCES)
        # A number may be another number: nothing but the kind can be seen here.
        assert kept is None or type(value) is int


def test_a_key_too_many_or_too_few_makes_it_none() -> None:
    found = written(EVERYTHING)
    for place in [(), ("settings",), ("settings", "agent"), ("settings", "prices", "my:model")]:
        assert settings_of(with_value(found, (*place, "new"), 1), SOURCES) is None

    del found["settings"]["agent"]["model"]
    assert settings_of(found, SOURCES) is None


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_anything_else_is_none(found: object) -> None:
    assert settings_of(found, SOURCES) is None
    assert settings_of({**copy_of(EVERYTHING, SOURCES), "settings": found}, SOURCES) is None
