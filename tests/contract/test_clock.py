"""What core.ports.Clock promises, asked of the system's clock and of the fake."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from core.adapters.clock import SystemClock
from core.ports.waiting import Clock
from tests.fakes.waiting import FakeClock

CLOCKS: dict[str, Callable[[], Clock]] = {
    "system": SystemClock,
    "fake": lambda: FakeClock(datetime(2026, 11, 16, 9, 0, tzinfo=UTC)),
}


@pytest.fixture(params=CLOCKS)
def clock(request: pytest.FixtureRequest) -> Clock:
    return CLOCKS[request.param]()


def test_now_is_in_utc(clock: Clock) -> None:
    assert clock.now().utcoffset() == timedelta()


def test_the_zone_gives_every_moment_a_place_in_the_persons_calendar(clock: Clock) -> None:
    there = clock.now().astimezone(clock.zone())
    assert there.utcoffset() is not None
    assert abs(there.replace(tzinfo=None) - clock.now().replace(tzinfo=None)) < timedelta(days=1)


def test_the_steady_clock_never_goes_back(clock: Clock) -> None:
    first = clock.monotonic()
    if isinstance(clock, FakeClock):
        clock.step(timedelta(days=-1))
    assert clock.monotonic() >= first


def test_the_fakes_two_clocks_go_on_together_and_only_one_is_set() -> None:
    clock = FakeClock(datetime(2026, 11, 16, 9, 0, tzinfo=UTC))
    clock.pass_time(timedelta(seconds=90))
    assert (clock.now().minute, clock.monotonic()) == (1, 90)
    clock.step(timedelta(hours=1))
    assert (clock.now().hour, clock.monotonic()) == (10, 90)
