"""The settings as a list, for `heartbeat config`."""

from core.model.settings import Settings

NOT_LISTED = ("sources", "warnings")


def effective(settings: Settings) -> dict[str, object]:
    """Every setting by its dotted name, in the order of their declaration."""
    found: dict[str, object] = {}
    for name in Settings.__match_args__:
        value = getattr(settings, name)
        inner = getattr(value, "__match_args__", None)
        if inner is not None:
            found |= {f"{name}.{key}": getattr(value, key) for key in inner}
        elif name not in NOT_LISTED:
            found[name.replace("mcp_servers", "mcp.servers")] = value

    return found
