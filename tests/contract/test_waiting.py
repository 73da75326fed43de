"""What core.ports.Waiting, Source and Waker promise, asked of this system's, of the one for other
systems, and of the fakes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from core.adapters.clock import SystemClock
from core.adapters.waiting.loop import PieceWaiting, TimerWaiting, WakeUp
from core.ports.waiting import Clock, Waiting, Waker
from tests.fakes.waiting import FakeClock, FakeWaiting, FakeWaker

A_MOMENT = timedelta(seconds=0.05)
LONG = timedelta(hours=1)


class SetWaker(Waker, Protocol):
    def set(self) -> None: ...


@dataclass
class Loop:
    """What a loop waits with."""

    clock: Clock
    waiting: Waiting
    waker: SetWaker

    def wait(self, *sources: Waker, until: timedelta | None) -> bool:
        moment = None if until is None else self.clock.now() + until
        return self.waiting.wait(sources or (self.waker,), moment)


@pytest.fixture(params=["timer", "pieces", "fake"])
def loop(request: pytest.FixtureRequest) -> Iterator[Loop]:
    if request.param == "fake":
        clock = FakeClock(datetime(2026, 11, 16, 9, 0, tzinfo=UTC))
        yield Loop(clock, FakeWaiting(clock), FakeWaker())
        return

    real = SystemClock()
    waiting = TimerWaiting(real) if request.param == "timer" else PieceWaiting(real)
    yield Loop(real, waiting, WakeUp())
    waiting.close()


class Impatient(FakeWaker):
    """A source that has no descriptor and asks to be handled after a while in any case."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.limit = seconds

    def wait_limit(self) -> float | None:
        return super().wait_limit() or self.limit


def test_the_moment_ends_the_wait(loop: Loop) -> None:
    end = loop.clock.now() + A_MOMENT
    while loop.clock.now() < end:  # it may return early
        assert loop.waiting.wait([loop.waker], end) is False
    assert loop.clock.now() - end < LONG


def test_without_a_source_that_has_a_descriptor_it_sleeps_instead_of_spinning(loop: Loop) -> None:
    before = loop.clock.now()
    assert loop.waiting.wait([], before + A_MOMENT) is False
    assert loop.clock.now() - before > A_MOMENT / 2


def test_a_moment_that_has_passed_ends_it_at_once(loop: Loop) -> None:
    before = loop.clock.now()
    assert loop.wait(until=-LONG) is False
    assert loop.clock.now() - before < LONG


def test_a_source_that_is_ready_ends_it_and_is_handled(loop: Loop) -> None:
    before = loop.clock.now()
    loop.waker.set()
    assert loop.wait(until=LONG) is False
    assert loop.clock.now() - before < LONG
    # It was handled: the next wait is not ended by it.
    end = loop.clock.now() + A_MOMENT
    while loop.clock.now() < end:
        loop.waiting.wait([loop.waker], end)
    assert loop.waker.take()


def test_a_wait_without_an_end_is_ended_by_a_source(loop: Loop) -> None:
    loop.waker.set()
    assert loop.wait(until=None) is False
    assert loop.waker.take()


def test_a_source_is_not_waited_for_longer_than_it_wants(loop: Loop) -> None:
    before = loop.clock.now()
    loop.wait(loop.waker, Impatient(0.05), until=LONG)
    assert loop.clock.now() - before < LONG


def test_a_request_stays_until_it_is_taken_and_is_taken_once(loop: Loop) -> None:
    assert not loop.waker.take()
    loop.waker.set()
    loop.waker.set()
    loop.waker.handle_ready()
    assert loop.waker.take()
    assert not loop.waker.take()


def test_the_fake_says_that_the_clock_was_set_once() -> None:
    clock = FakeClock(datetime(2026, 11, 16, 9, 0, tzinfo=UTC))
    waiting = FakeWaiting(clock)
    waiting.clock_was_set = True
    assert waiting.wait([], clock.now()) is True
    assert waiting.wait([], clock.now()) is False
