"""Harmless twins of the ports: the same contracts, nothing of the outside world."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from core.model.owner import Machine, Owner
from core.model.workspace_file import (
    Identity,
    Missing,
    Postponed,
    Reading,
    Refusal,
    Snapshot,
    Unchanged,
    Writing,
    Written,
)
from core.rules.fingerprint import fingerprint
from core.rules.merging import merge
from core.rules.watching import SECOND_LOOK, doubtful


@dataclass
class FakeWorkspaceFile:
    """A `WorkspaceFile` in memory; the test is the person and sets `data`, `refusal` or `in_editor`."""

    data: bytes | None
    pause: Callable[[float], None]
    refusal: Refusal | None = None
    in_editor: bool = False
    kept: list[bytes] = field(default_factory=list)
    path: Path = Path("HEARTBEAT.md")
    _written: bytes | None = None

    def read(self, last_size: int | None, now: datetime) -> Reading:
        if doubtful(last_size, None if self.data is None else len(self.data)):
            self.pause(SECOND_LOOK)
        if self.refusal:
            return self.refusal
        return Missing(self.path) if self.data is None else self._snapshot(self.data)

    def write(
        self,
        base: Snapshot,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        ours = change(base.data)
        if ours is None or add(ours) == base.data:
            return Unchanged()
        if self.data is None or self.in_editor or self.refusal or doubtful(len(base.data), len(self.data)):
            return Postponed("The person is at the file.")
        merged = add(merge(base.data, ours, self.data))
        if merged == self.data:
            return Unchanged()
        if self.data not in (self._written, *self.kept):
            self.kept.append(self.data)
        ending = Written(self._snapshot(merged), merged=self.data != base.data)
        self.data = self._written = merged
        return ending

    def _snapshot(self, data: bytes) -> Snapshot:
        return Snapshot(self.path, data, Identity(0, 0, 0, 0, len(data)), fingerprint(data))


@dataclass
class FakeWatcher:
    """A `Watcher` that tells what the test says."""

    deliver: Callable[[frozenset[Path]], None]
    looks: int = 0
    followed: Path | None = None
    running: bool = False

    def start(self) -> None:
        self.running = True

    def look(self) -> None:
        self.looks += 1

    def follow(self, file: Path) -> None:
        self.followed = file

    def stop(self) -> None:
        self.running = False

    def change(self, *paths: Path) -> None:
        """The person has changed these files, and they have settled."""
        if self.running:
            self.deliver(frozenset(paths))


@dataclass
class FakeOwnerFile:
    """An `OwnerFile` in memory; `shared` is what the sync client carries between the machines."""

    machine: Machine
    shared: dict[str, Owner] = field(default_factory=dict)

    def read(self) -> Owner | None:
        return self.shared.get("owner")

    def claim(self, now: datetime) -> Owner:
        return self.shared.setdefault("owner", Owner(self.machine, now))

    def take_over(self, now: datetime) -> Owner:
        self.shared["owner"] = Owner(self.machine, now)
        return self.shared["owner"]
