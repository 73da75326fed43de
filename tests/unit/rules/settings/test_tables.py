"""The declaration of the settings: it and the light values that the program uses are the same
settings, any wrong value gets a sentence, and the JSON Schema says what the reader says."""

import tomllib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.model.errors import HeartbeatError
from core.model.settings import McpServer, Price, Settings
from core.rules import channels, providers
from core.rules.settings.listing import effective
from core.rules.settings.reading import read_settings, with_workspace_settings
from core.rules.settings.tables import (
    BY_NAME,
    ConfigFile,
    PriceTable,
    ServerTable,
    WorkspaceFile,
    full_schema_of,
    plain_settings,
)

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["30m", "run", "@workspace", "ntfy", "22:00-07:00", "desktop"])
    | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)


def refusal(read: Callable[[], object]) -> HeartbeatError | None:
    """The error; None if it was taken."""
    try:
        read()
    except HeartbeatError as error:
        return error

    return None


def nested(name: str, value: object) -> dict[str, Any]:
    group, dot, key = name.partition(".")
    return {group: {key: value}} if dot else {name: value}


def test_the_declared_settings_are_those_that_the_program_uses() -> None:
    light = set(effective(Settings())) - {"heartbeat_file", "channels", "mcp.servers", "prices"}
    assert {name for name, _ in plain_settings()} == light
    assert set(ServerTable.model_fields) == set(McpServer.__match_args__)
    assert set(PriceTable.model_fields) == set(Price.__match_args__) - {
        "above"
    }  # only in the public table
    assert set(BY_NAME) == {"channels", "mcp", "prices"}


def test_every_setting_says_what_it_means() -> None:
    without = [name for name, field in plain_settings() if not field.description]
    assert without == []


@pytest.mark.parametrize("name", [name for name, _ in plain_settings()])
@given(value=ANYTHING)
def test_any_value_is_taken_or_gets_a_sentence(name: str, value: object) -> None:
    error = refusal(partial(read_settings, nested(name, value), "config.toml"))
    if error:
        assert error.message.startswith("config.toml: `")
        assert name in error.message
        assert error.hint


@given(
    st.dictionaries(st.sampled_from([*ConfigFile.model_fields, "x"]), ANYTHING),
    st.dictionaries(st.text(max_size=5), ANYTHING),
)
def test_any_file_is_taken_or_gets_a_sentence(
    config: dict[str, object], by_name: dict[str, object]
) -> None:
    inside = {"channels": by_name, "mcp": {"servers": by_name}, "prices": by_name}
    for content in (config, *({key: value} for key, value in inside.items())):
        error = refusal(partial(read_settings, content, "config.toml"))
        assert error is None or (error.message.startswith("config.toml: ") and error.hint)


@given(ANYTHING, st.dictionaries(st.text(max_size=5), ANYTHING))
def test_any_file_of_a_workspace_is_taken_or_gets_a_sentence(
    anything: object, table: dict[str, object]
) -> None:
    named = dict.fromkeys(("enabled", "intervalMs", "heartbeatFile"), anything)
    for content in (anything, {"heartbeat": anything}, {"heartbeat": {**table, **named}}):
        error = refusal(partial(with_workspace_settings, Settings(), content, "config.json"))
        assert error is None or (error.message.startswith("config.json: ") and error.hint)


# -- the JSON Schema -------------------------------------------------------------------------------

