"""The last 20 versions of the file that the person made. Law: nothing the person wrote is deleted before it is here."""

import os
from contextlib import suppress
from pathlib import Path

from core.adapters.own_writes import OwnWrites
from core.rules.fingerprint import fingerprint

KEPT = 20


class Backups:
    """`backups/` in the workspace's state folder; only the holder of the workspace's lock writes to it."""

    def __init__(self, state: Path, own_writes: OwnWrites) -> None:
        self._folder = state / "backups"
        self._own_writes = own_writes

    def keep(self, data: bytes) -> None:
        """Keep a version, unless it is here or the program wrote it."""
        name = fingerprint(data)
        versions = self.versions()
        if self._own_writes.include(name) or any(name in version.name for version in versions):
            return
        number = _number(versions[-1]) + 1 if versions else 1
        self._write(self._folder / f"HEARTBEAT.{number:06}.{name}.md", data)
        for old in versions[: max(0, len(versions) + 1 - KEPT)]:
            old.unlink(missing_ok=True)

    def versions(self) -> list[Path]:
        """What is kept, oldest first."""
        return sorted((path for path in self._folder.glob("HEARTBEAT.*.*.md") if _number(path)), key=_number)

    def _write(self, path: Path, data: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_suffix(".new")
        try:
            with open(temporary, "wb", opener=_private) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _number(path: Path) -> int:
    """A version's place in the order, which no change of the clock disturbs; 0: not one of ours."""
    word = path.name.split(".")[1]
    return int(word) if word.isdecimal() else 0
