"""Waits for work that may hang, no longer than is said: a server that sends a byte a minute, a keyring that asks."""

from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NoReturn, TypeVar

from core.ports import Cancellation

T = TypeVar("T")

LOOK = 0.1  # seconds until a wish to cancel is noticed


class GaveUpError(Exception):
    """The time was up, or somebody wanted it to end."""


def within(seconds: float, work: Callable[[], T], cancelled: Cancellation | None = None) -> T:
    """What the work returns or raises. Given up, its thread goes on, and ends with the process at the latest."""
    endings: SimpleQueue[Callable[[], T]] = SimpleQueue()

    def do() -> None:
        try:
            result = work()
        except BaseException as error:
            endings.put(partial(_raise, error))
        else:
            endings.put(lambda: result)

    Thread(target=do, name="patience", daemon=True).start()
    left = seconds
    while left > 0 and not (cancelled and cancelled.is_set()):
        try:
            end = endings.get(timeout=min(left, LOOK) if cancelled else left)
        except Empty:
            left -= LOOK if cancelled else left
            continue
        return end()
    raise GaveUpError


def _raise(error: BaseException) -> NoReturn:
    raise error
