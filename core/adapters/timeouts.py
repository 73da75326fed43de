"""Waits for work that may hang, but no longer than a timeout: a server that sends one byte per
minute, a keyring that asks for its password."""

from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from typing import NoReturn, TypeVar

from core.ports.processes import Cancellation

T = TypeVar("T")

POLL_INTERVAL = 0.1  # seconds until a cancellation is noticed


class GaveUpError(Exception):
    """The time was up, or the work was cancelled."""


def within(seconds: float, work: Callable[[], T], cancelled: Cancellation | None = None) -> T:
    """Return or raise what the work does. When we give up, its thread goes on until it is done or
    the process ends."""
    endings: list[Callable[[], T]] = []
    is_over = Event()

    def do() -> None:
        try:
            result = work()
        except BaseException as error:
            endings.append(partial(_raise, error))
        else:
            endings.append(lambda: result)

        is_over.set()

    Thread(target=do, name="timeout", daemon=True).start()
    left = seconds
    longest = POLL_INTERVAL if cancelled else seconds

    while left > 0 and not (cancelled and cancelled.is_set()):
        # An event and not a queue: if a signal's handler outlasts the timeout, `SimpleQueue.get` of
        # Python 3.11 waits for ever.
        if is_over.wait(min(left, longest)):
            return endings[0]()

        left -= longest

    raise GaveUpError


def _raise(error: BaseException) -> NoReturn:
    raise error
