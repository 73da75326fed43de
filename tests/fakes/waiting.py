"""Fakes of what the always-on process waits for: time, wake-ups, and who owns a workspace.
Law: no time is spent, a test moves the clock."""

import select
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from core.model.holder import Machine, Owner
from core.ports.waiting import Source


class FakeClock:
    """A clock that only a test moves."""

    def __init__(self, moment: datetime, place: tzinfo = UTC) -> None:
        self.moment = moment.astimezone(UTC)
        self.place = place
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.moment

    def zone(self) -> tzinfo:
        return self.place

    def monotonic(self) -> float:
        return self.seconds

    def pass_time(self, duration: timedelta) -> None:
        self.moment += duration
        self.seconds += duration.total_seconds()

    def step(self, by: timedelta) -> None:
        """What a person or a time server does to a clock."""
        self.moment += by


class FakeWaiting:
    """A wait in which something happens at once, or the clock moves on to where it ends."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.waits: list[datetime | None] = []
        self.sources: list[Source] = []  # of the last wait
        self.happenings: list[Callable[[], None]] = []  # one per wait; without one time passes
        self.clock_was_set = False

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        self.waits.append(until)
        self.sources = list(sources)

        if self.happenings:
            self.happenings.pop(0)()
        elif not any(is_ready(source) for source in sources):
            self._sleep(sources, until)

        for source in sources:
            if is_ready(source):
                source.handle_ready()

        was_set = self.clock_was_set
        self.clock_was_set = False
        return was_set

    def _sleep(self, sources: Sequence[Source], until: datetime | None) -> None:
        now = self._clock.now()
        ends = [now + timedelta(seconds=limit) for one in sources if (limit := one.wait_limit())]
        if until is not None:
            ends.append(until)
        if ends:
            self._clock.pass_time(max(min(ends) - now, timedelta()))


def is_ready(source: Source) -> bool:
    if source.wait_limit() == 0:
        return True

    number = source.fileno()
    return number >= 0 and bool(select.select([number], [], [], 0)[0])


class FakeWaker:
    """A wake-up request without a descriptor: it asks to be handled at once instead."""

    def __init__(self) -> None:
        self._is_set = False
        self._rings = False

    def set(self) -> None:
        self._is_set = True
        self._rings = True

    def take(self) -> bool:
        taken = self._is_set
        self._is_set = False
        return taken

    def fileno(self) -> int:
        return -1

    def wait_limit(self) -> float | None:
        return 0 if self._rings else None

    def handle_ready(self) -> None:
        self._rings = False


@dataclass
class FakeWatcher:
    """A `Watcher` that tells what the test says."""

    deliver: Callable[[frozenset[Path]], None] = lambda _: None
    checks: int = 0
    followed: Path | None = None
    is_watching: bool = False

    def start(self) -> None:
        self.is_watching = True

    def check(self) -> None:
        self.checks += 1

    def follow(self, file: Path) -> None:
        self.followed = file

    def stop(self) -> None:
        self.is_watching = False

    def change(self, *paths: Path) -> None:
        """The person has changed these files, and they have settled."""
        if self.is_watching:
            self.deliver(frozenset(paths))


@dataclass
class SharedFolder:
    """What the sync client carries between the machines."""

    owner: Owner | None = None


@dataclass
class FakeOwnerFile:
    machine: Machine
    shared: SharedFolder = field(default_factory=SharedFolder)

    def read(self) -> Owner | None:
        return self.shared.owner

    def claim(self, now: datetime) -> Owner:
        return self.shared.owner or self.take_over(now)

    def take_over(self, now: datetime) -> Owner:
        self.shared.owner = Owner(self.machine, now.astimezone(UTC))
        return self.shared.owner
