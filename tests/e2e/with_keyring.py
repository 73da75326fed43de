"""A person's computer whose session has a real keyring, and a search for what must not be
on it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.machine import COMMAND, Machine


class MachineWithKeyring(Machine):
    def __init__(self, folder: Path, session: Mapping[str, str]) -> None:
        super().__init__(folder)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = session["DBUS_SESSION_BUS_ADDRESS"]
        del self.environment["PYTHON_KEYRING_BACKEND"]

    def keep_secret(self, name: str, value: str) -> None:
        """As any program of the desktop would put it into the keyring."""
        words = [
            "secret-tool",
            "store",
            "--label=Heartbeat",
            "service",
            "heartbeat",
            "username",
            name,
        ]
        subprocess.run(words, input=value.encode(), env=self.environment, check=True)

    def approve(self) -> None:
        """At the terminal: the seal is kept in the keyring."""
        if self.says_yes:
            words = [COMMAND, "approve", "--all"]
            subprocess.run(
                words, cwd=self.workspace, env=self.environment, check=True, capture_output=True
            )

    def files_with(self, *needles: str) -> list[Path]:
        """Every file of this computer that holds one of the texts: workspace, ledger, logs,
        settings, home."""
        found = []
        for path in sorted(self.folder.rglob("*")):
            data = path.read_bytes() if path.is_file() else b""
            found += [path for needle in needles if needle.encode() in data]
        return found
