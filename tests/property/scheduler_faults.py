"""What ends a program in the middle of a beat, at any touch of a port, and the timer that a test
fires itself."""

from collections.abc import Callable
from typing import Any


class Killed(BaseException):
    """The program is gone, at this very point."""


class Fuse:
    """Burns at every touch of a port; at the last one the program is gone."""

    def __init__(self) -> None:
        self.left: int | None = None

    def burn(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                self.left = None
                raise Killed


class Fused:
    """A port that burns the fuse before and after each call."""

    def __init__(self, port: object, fuse: Fuse) -> None:
        self._port, self._fuse = port, fuse

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        if not callable(attribute):
            return Fused(attribute, self._fuse)  # a theme of the ledger

        def call(*arguments: Any, **named: Any) -> Any:
            self._fuse.burn()
            answer = attribute(*arguments, **named)
            self._fuse.burn()
            return answer

        return call


class TwoSeconds:
    """The timer of a beat that has lasted a while: it fires when a test says so."""

    current: "TwoSeconds | None" = None

    def __init__(self, _seconds: float, function: Callable[[], None]) -> None:
        self.function = function

    def start(self) -> None:
        TwoSeconds.current = self

    def cancel(self) -> None:
        TwoSeconds.current = None

    def join(self) -> None:
        pass
