"""Reports tool servers of the settings whose program is not there. Pure: whether it is there is an
argument."""

from collections.abc import Callable, Mapping

from core.model.diagnostic import Diagnostic
from core.model.settings import McpServer
from core.rules.printable import shown
from core.rules.reading.findings import Findings

SETTINGS_FILE = "config.toml"


def missing_servers(
    servers: Mapping[str, McpServer], is_there: Callable[[str], bool]
) -> tuple[Diagnostic, ...]:
    findings = Findings(SETTINGS_FILE)
    for name, server in servers.items():
        if not is_there(server.command):
            table = f"[mcp.servers.{shown(name)}]"
            message = f"{table} starts `{shown(server.command)}`, and there is no such program."
            findings.add("HB801", 0, 1, message, f"Install it, or correct `command` in {table}.")

    return findings.sorted()
