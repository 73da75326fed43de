"""The names, and only the names, of what was put into the keyring: a keyring cannot be asked what it holds."""

import json
from pathlib import Path

from core.adapters.private_file import write_private


class KeyNames:
    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[str, ...]:
        """In order; a file that cannot be read names none."""
        try:
            names = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ()
        return tuple(sorted(name for name in names if isinstance(name, str))) if isinstance(names, list) else ()

    def add(self, name: str) -> None:
        self._write({*self.all(), name})

    def remove(self, name: str) -> None:
        self._write({*self.all()} - {name})

    def _write(self, names: set[str]) -> None:
        if names != set(self.all()):
            write_private(self._path, json.dumps(sorted(names)).encode())
