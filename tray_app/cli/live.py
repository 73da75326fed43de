"""Show what a beat is doing: on a terminal one line that is redrawn every second, elsewhere only
how each item ended."""

import sys
import threading
from collections.abc import Callable
from typing import Self

import click

from tray_app.cli.call import may_redraw, terminal_width
from tray_app.cli.tables import LEAST_ROOM, shortened

ERASE = "\r\x1b[2K"
LEAD = "  … "


class Live:
    """Called with an item when it starts, and with its finished line when it ends."""

    def __init__(self, monotonic: Callable[[], float], *, quiet: bool) -> None:
        self._monotonic = monotonic
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
            since = f" {self._monotonic() - min(self._running.values()):.0f} s"
            room = max(terminal_width() - len(LEAD) - len(since) - 1, LEAST_ROOM)
            names = shortened(", ".join(self._running), room)
            click.echo(LEAD + names + since, nl=False, err=True)

    def _erase(self) -> None:
        # Not with click: without colours it would take the control characters out.
        if self._draws:
            sys.stderr.write(ERASE)
            sys.stderr.flush()
