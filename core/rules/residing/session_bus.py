"""Where the desktop's session bus is."""

from collections.abc import Mapping


def session_bus_address(environment: Mapping[str, str]) -> str | None:
    """The bus of the session; where no variable names it, the one that systemd makes for each
    person."""
    named = environment.get("DBUS_SESSION_BUS_ADDRESS")
    if named:
        return named

    folder = environment.get("XDG_RUNTIME_DIR")
    return f"unix:path={folder}/bus" if folder else None
