"""The last 20 versions of a file that the person made, and what the program itself made of them.

Law: nothing that the person wrote is deleted from the workspace before it stands here.
"""

import os
from contextlib import suppress
from pathlib import Path

from core.rules.fingerprint import fingerprint

KEPT = 20
STEPS = 50  # more writes than there can be between two looks of the watcher
_RECORD = "own-writes"


class Backups:
    """`backups/` in the workspace's state folder; only one beat at a time writes to it."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "backups"

    def keep(self, data: bytes) -> None:
        """Keep a version that the person made, unless it is here or the program's own."""
        name = fingerprint(data)
        if self.knows(name):
            return
        versions = self.versions()
        number = _number(versions[-1]) + 1 if versions else 1
        self._replace(f"HEARTBEAT.{number:06}.{name}.md", data)
        for old in versions[: max(0, len(versions) + 1 - KEPT)]:
            old.unlink(missing_ok=True)

    def knows(self, name: str) -> bool:
        """Whether bytes with this fingerprint are kept here or were written by the program."""
        return any(after == name for _, after in self._steps()) or any(name in path.name for path in self.versions())

    def versions(self) -> list[Path]:
        """What is kept, oldest first."""
        return sorted((path for path in self._folder.glob("HEARTBEAT.*.*.md") if _number(path)), key=_number)

    def note_step(self, before: str, after: str) -> None:
        """Record, before it happens, that the program makes `after` out of `before`."""
        steps = [*self._steps(), (before, after)][-STEPS:]
        self._replace(_RECORD, "".join(f"{one} {other}\n" for one, other in steps).encode())

    def is_own_step(self, before: str, after: str) -> bool:
        """Whether the program alone, in one write or several, made `after` out of `before`."""
        for one, other in reversed(self._steps()):
            if other == after:
                after = one
            if before == after:
                return True
        return False

    def _steps(self) -> list[tuple[str, str]]:
        try:
            lines = (self._folder / _RECORD).read_text(encoding="ascii").splitlines()
        except (OSError, UnicodeDecodeError):
            return []
        return [(words[0], words[1]) for words in map(str.split, lines) if len(words) == 2]

    def _replace(self, name: str, data: bytes) -> None:
        """Write a file of this folder whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = self._folder / f".{name}.new"
        try:
            with open(temporary, "wb", opener=_private) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._folder / name)
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
