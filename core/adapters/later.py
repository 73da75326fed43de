"""Stands for something until it is used: a beat that has nothing to do makes and imports none of it."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _Later:
    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._made: object = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)


def later(make: Callable[[], T]) -> T:
    """What `make` returns, made at its first use."""
    return cast(T, _Later(make))