GOOD = """
interval = " 1H30m "
enabled = false
approval = "owner"
catch_up = "skip"
quiet = false
history_days = 0
[agent]
provider = "ollama"
permissions = ["@read:/srv", "@send-after-reading"]
[budget]
daily_usd = 4
[channels.phone]
type = "ntfy"
topic = "mine"
[channels.mail]
type = "smtp"
host = "mail.example"
port = 25
from = "a@example"
to = "b@example"
[mcp.servers.time]
command = "mcp-time"
args = ["--utc"]
[prices."my:model"]
input = 1
output = 2.5
"""
WRONG = [
    'intervall = "5m"',
    'interval = "5 m"',
    "interval = 5",
    'enabled = "yes"',
    'approval = "never"',
    'catch_up = "sometimes"',
    "quiet = 22",
    "history_days = -1",
    "history_days = true",
    "history_days = 1.5",
    'workspace = " "',
    "agent = 1",
    '[agent]\nmodle = "x"',
    '[agent]\nprovider = "nobody"',
    '[agent]\npermissions = "@shell"',
    '[agent]\npermissions = ["@everything"]',
    '[agent]\npermissions = ["@read:"]',
    "[budget]\ndaily_usd = -1",
    "[budget]\ndaily_usd = 1e13",
    "[channels]\nphone = 1",
    '[channels.phone]\ntopic = "x"',
    '[channels.phone]\ntype = "ntfy"',
    '[channels.phone]\ntype = "ntfy"\ntopic = ["x"]',
    '[channels.phone]\ntype = "ntfy"\ntopic = "x"\ntopik = "x"',
    "[mcp]\nserver = 1",
    "[mcp.servers.a]\nargs = []",
    "[prices.m]\ninput = 1",
]
SCHEMA = full_schema_of(ConfigFile)


def is_valid(content: object, schema: dict[str, Any] = SCHEMA) -> bool:
    return bool(Draft202012Validator(schema).is_valid(content))


@pytest.mark.parametrize("file", [ConfigFile, WorkspaceFile])
def test_the_schema_is_one(file: type[ConfigFile | WorkspaceFile]) -> None:
    Draft202012Validator.check_schema(full_schema_of(file))


def test_the_schema_takes_what_the_reader_takes() -> None:
    content = tomllib.loads(GOOD)
    read_settings(content, "config.toml")
    assert is_valid(content)
    assert is_valid({})


@pytest.mark.parametrize("text", WRONG)
def test_the_schema_refuses_what_the_reader_refuses(text: str) -> None:
    content = tomllib.loads(text)
    with pytest.raises(HeartbeatError):
        read_settings(content, "config.toml")
    assert not is_valid(content)


@pytest.mark.parametrize("name", [name for name, _ in plain_settings()])
@given(value=ANYTHING)
@example(value="\x1f")  # not a blank to everybody
@example(value="http://\x1f")
@example(value=["@read:\n"])
def test_what_the_reader_takes_is_never_refused_by_the_schema(name: str, value: object) -> None:
    content = nested(name, value)
    if refusal(partial(read_settings, content, "config.toml")) is None:
        assert is_valid(content)


def test_the_schema_has_every_default_range_and_meaning() -> None:
    agent = SCHEMA["$defs"]["AgentTable"]["properties"]
    assert SCHEMA["properties"]["interval"]["default"] == "30m"
    assert SCHEMA["properties"]["history_days"] == {
        "default": 400,
        "description": "How many days the ledger keeps.",
        "maximum": 36_500,
        "minimum": 0,
        "type": "integer",
    }
    assert agent["permissions"]["default"] == ["@workspace", "@notify", "@memory"]
    assert agent["provider"]["enum"] == list(providers.choices())
    assert "default" not in agent["model"]
    kinds = SCHEMA["properties"]["channels"]["additionalProperties"]["oneOf"]
    assert [one["properties"]["type"]["const"] for one in kinds] == list(channels.CHANNEL_TYPES)


def test_the_schema_of_a_workspace_allows_what_other_programs_keep_there() -> None:
    schema = full_schema_of(WorkspaceFile)
    assert is_valid({"heartbeat": {"enabled": False, "intervalMs": 0, "more": 1}, "x": 2}, schema)
    assert not is_valid({"heartbeat": {"enabled": "yes"}}, schema)
    assert not is_valid({"heartbeat": {"intervalMs": -1}}, schema)
