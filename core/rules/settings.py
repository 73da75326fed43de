"""Reads the settings of config.toml and config.json. Pure: their content is an argument. A message
about an unknown name suggests the nearest known one."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from typing import Any

from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.settings import DEFAULT_INTERVAL, DESKTOP, McpServer, Price, Settings
from core.model.tags import TAGS
from core.rules.approving.tags import known_tag
from core.rules.printable import shown
from core.rules.reading.findings import did_you_mean
from core.rules.timing.active import read_active
from core.rules.timing.durations import read_duration

SHORTEST_INTERVAL = timedelta(minutes=1)
# A larger amount is a mistake, and a duration of this many milliseconds still fits.
LARGEST = 1e13

WORKSPACE_KEYS = ("enabled", "intervalMs", "heartbeatFile")

Reader = Callable[[object], object]


def _text(value: object) -> object:
    if isinstance(value, str) and value.strip():
        return value
    return Problem("takes a text", 'Write it in quotes: `"…"`.')


def _flag(value: object) -> object:
    if isinstance(value, bool):
        return value
    return Problem("takes true or false", "Write `true` or `false`, without quotes.")


def _count(value: object) -> object:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if good else Problem("takes a whole number", "Write a number without quotes.")


def _money(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < LARGEST:
        return float(value)
    return Problem("takes an amount", "Write a number such as `1.0`.")


def _texts(value: object) -> tuple[str, ...] | Problem:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return Problem("takes a list of texts", 'Write `["…", "…"]`.')


def _tags(value: object) -> object:
    tags = _texts(value)
    if isinstance(tags, Problem):
        return tags

    known = tuple(tag.listed for tag in TAGS)
    wrong = [tag for tag in tags if known_tag(tag) is None]
    if wrong:
        return Problem(f"has no tag `{shown(wrong[0])}`", did_you_mean(wrong[0], known))

    return tags


def _duration(value: object) -> object:
    if not isinstance(value, str):
        return Problem("takes a duration", 'Write it in quotes: `"30m"`.')

    found = read_duration(value)
    return Problem(found.message, found.hint) if isinstance(found, Problem) else found


def _milliseconds(value: object) -> object:
    found = _money(value)
    fix = "Write for example `1800000`, which is half an hour."
    return Problem("takes a number of milliseconds", fix) if isinstance(found, Problem) else found


def _hours(value: object) -> object:
    """Hours of the day; `""` and `false` mean none."""
    if value is False or value == "":
        return ""

    fix = 'Write `"22:00-07:00"`, or `""` for none.'
    if not isinstance(value, str):
        return Problem("takes hours", fix)

    read = read_active(value, "quiet hours")
    return read if isinstance(read, Problem) else value


def _one_of(*words: str) -> Reader:
    def read(value: object) -> object:
        if value in words:
            return value
        return Problem(f"is one of {', '.join(words)}", did_you_mean(str(value), words))

    return read


def _provider(value: object) -> object:
    # Here: only a config.toml that names a provider needs the table, and it takes milliseconds.
    from core.rules.providers import choices

    return _one_of(*choices())(value)


def _catch_up(value: object) -> object:
    if value in ("run", "skip") or isinstance(_duration(value), timedelta):
        return value
    return Problem("is run, skip or a duration", 'Write `"run"`, `"skip"` or `"2h"`.')


READERS: dict[str, Reader] = {
    "workspace": _text,
    "interval": _duration,
    "enabled": _flag,
    "approval": _one_of("ask", "owner"),
    "beat_budget": _duration,
    "catch_up": _catch_up,
    "quiet": _hours,
    "history_days": _count,
    "deliver": _one_of("keep", "notify"),
    "write_back": _one_of("status", "off"),
    "agent.provider": _provider,
    "agent.model": _text,
    "agent.base_url": _text,
    "agent.permissions": _tags,
    "agent.allowed_domains": _texts,
    "verifier.provider": _provider,
    "verifier.model": _text,
    "verifier.base_url": _text,
    "budget.requests_per_beat": _count,
    "budget.tokens_per_beat": _count,
    "budget.minutes_per_beat": _count,
    "budget.daily_usd": _money,
    "gates.on_missing_permission": _one_of("run", "skip"),
    "gates.unsandboxed": _flag,
    "review.max_per_day": _count,
    "session.max_tokens": _count,
    "notify.score_drop": _count,
    "notify.per_hour": _count,
    "notify.channels": _texts,
    "accountability.consequences": _flag,
}
GROUPS = sorted({name.partition(".")[0] for name in READERS if "." in name})
TOP = [*(name for name in READERS if "." not in name), *GROUPS, "channels", "mcp", "prices"]


def read_settings(config: Mapping[str, Any], file: str) -> Settings:
    """The settings of config.toml. A wrong key is a HeartbeatError that says what to write; the
    program does not guess."""
    values: dict[str, object] = {}
    channels: Mapping[str, Mapping[str, object]] = {}
    servers: dict[str, McpServer] = {}
    prices: dict[str, Price] = {}

    for key, value in config.items():
        if key == "channels":
            channels = {
                name: _channel(keys, f"channels.{name}", file)
                for name, keys in _table(value, "channels", file).items()
            }
        elif key == "mcp":
            servers = _servers(_table(value, "mcp", file), file)
        elif key == "prices":
            prices = _prices(_table(value, "prices", file), file)
        elif key in GROUPS:
            for inner, inner_value in _table(value, key, file).items():
                values[f"{key}.{inner}"] = _read(f"{key}.{inner}", inner_value, file)
        else:
            values[key] = _read(key, value, file)

    sources = dict.fromkeys(values, file)
    settings = replace(
        Settings(), channels=channels, mcp_servers=servers, prices=prices, sources=sources
    )
    for name, found in values.items():
        settings = _with(settings, name, found)

    _check_channels(settings, file)
    return _bounded(settings, file)


def _check_channels(settings: Settings, file: str) -> None:
    known = (DESKTOP, *settings.channels)
    for name in settings.notify.channels:
        if name not in known:
            message = (
                f"{file}: `notify.channels` names `{shown(name)}`, and there is no "
                f"[channels.{shown(name)}]."
            )
            raise HeartbeatError(message, did_you_mean(name, known))


def with_workspace_settings(settings: Settings, config: object, file: str) -> Settings:
    """`enabled`, `intervalMs` and `heartbeatFile` in a workspace's config.json win over
    config.toml; a missing table changes nothing."""
    table = config.get("heartbeat", {}) if isinstance(config, dict) else None
    if not isinstance(table, dict):
        raise HeartbeatError(
            f"{file}: it must hold an object.", 'Write {"heartbeat": {"intervalMs": 1800000}}.'
        )

    found: dict[str, Any] = {}
    if "enabled" in table:
        found["enabled"] = _checked(_flag(table["enabled"]), "enabled", file)

    if "intervalMs" in table:
        milliseconds = _checked(_milliseconds(table["intervalMs"]), "intervalMs", file)
        found["interval"] = timedelta(milliseconds=milliseconds) or DEFAULT_INTERVAL

    if "heartbeatFile" in table:
        found["heartbeat_file"] = _inside(
            str(_checked(_text(table["heartbeatFile"]), "heartbeatFile", file)), file
        )

    unknown = [key for key in table if key not in WORKSPACE_KEYS]
    warnings = [
        f"{file}: `{shown(key)}` is not used. {did_you_mean(key, WORKSPACE_KEYS)}"
        for key in unknown
    ]

    sources = {**settings.sources, **dict.fromkeys(found, file)}
    settings = replace(settings, **found, sources=sources, warnings=(*settings.warnings, *warnings))

    return _bounded(settings, file)


def _inside(name: str, file: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\", "~")) or ".." in parts or ":" in name or not name.isprintable():
        message = (
            f"{file}: `heartbeatFile` must stay inside the workspace, and `{shown(name)}` does not."
        )
        raise HeartbeatError(message, "Write a name such as `HEARTBEAT.md`.")

    return name


def _bounded(settings: Settings, file: str) -> Settings:
    if settings.interval >= SHORTEST_INTERVAL:
        return settings

    warning = f"{file}: an interval under a minute is too short; it beats once per minute."
    return replace(settings, interval=SHORTEST_INTERVAL, warnings=(*settings.warnings, warning))


def _read(name: str, value: object, file: str) -> object:
    reader = READERS.get(name)
    if reader is None:
        raise _unknown(name, file)

    return _checked(reader(value), name, file)


def _unknown(name: str, file: str) -> HeartbeatError:
    group, _, key = name.rpartition(".")
    if not group:
        return HeartbeatError(f"{file}: `{shown(key)}` is not a setting.", did_you_mean(key, TOP))

    known = [other.rpartition(".")[2] for other in READERS if other.startswith(f"{group}.")]
    return HeartbeatError(
        f"{file}: `{shown(key)}` is not a setting in [{group}].", did_you_mean(key, known)
    )


def _checked(found: Any, name: str, file: str) -> Any:
    if isinstance(found, Problem):
        words = found.message if found.message[0].islower() else f"is not right: {found.message}"
        raise HeartbeatError(f"{file}: `{name}` {words.rstrip('.')}.", found.hint)

    return found


def _table(value: object, name: str, file: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise HeartbeatError(
        f"{file}: `{name}` is a table.", f"Write `[{name}]` and its keys below it."
    )


def _servers(table: dict[str, Any], file: str) -> dict[str, McpServer]:
    for key in table:
        if key != "servers":
            raise HeartbeatError(
                f"{file}: `{shown(key)}` is not a setting in [mcp].", "Write `[mcp.servers.NAME]`."
            )

    servers: dict[str, McpServer] = {}
    for name, keys in _table(table.get("servers", {}), "mcp.servers", file).items():
        place = f"mcp.servers.{name}"
        found = _keys(keys, place, {"command": _text, "args": _texts, "permissions": _tags}, file)
        if "command" not in found:
            raise HeartbeatError(
                f"{file}: [{place}] has no command.", 'Write `command = "…"` in it.'
            )

        servers[name] = McpServer(**found)

    return servers


def _channel(value: object, place: str, file: str) -> dict[str, Any]:
    """The table of a channel. It is checked here, because a mistake would otherwise be found only
    when a message could not be sent."""
    from core.rules.channels import CHANNEL_TYPES  # imported here: few files need it

    table = _table(value, place, file)
    name = _checked(_one_of(*CHANNEL_TYPES)(table.get("type")), f"{place}.type", file)
    kind = CHANNEL_TYPES[name]
    known = (*kind.required_keys, *kind.optional_keys)

    for key in table:
        if key not in ("type", *known):
            message = f"{file}: `{shown(key)}` is not a setting in [{place}]."
            raise HeartbeatError(message, did_you_mean(key, known))

    missing = [key for key in kind.required_keys if not table.get(key)]
    if missing:
        raise HeartbeatError(
            f"{file}: [{place}] has no {missing[0]}.", f'Write `{missing[0]} = "…"` in it.'
        )

    return table


def _prices(table: dict[str, Any], file: str) -> dict[str, Price]:
    prices: dict[str, Price] = {}
    for model, keys in table.items():
        place = f"prices.{model}"
        readers: dict[str, Reader] = dict.fromkeys(
            ("input", "output", "cache_read", "cache_write"), _money
        )
        found = _keys(keys, place, readers, file)

        if not {"input", "output"} <= found.keys():
            message = f"{file}: [{place}] needs `input` and `output`."
            raise HeartbeatError(
                message,
                "Write the price in USD per million tokens: `input = 3.0`, `output = 15.0`.",
            )

        prices[model] = Price(**found)

    return prices


def _keys(value: object, place: str, readers: Mapping[str, Reader], file: str) -> dict[str, Any]:
    """The values of a table that may have these keys and no others."""
    table = _table(value, place, file)
    for key in table:
        if key not in readers:
            raise HeartbeatError(
                f"{file}: `{shown(key)}` is not a setting in [{place}].", did_you_mean(key, readers)
            )

    return {key: _checked(readers[key](one), f"{place}.{key}", file) for key, one in table.items()}


def _with(settings: Settings, name: str, value: object) -> Settings:
    group, dot, key = name.partition(".")
    if not dot:
        changed: dict[str, Any] = {name: value}
        return replace(settings, **changed)

    part = getattr(settings, group)
    return replace(settings, **{group: replace(part, **{key: value})})


def effective(settings: Settings) -> dict[str, object]:
    """Every setting by its dotted name, in the order of the table."""
    found: dict[str, object] = {}
    for one in fields(settings):
        value = getattr(settings, one.name)
        if is_dataclass(value):
            found |= {
                f"{one.name}.{inner.name}": getattr(value, inner.name) for inner in fields(value)
            }
        elif one.name not in ("sources", "warnings"):
            found[one.name.replace("mcp_servers", "mcp.servers")] = value

    return found
