"""The settings as a list, for `heartbeat config`."""

from collections.abc import Mapping

from core.model.settings import Settings

# What the person names: each has a table of its own in config.toml.
TABLES = {"channels": "channels", "mcp_servers": "mcp.servers", "prices": "prices"}
NOT_LISTED = ("sources", "warnings")


def effective(settings: Settings) -> dict[str, object]:
    """Every setting by its dotted name, in the order of their declaration."""
    found: dict[str, object] = {}
    for name in Settings.__match_args__:
        value = getattr(settings, name)
        inner = getattr(value, "__match_args__", None)
        if inner is not None:
            found |= {f"{name}.{key}": getattr(value, key) for key in inner}
        elif name in TABLES:
            found |= _rows(TABLES[name], value)
        elif name not in NOT_LISTED:
            found[name] = value

    return found


def _rows(table: str, named: Mapping[str, object]) -> dict[str, object]:
    """One row per key of each; without any, one empty row for the table."""
    found: dict[str, object] = {}
    for name, value in named.items():
        keys = getattr(value, "__match_args__", None)
        parts = {key: getattr(value, key) for key in keys} if keys else value
        assert isinstance(parts, Mapping)
        found |= {f"{table}.{name}.{key}": part for key, part in parts.items()}

    return found or {table: {}}


def source_of(settings: Settings, name: str) -> str:
    """The file that sets it; empty if it is the default."""
    table = next((one for one in TABLES.values() if name.startswith(f"{one}.")), "")
    return settings.sources.get(table or name, "")
