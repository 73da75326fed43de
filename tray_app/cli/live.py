"""Show what a beat is doing: on a terminal one line that is redrawn every second, elsewhere only
how each item ended."""

import sys
import threading
from collections.abc import Callable
from typing import Self

import click

from tray_app.cli.call import may_redraw, terminal_width
from tray_app.cli.tables import LEAST_ROOM, columns_of, shortened

ERASE = "\r\x1b[2K"
LEAD = "  … "


class Live:
    """Called with an item when it starts, and with its finished line when it ends."""

    def __init__(
        self, monotonic: Callable[[], float], last_line: Callable[[str], str], *, quiet: bool
    ) -> None:
        """`last_line` returns what an item has printed last; empty if there is nothing."""
        self._monotonic = monotonic
        self._last_line = last_line
        self._quiet = quiet
        self._draws = not quiet and sys.stderr.isatty() and may_redraw()
        self._running: dict[str, float] = {}  # item -> since when
        self._lock = threading.Lock()
        self._over = threading.Event()

    def __enter__(self) -> Self:
        if self._draws:
            threading.Thread(target=self._redraw, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over.set()
            self._running.clear()
            self._draw()

    def __call__(self, item: str, finished: str | None) -> None:
        with self._lock:
            if finished is None:
                self._running[item] = self._monotonic()
            else:
                self._running.pop(item, None)
                if not self._quiet:
                    self._erase()
                    click.echo(finished, err=True)

            self._draw()

    def _redraw(self) -> None:
        while not self._over.wait(1):
            with self._lock:
                if not self._over.is_set():
                    self._draw()

    def _draw(self) -> None:
        if not self._draws:
            return

        self._erase()
        if self._running:
            line = f"{LEAD}{self._names()} {self._monotonic() - min(self._running.values()):.0f} s"
            printed = next(filter(None, map(self._last_line, self._running)), "")
            room = terminal_width() - 1 - columns_of(line) - len(": ")
            if printed and room > 0:
                line += f": {shortened(printed, room)}"

            click.echo(line, nl=False, err=True)

    def _names(self) -> str:
        """What runs, in half of the line: what it prints needs the rest."""
        return shortened(", ".join(self._running), max(terminal_width() // 2, LEAST_ROOM))

    def _erase(self) -> None:
        # Not with click: without colours it would take the control characters out.
        if self._draws:
            sys.stderr.write(ERASE)
            sys.stderr.flush()
