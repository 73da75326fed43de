"""Work that may hang is waited for, but no longer than it may take."""

import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

import pytest

from core.adapters.timeouts import POLL_INTERVAL, GaveUpError, within
from core.adapters.waiting.cancellation import CancelSwitch

LONG = 60.0  # seconds: nothing here may take as long


@pytest.fixture
def stuck() -> Iterator[threading.Event]:
    """Work that waits for it is stuck until the test is over."""
    event = threading.Event()
    yield event
    event.set()


def test_what_the_work_returns_or_raises_comes_back() -> None:
    assert within(LONG, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        within(LONG, lambda: 1 / 0)


def test_when_the_time_is_up_it_is_left_alone(stuck: threading.Event) -> None:
    began = time.monotonic()
    with pytest.raises(GaveUpError):
        within(0.05, lambda: stuck.wait(LONG))
    assert time.monotonic() - began < LONG


def test_a_cancellation_that_was_there_before_ends_it(stuck: threading.Event) -> None:
    cancelled = CancelSwitch()
    cancelled.set()
    with pytest.raises(GaveUpError):
        within(LONG, lambda: stuck.wait(LONG), cancelled)


def test_a_slow_signal_handler_does_not_make_it_wait_for_ever(stuck: threading.Event) -> None:
    """A Ctrl-C arrives during the wait, and its handler takes longer than what is left of one
    poll. `SimpleQueue.get` of Python 3.11 then waits without any timeout."""
    cancelled = CancelSwitch()

    def end(_number: int, _frame: FrameType | None) -> None:
        time.sleep(3 * POLL_INTERVAL)
        cancelled.set()

    before = signal.signal(signal.SIGUSR1, end)
    main = threading.main_thread().ident
    assert main is not None
    assert threading.current_thread() is threading.main_thread()
    soon = threading.Timer(POLL_INTERVAL / 2, signal.pthread_kill, (main, signal.SIGUSR1))
    began = time.monotonic()
    try:
        soon.start()
        with pytest.raises(GaveUpError):
            within(2 * LONG, lambda: stuck.wait(LONG), cancelled)
    finally:
        soon.join()
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - began < LONG
