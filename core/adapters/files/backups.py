"""Versions of the person's file, in `backups/` of the workspace's state folder: the last 20 that
the person made, and a list of those that the program made.

Law: nothing that the person wrote is deleted before it is here. Only the process that holds the
workspace's lock writes here.
"""

from pathlib import Path
from typing import NamedTuple

from core.adapters.files.atomic import write_private
from core.rules.fingerprint import fingerprint

FOLDER = "backups"
KEPT = 20
KEPT_WRITES = 50  # more than there can be between two checks of the watcher


class Backups:
    """The person's versions, as `HEARTBEAT.NUMBER.FINGERPRINT.md`."""

    def __init__(self, state: Path, own_writes: "OwnWrites") -> None:
        self._folder = state / FOLDER
        self._own_writes = own_writes

    def keep(self, data: bytes) -> None:
        """Keep a version, unless it is here already or the program wrote it."""
        name = fingerprint(data)
        versions = self.versions()
        if self._own_writes.include(name) or any(name in version.name for version in versions):
            return

        number = _number(versions[-1]) + 1 if versions else 1
        write_private(self._folder / f"HEARTBEAT.{number:06}.{name}.md", data)
        for old in versions[: max(0, len(versions) + 1 - KEPT)]:
            old.unlink(missing_ok=True)

    def versions(self) -> list[Path]:
        """All that are kept, oldest first."""
        found = (path for path in self._folder.glob("HEARTBEAT.*.*.md") if _number(path))
        return sorted(found, key=_number)


def _number(path: Path) -> int:
    """A version's place in the order, independent of the clock; 0: not a version of ours."""
    word = path.name.split(".")[1]
    return int(word) if word.isdecimal() else 0


class _Step(NamedTuple):
    number: int
    before: str
    after: str


class OwnWrites:
    """`own-writes`, one line per write with the fingerprints of both texts, so that another process
    can distinguish what the program wrote from what the person saved."""

    def __init__(self, state: Path) -> None:
        self._path = state / FOLDER / "own-writes"
        self._explained = self._last()

    def note(self, before: str, after: str) -> None:
        """Record that the program is about to replace `before` with `after`."""
        steps = [*self._steps(), _Step(self._last() + 1, before, after)][-KEPT_WRITES:]
        lines = [f"{number} {old} {new}\n" for number, old, new in steps]
        write_private(self._path, "".join(lines).encode())

    def include(self, fingerprint: str) -> bool:
        return any(step.after == fingerprint for step in self._steps())

    def explain(self, before: str, after: str) -> bool:
        """Whether the program alone made `after` out of `before`, in one write or several. Each
        write counts once: if the same change appears again, the person made it."""
        steps = [step for step in self._steps() if step.number > self._explained]
        for step in reversed(steps):
            if step.after == after:
                after = step.before
                if before == after:
                    self._explained = steps[-1].number
                    return True

        return False

    def _last(self) -> int:
        return max((step.number for step in self._steps()), default=0)

    def _steps(self) -> list[_Step]:
        try:
            lines = self._path.read_text(encoding="ascii").splitlines()
        except (OSError, UnicodeDecodeError):
            return []

        steps = []
        for line in lines:
            words = line.split()
            if len(words) == 3 and words[0].isdecimal():
                steps.append(_Step(int(words[0]), words[1], words[2]))

        return steps
