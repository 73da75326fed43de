"""Settings: config.toml and a workspace's config.json, every key, every mistake with its
way out."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.adapters.settings_files import LIMIT, read_json, read_toml
from core.model.errors import HeartbeatError
from core.model.settings import McpServer, Price, Settings
from core.rules.settings.listing import effective, source_of
from core.rules.settings.reading import read_settings, with_workspace_settings
from core.rules.settings.tables import plain_settings
from core.rules.timing.active import is_quiet

EVERY_KEY = """
workspace = "~/Documents/Heartbeat"
interval = "45m"
enabled = false
approval = "owner"
beat_budget = "5m"
catch_up = "2h"
quiet = "23:00-06:30"
history_days = 30
deliver = "notify"
write_back = "off"
[agent]
provider = "ollama"
model = "small"
base_url = "http://127.0.0.1:1"
permissions = ["@workspace"]
allowed_domains = ["example.org"]
[verifier]
provider = "openai"
model = "large"
base_url = "http://127.0.0.1:2"
[budget]
requests_per_beat = 1
tokens_per_beat = 2
minutes_per_beat = 3
daily_usd = 4
[gates]
on_missing_permission = "skip"
unsandboxed = true
[review]
max_per_day = 2
[session]
max_tokens = 100
[notify]
score_drop = 5
per_hour = 1
channels = ["desktop", "phone"]
[accountability]
consequences = true
[channels.phone]
type = "ntfy"
topic = "mine"
[mcp.servers.time]
command = "mcp-time"
args = ["--utc"]
permissions = ["@network"]
[prices."my:model"]
input = 1
output = 2.5
"""


def from_toml(text: str, tmp_path: Path) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(read_toml(path), "config.toml")


def from_json(text: str, tmp_path: Path, settings: Settings | None = None) -> Settings:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    return with_workspace_settings(settings or Settings(), read_json(path), "config.json")


def error_of(read: Any, *arguments: Any) -> HeartbeatError:
    with pytest.raises(HeartbeatError) as error:
        read(*arguments)
    assert error.value.exit_code == 2
    assert error.value.hint
    return error.value


def test_every_key_is_optional_and_these_are_the_defaults(tmp_path: Path) -> None:
    settings = from_toml("", tmp_path)
    assert settings == Settings()
    assert effective(settings) == {
        "workspace": None,
        "interval": timedelta(minutes=30),
        "enabled": True,
        "approval": "ask",
        "beat_budget": timedelta(minutes=10),
        "catch_up": "run",
        "quiet": "22:00-07:00",
        "history_days": 400,
        "deliver": "auto",
        "write_back": "status",
        "heartbeat_file": None,
        "agent.provider": "auto",
        "agent.model": None,
        "agent.base_url": None,
        "agent.permissions": ("@workspace", "@notify", "@memory"),
        "agent.allowed_domains": (),
        "verifier.provider": None,
        "verifier.model": None,
        "verifier.base_url": None,
        "budget.requests_per_beat": 12,
        "budget.tokens_per_beat": 60000,
        "budget.minutes_per_beat": 5,
        "budget.daily_usd": 1.0,
        "gates.on_missing_permission": "run",
        "gates.unsandboxed": False,
        "review.max_per_day": 1,
        "session.max_tokens": 300,
        "notify.score_drop": 20,
        "notify.per_hour": 6,
        "notify.channels": ("desktop",),
        "accountability.consequences": False,
        "channels": {},
        "mcp.servers": {},
        "prices": {},
    }


def test_every_key_can_be_set_and_its_source_is_known(tmp_path: Path) -> None:
    settings = from_toml(EVERY_KEY, tmp_path)
    assert settings.interval == timedelta(minutes=45)
    assert settings.agent.allowed_domains == ("example.org",)
    assert settings.budget.daily_usd == 4.0
    assert settings.channels["phone"] == {"type": "ntfy", "topic": "mine"}
    assert settings.mcp_servers == {"time": McpServer("mcp-time", ("--utc",), ("@network",))}
    assert settings.prices == {"my:model": Price(1.0, 2.5)}
    defaults = effective(Settings())
    same = [key for key in defaults if effective(settings).get(key) == defaults[key]]
    assert same == ["heartbeat_file"]
    tables = dict.fromkeys(("channels", "mcp.servers", "prices"), "config.toml")
    assert settings.sources == {name: "config.toml" for name, _ in plain_settings()} | tables
    assert effective(settings)["mcp.servers.time.command"] == "mcp-time"
    assert source_of(settings, "channels.phone.topic") == "config.toml"


@pytest.mark.parametrize(
    ("text", "key", "meant"),
    [
        ('intervall = "5m"', "intervall", "interval"),
        ('aproval = "ask"', "aproval", "approval"),
        ('[agent]\nmodle = "x"', "modle", "model"),
        ("[budjet]\ndaily_usd = 1", "budjet", "budget"),
        ("[budget]\ndaily_us = 1", "daily_us", "daily_usd"),
        ('[mcp.servers.a]\ncommand = "x"\nagrs = []', "agrs", "args"),
        ("[mcp]\nserver = 1", "server", "mcp.servers"),
        ('heartbeat_file = "x"', "heartbeat_file", "Write one of"),
        ('[agent]\nprovider = "antropic"', "agent.provider", "anthropic"),
        ('[verifier]\nprovider = "olama"', "verifier.provider", "ollama"),
        ('[channels.foo]\ntype = "nfty"', "channels.foo.type", "ntfy"),
        ('[channels.foo]\ntype = "ntfy"\ntopik = "x"', "topik", "topic"),
        ('[notify]\nchannels = ["foo"]', "foo", "desktop"),
        (
            '[notify]\nchannels = ["phon"]\n[channels.phone]\ntype = "ntfy"\ntopic = "x"',
            "phon",
            "phone",
        ),
    ],
)
def test_an_unknown_key_is_an_error_with_the_nearest_name(
    text: str, key: str, meant: str, tmp_path: Path
) -> None:
    error = error_of(from_toml, text, tmp_path)
    assert f"`{key}`" in error.message
    assert "config.toml" in error.message
    assert meant in error.hint


@pytest.mark.parametrize(
    "text",
    [
        'interval = "5 m"',
        "interval = 5",
        'enabled = "yes"',
        "enabled = 1",
        'approval = "never"',
        'catch_up = "sometimes"',
        "catch_up = 2",
        'quiet = "at night"',
        "quiet = 22",
        "history_days = -1",
        "history_days = true",
        "history_days = 1.5",
        'workspace = ""',
        "workspace = []",
        "agent = 1",
        '[agent]\npermissions = "@shell"',
        "[agent]\npermissions = [1]",
        "[budget]\ndaily_usd = nan",
        "[budget]\ndaily_usd = inf",
        '[budget]\ndaily_usd = "1"',
        f"[budget]\ndaily_usd = {'9' * 400}",
        f"[budget]\ndaily_usd = {'9' * 5000}",
        'deliver = "mail"',
        "channels = 1",
        "[channels]\nphone = 1",
        '[channels.phone]\ntopic = "x"',
        '[channels.phone]\ntype = "ntfy"',
        "[mcp]\nservers = 1",
        "[mcp.servers]\na = 1",
        "[mcp.servers.a]\nargs = []",
        "[mcp.servers.a]\ncommand = 1",
        "a b c",
        "a = 1\na = 2",
        "a = " + "[" * 5000,
    ],
)
def test_a_wrong_value_is_an_error_and_never_a_guess(text: str, tmp_path: Path) -> None:
    assert "config.toml" in error_of(from_toml, text, tmp_path).message


@pytest.mark.parametrize("place", ["agent", 'mcp.servers.git]\ncommand = "git"\n#'])
def test_a_tag_that_there_is_not_is_an_error_with_the_nearest_one(
    place: str, tmp_path: Path
) -> None:
    error = error_of(
        from_toml, f'[{place}]\npermissions = ["@workspace", "@send-after-read"]', tmp_path
    )
    assert "has no tag `@send-after-read`" in error.message
    assert "@send-after-reading" in error.hint
    good = from_toml('[agent]\npermissions = ["@send-after-reading", "@read:/srv"]', tmp_path)
    assert good.agent.permissions == ("@send-after-reading", "@read:/srv")


def test_the_files_themselves_can_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff")
    assert "UTF-8" in error_of(read_toml, path).message
    path.write_bytes(b"#" * (LIMIT + 1))
    assert "256 KiB" in error_of(read_toml, path).message
    path.write_bytes(b"\xef\xbb\xbfenabled = false\n")
    assert read_toml(path) == {"enabled": False}
    assert read_toml(tmp_path / "missing.toml") == {}
    assert read_json(tmp_path / "missing.json") == {}


# -- config.json of a workspace --------------------------------------------------------------------


def test_the_example_of_a_workspaces_config_json(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "samples" / "source_formats" / "config.json").read_text(
        encoding="utf-8"
    )
    settings = from_json(text, tmp_path)
    assert (settings.enabled, settings.interval, settings.heartbeat_file) == (
        True,
        timedelta(minutes=30),
        "HEARTBEAT.md",
    )
    assert settings.warnings == ()


def test_its_three_keys_win_over_config_toml_and_nothing_else_changes(tmp_path: Path) -> None:
    before = from_toml(EVERY_KEY, tmp_path)
    after = from_json(
        '{"heartbeat": {"enabled": true, "intervalMs": 120000, "heartbeatFile": "notes/HB.md"}}',
        tmp_path,
        before,
    )
    assert (after.enabled, after.interval, after.heartbeat_file) == (
        True,
        timedelta(minutes=2),
        "notes/HB.md",
    )
    changed = {key for key, value in effective(after).items() if value != effective(before)[key]}
    assert changed == {"enabled", "interval", "heartbeat_file"}
    assert {after.sources[key] for key in changed} == {"config.json"}
    assert after.sources["approval"] == "config.toml"


@pytest.mark.parametrize("text", ["", "{}", '{"heartbeat": {}}', '{"other": {"intervalMs": 5}}'])
def test_absent_keys_change_nothing(text: str, tmp_path: Path) -> None:
    assert from_json(text, tmp_path) == Settings()


@pytest.mark.parametrize(
    ("milliseconds", "interval", "warned"),
    [
        ("0", 30 * 60, False),
        ("0.0", 30 * 60, False),
        ("1", 60, True),
        ("59999", 60, True),
        ("60000", 60, False),
        ("90500", 90.5, False),
    ],
)
def test_0_is_30_minutes_and_under_a_minute_is_one_with_a_warning(
    milliseconds: str, interval: float, warned: bool, tmp_path: Path
) -> None:
    settings = from_json(f'{{"heartbeat": {{"intervalMs": {milliseconds}}}}}', tmp_path)
    assert settings.interval == timedelta(seconds=interval)
    assert [("minute" in warning) for warning in settings.warnings] == [True] * warned


def test_an_interval_under_a_minute_in_config_toml_is_one_with_a_warning_too(
    tmp_path: Path,
) -> None:
    settings = from_toml('interval = "5s"', tmp_path)
    assert (settings.interval, len(settings.warnings)) == (timedelta(minutes=1), 1)


@pytest.mark.parametrize(
    "name",
    [
        "../HEARTBEAT.md",
        "/etc/passwd",
        "a/../../b",
        "~/x.md",
        "..",
        "C:\\x.md",
        "\\\\host\\x",
        "a\\..\\..\\b",
        "a\\u0000b",
        "a\\u001bb",
        "",
    ],
)
def test_a_heartbeat_file_outside_the_workspace_is_an_error(name: str, tmp_path: Path) -> None:
    name = name if "\\u00" in name else name.replace("\\", "\\\\")
    assert (
        "heartbeatFile"
        in error_of(from_json, f'{{"heartbeat": {{"heartbeatFile": "{name}"}}}}', tmp_path).message
    )


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        "1",
        '{"heartbeat": []}',
        '{"heartbeat": null}',
        '{"heartbeat": {"enabled": "yes"}}',
        '{"heartbeat": {"intervalMs": "5m"}}',
        '{"heartbeat": {"intervalMs": -1}}',
        '{"heartbeat": {"intervalMs": true}}',
        '{"heartbeat": {"intervalMs": NaN}}',
        '{"heartbeat": {"intervalMs": Infinity}}',
        f'{{"heartbeat": {{"intervalMs": {"9" * 400}}}}}',
        f'{{"heartbeat": {{"intervalMs": {"9" * 5000}}}}}',
        '{"heartbeat": {"heartbeatFile": 5}}',
        "[" * 100_000,
    ],
)
def test_a_wrong_config_json_is_an_error(text: str, tmp_path: Path) -> None:
    assert "config.json" in error_of(from_json, text, tmp_path).message


def test_a_misspelt_key_next_to_the_three_is_warned_about(tmp_path: Path) -> None:
    settings = from_json('{"heartbeat": {"enabeld": false}}', tmp_path)
    assert settings.enabled
    assert "`enabeld`" in settings.warnings[0]
    assert "`enabled`" in settings.warnings[0]


def test_wrong_quiet_hours_are_called_quiet_hours(tmp_path: Path) -> None:
    error = error_of(from_toml, 'quiet = "22-7"', tmp_path)
    assert error.message.endswith("config.toml: `quiet` is not right: `22-7` are not quiet hours.")
    assert error.hint == "Write `22:00-07:00`."


@pytest.mark.parametrize("none", ['""', "false"])
def test_quiet_hours_can_be_switched_off(tmp_path: Path, none: str) -> None:
    settings = from_toml(f"quiet = {none}", tmp_path)
    assert settings.quiet == ""
    assert not is_quiet(settings.quiet, datetime(2026, 11, 16, 23, 0, tzinfo=UTC))


def test_the_hint_of_an_interval_speaks_of_milliseconds(tmp_path: Path) -> None:
    with pytest.raises(HeartbeatError) as raised:
        from_json('{"heartbeat": {"intervalMs": -5}}', tmp_path)
    assert "milliseconds" in raised.value.message
    assert "1800000" in raised.value.hint


@pytest.mark.parametrize("read", [read_toml, read_json])
def test_settings_that_are_not_a_file_are_an_error(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    (tmp_path / "config").mkdir()
    with pytest.raises(HeartbeatError, match="it is not a file"):
        read(tmp_path / "config")
    assert read(tmp_path / "missing") == {}
