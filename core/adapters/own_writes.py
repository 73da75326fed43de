"""Remembers what the program wrote into the person's file, so that another process knows it from the person's saves."""

from pathlib import Path
from typing import NamedTuple

KEPT = 50  # more than there can be between two looks of the watcher


class _Step(NamedTuple):
    number: int
    before: str
    after: str


class OwnWrites:
    """`backups/own-writes` in the workspace's state folder: one line a write, with the fingerprints of both texts."""

    def __init__(self, state: Path) -> None:
        self._path = state / "backups" / "own-writes"
        self._explained = self._last()

    def note(self, before: str, after: str) -> None:
        """Record, before it happens, that the program makes `after` out of `before`."""
        steps = [*self._steps(), _Step(self._last() + 1, before, after)][-KEPT:]
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = self._path.with_suffix(".new")
        try:
            temporary.write_text("".join(f"{number} {old} {new}\n" for number, old, new in steps), encoding="ascii")
            temporary.replace(self._path)
        finally:
            temporary.unlink(missing_ok=True)

    def include(self, fingerprint: str) -> bool:
        return any(step.after == fingerprint for step in self._steps())

    def explain(self, before: str, after: str) -> bool:
        """Whether the program alone made `after` out of `before`, in one write or several. Each write explains once:
        the same texts a second time are the person's doing."""
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
        words = [line.split() for line in lines]
        return [_Step(int(word[0]), word[1], word[2]) for word in words if len(word) == 3 and word[0].isdecimal()]
