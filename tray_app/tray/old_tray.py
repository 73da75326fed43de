"""The icon in a system tray of the old kind (XEmbed), for desktops that have no other: it can be
clicked but has no menu.

Such a tray gives us a window; the window's shape is the icon and its background the colour, so
nothing is ever painted.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from tray_app.tray.icon_files import Pixmap

REQUEST_DOCK = 0
XEMBED_VERSION = 0
XEMBED_MAPPED = 1
FIRST_SIZE = 22  # until the tray says how large
OPAQUE = 128  # of 255: a window has no half-transparent edges


class OldTray:
    """A source of the loop. Until it is opened it costs nothing, not even an import of Xlib."""

    def __init__(self, on_click: Callable[[], None]) -> None:
        self._on_click = on_click
        self._display: Any = None
        self._window: Any = None
        self._pixmaps: list[Pixmap] = []
        self._width = FIRST_SIZE
        self._height = FIRST_SIZE

    @property
    def is_docked(self) -> bool:
        return self._window is not None

    def open(self, pixmaps: list[Pixmap]) -> bool:
        """Show the icon, and return whether there is such a tray. If not, wait for one to start."""
        self._pixmaps = pixmaps
        if self._display is None and os.environ.get("DISPLAY"):
            self._connect()
        if self._display is not None:
            self._guarded(self._dock)

        return self.is_docked

    def close(self) -> None:
        if self._display is not None:
            with suppress(Exception):  # the display itself may be gone
                self._display.close()

        self._display = None
        self._window = None

    def show(self, pixmaps: list[Pixmap]) -> None:
        self._pixmaps = pixmaps
        if self.is_docked:
            self._guarded(self._draw)

    def fileno(self) -> int:
        number: int = self._display.fileno() if self._display is not None else -1
        return number

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        if self._display is not None:
            self._guarded()

    def _connect(self) -> None:
        from Xlib import X, display
        from Xlib.error import DisplayError

        with suppress(DisplayError, OSError):
            self._display = display.Display()
            # Errors do not matter: for example, the tray ended before it got our request.
            self._display.set_error_handler(lambda *_: None)

            # A tray that starts announces itself on the root window.
            self._root = self._display.screen().root
            self._root.change_attributes(event_mask=X.StructureNotifyMask)
            self._selection = self._display.intern_atom(
                f"_NET_SYSTEM_TRAY_S{self._display.get_default_screen()}"
            )

    def _guarded(self, action: Callable[[], None] = lambda: None) -> None:
        """Do it, and handle the events that arrived meanwhile: those that the library has already
        read do not wake the loop. If the display is gone, the icon goes, but not the program."""
        from Xlib.error import ConnectionClosedError

        try:
            action()
            self._handle_events()
            if self._display is not None:
                self._display.flush()
        except (ConnectionClosedError, OSError):
            self.close()

    def _dock(self) -> None:
        from Xlib import X, Xutil
        from Xlib.protocol.event import ClientMessage

        owner = self._display.get_selection_owner(self._selection)
        if owner == X.NONE or self._window is not None:
            return

        self._width = self._height = FIRST_SIZE
        self._window = self._root.create_window(
            *(-1, -1, FIRST_SIZE, FIRST_SIZE, 0, X.CopyFromParent),
            event_mask=X.StructureNotifyMask | X.ButtonPressMask,
        )

        self._window.set_wm_class("heartbeat", "Heartbeat")
        self._window.set_wm_name("Heartbeat")

        # Without a smallest size some trays give one pixel.
        size = {"min_width": FIRST_SIZE, "min_height": FIRST_SIZE}
        self._window.set_wm_normal_hints(flags=Xutil.PMinSize, **size)

        info = self._display.intern_atom("_XEMBED_INFO")
        self._window.change_property(info, info, 32, [XEMBED_VERSION, XEMBED_MAPPED])
        self._draw()

        opcode = self._display.intern_atom("_NET_SYSTEM_TRAY_OPCODE")
        data = (32, [X.CurrentTime, REQUEST_DOCK, self._window.id, 0, 0])
        owner.send_event(
            ClientMessage(window=owner, client_type=opcode, data=data), event_mask=X.NoEventMask
        )

    def _handle_events(self) -> None:
        from Xlib import X

        while self._display is not None and self._display.pending_events():
            event = self._display.next_event()
            match event.type:
                case X.ButtonPress:
                    self._on_click()
                case X.ConfigureNotify if event.window == self._window:
                    self._width = event.width
                    self._height = event.height
                    self._draw()
                case X.ReparentNotify if (event.window, event.parent) == (self._window, self._root):
                    self._drop()  # the tray that held it is gone
                case X.DestroyNotify if event.window == self._window:
                    self._window = None
                case X.ClientMessage if event.data[1][1] == self._selection:
                    self._drop()  # what an earlier tray was asked for
                    self._dock()

    def _drop(self) -> None:
        """Forget the window at once. If its end were waited for, a tray that starts meanwhile would
        not be asked."""
        if self._window is not None:
            self._window.destroy()

        self._window = None

    def _draw(self) -> None:
        from Xlib.ext import shape

        room = min(self._width, self._height)
        fitting = [one for one in self._pixmaps if one[0] <= room] or self._pixmaps[:1]
        width, height, argb = fitting[-1]
        red, green, blue = (part * 257 for part in colour(argb))  # X counts to 65535
        pixel = self._display.screen().default_colormap.alloc_color(red, green, blue).pixel
        self._window.change_attributes(background_pixel=pixel)
        self._window.clear_area()

        left = (self._width - width) // 2
        top = (self._height - height) // 2
        self._window.shape_rectangles(
            shape.SO.Set, shape.SK.Bounding, 0, left, top, list(runs(width, argb))
        )


def colour(argb: bytes) -> bytes:
    """The one colour of an icon."""
    strongest = max(range(0, len(argb), 4), key=lambda at: argb[at])
    return argb[strongest + 1 : strongest + 4]


def runs(width: int, argb: bytes) -> Iterator[tuple[int, int, int, int]]:
    """The opaque pixels as rectangles of one row each: x, y, width, height."""
    for y in range(len(argb) // 4 // width):
        row = argb[4 * width * y : 4 * width * (y + 1) : 4]
        start = None
        for x in range(width + 1):
            is_opaque = x < width and row[x] >= OPAQUE
            if is_opaque and start is None:
                start = x
            elif not is_opaque and start is not None:
                yield (start, y, x - start, 1)
                start = None
