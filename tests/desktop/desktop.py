"""A private desktop for tests: an X display, a session bus and a panel, all real, with a
mouse and screenshots.

Everything lives under one temporary folder and ends by its process id; the desktop of the person
who runs the tests is not touched.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    message_bus,
    new_method_call,
)
from jeepney.bus_messages import Monitoring
from jeepney.io.blocking import open_dbus_connection
from PIL import Image, ImageChops, ImageGrab
from Xlib import XK, X, display
from Xlib.error import BadDrawable, BadWindow
from Xlib.ext import xtest

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 1024, 600
PANEL_HEIGHT = 32
NOWHERE = (500, 300)  # for the mouse: over the icon it would colour it
WATCHER = "org.kde.StatusNotifierWatcher"
KEYS = {"\n": XK.XK_Return, "-": XK.XK_minus, " ": XK.XK_space}

BUS_CONFIG = """<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>"""

PANEL_CONFIG = f"""<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="{PANEL_HEIGHT}"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray"/>
  </property>
</channel>
"""

Box = tuple[int, int, int, int]
Found = TypeVar("Found")


def wait_for(look: Callable[[], Found | None], what: str, seconds: float = 15) -> Found:
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.02)
    return found


class Desktop:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "GTK_A11Y": "none",
            "NO_AT_BRIDGE": "1",
        }
        for name in ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR"):
            place = folder / name.lower()
            place.mkdir(mode=0o700)
            self.environment[f"XDG_{name}"] = str(place)

    def start(self) -> None:
        self.start_display()
        self.start_bus()
        channels = Path(self.environment["XDG_CONFIG_HOME"]) / "xfce4/xfconf/xfce-perchannel-xml"
        channels.mkdir(parents=True)
        (channels / "xfce4-panel.xml").write_text(PANEL_CONFIG)
        (settings_daemon,) = Path("/usr/lib").glob("*/xfce4/xfconf/xfconfd")
        self.run(str(settings_daemon))
        wait_for(lambda: self.has_owner("org.xfce.Xfconf"), "the panel's settings")
        self.start_panel()
        self.empty_panel = self.panel_shot()

    def start_display(self) -> None:
        self.environment["DISPLAY"] = ":" + self._start_telling(
            "Xvfb", "-displayfd", "{}", "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"
        )
        self._display = display.Display(self.environment["DISPLAY"])

    def start_bus(self) -> subprocess.Popen[bytes]:
        """A session bus that starts no service by itself, where a session has it by default."""
        config = self.folder / "bus.conf"
        config.write_text(
            BUS_CONFIG.format(socket=Path(self.environment["XDG_RUNTIME_DIR"]) / "bus")
        )
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self._start_telling(
            "dbus-daemon",
            f"--config-file={config}",
            "--nofork",
            "--nopidfile",
            "--print-address={}",
        )
        self._bus = open_dbus_connection(self.environment["DBUS_SESSION_BUS_ADDRESS"])
        return self._processes[-1]

    def start_panel(self) -> None:
        """Also waits until it is drawn and has a tray."""
        self.panel = self.run("xfce4-panel", "--disable-wm-check")
        wait_for(lambda: self.has_owner(WATCHER), "the panel's tray")
        wait_for(self._panel_is_drawn, "the panel to be drawn")

    def stop_panel(self) -> None:
        self.end(self.panel)
        wait_for(lambda: not self.has_owner(WATCHER), "the panel's tray to be gone")

    def _panel_is_drawn(self) -> bool:
        shot = self.panel_shot()
        time.sleep(0.1)  # how long a picture must stay the same to count as finished
        return shot.getpixel((WIDTH // 2, PANEL_HEIGHT // 2)) != (0, 0, 0) and not difference(
            shot, self.panel_shot()
        )

    def has_owner(self, name: str) -> bool:
        return bool(self.ask(message_bus.NameHasOwner(name))[0])

    def call(
        self, owner: str, path: str, name: str, takes: str = "", arguments: tuple[Any, ...] = ()
    ) -> Any:
        """What a method (interface and name) of a program on the bus answers."""
        interface, _, method = name.rpartition(".")
        return self.ask(
            new_method_call(DBusAddress(path, owner, interface), method, takes or None, arguments)
        )

    def ask(self, message: Message) -> Any:
        answer = self._bus.send_and_get_reply(message, timeout=10)
        if answer.header.message_type is MessageType.error:
            raise DBusErrorResponse(answer)
        return answer.body

    def run(
        self,
        *command: str,
        stdin: int = subprocess.DEVNULL,
        stdout: IO[bytes] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.Popen[bytes]:
        """Start a program on this desktop, in a process group of its own."""
        with open(self.folder / f"{Path(command[0]).name}.log", "ab") as log:
            process = subprocess.Popen(
                command,
                env=self.environment,
                cwd=ROOT,
                start_new_session=True,
                stdin=stdin,
                stdout=stdout or log,
                stderr=log,
                pass_fds=pass_fds,
            )
        self._processes.append(process)
        return process

    def _start_telling(self, *command: str) -> str:
        """Start a program that writes one line to a descriptor when it is ready; that line."""
        reading, writing = os.pipe()
        self.run(*(word.format(writing) for word in command), pass_fds=(writing,))
        os.close(writing)
        with open(reading, encoding="utf-8") as answer:
            return (
                answer.readline().strip()
            )  # a whole line: Xvfb dies where the pipe is closed too early

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """With its children, and at once: nothing here has anything to save."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdin:
            process.stdin.close()

    def stop(self) -> None:
        for connection in ("_display", "_bus"):
            if hasattr(self, connection):
                getattr(self, connection).close()
        for process in reversed(self._processes):
            self.end(process)

    def colour_background(self, colour: int) -> None:
        root = self._display.screen().root
        root.change_attributes(background_pixel=colour)
        root.clear_area()
        self._display.sync()

    def has_old_tray(self) -> bool:
        """Whether a tray of the old kind takes icons."""
        selection = self._display.intern_atom("_NET_SYSTEM_TRAY_S0")
        return bool(self._display.get_selection_owner(selection) != X.NONE)

    def shot(self) -> Image.Image:
        return ImageGrab.grab(xdisplay=self.environment["DISPLAY"])

    def panel_shot(self) -> Image.Image:
        return self.shot().crop((0, 0, WIDTH, PANEL_HEIGHT))

    def click(self, x: int, y: int) -> None:
        self.move(x, y)
        for event in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(self._display, event, 1)
        self._display.sync()

    def move(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()

    def type_into(self, box: Box, text: str, until: Callable[[], bool]) -> None:
        """Click into a window and type; again where the window was not ready to listen."""
        for patience in (10, 10, 15):
            self.click((box[0] + box[2]) // 2, (box[1] + box[3]) // 2)
            for character in text:
                self.press(KEYS.get(character) or XK.string_to_keysym(character))
            with suppress(AssertionError) if patience == 10 else nullcontext():
                wait_for(until, f"what typing {text!r} should do", patience)
                return

    def press(self, key: int) -> None:
        """Press and let go a key, by its X keysym."""
        code = self._display.keysym_to_keycode(key)
        for event in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, event, code)
        self._display.sync()

    def menus(self) -> list[Box]:
        """The boxes of all open menus, in the order in which they were opened."""
        return self._windows_of_kind(
            "_NET_WM_WINDOW_TYPE_POPUP_MENU", "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU"
        )

    def windows_named(self, name: str) -> list[Box]:
        """The boxes of all windows on the screen of a program's class."""
        boxes = []
        for window in self._display.screen().root.query_tree().children:
            with suppress(BadWindow, BadDrawable):
                if (
                    name in (window.get_wm_class() or ())
                    and window.get_attributes().map_state == X.IsViewable
                ):
                    place = window.get_geometry()
                    boxes.append((place.x, place.y, place.x + place.width, place.y + place.height))
        return boxes

    def _windows_of_kind(self, *kinds: str) -> list[Box]:
        kind_of_window = self._display.intern_atom("_NET_WM_WINDOW_TYPE")
        wanted = {self._display.intern_atom(kind) for kind in kinds}
        boxes = []
        for window in self._display.screen().root.query_tree().children:
            with suppress(BadWindow, BadDrawable):  # closed while we look
                kind = window.get_full_property(kind_of_window, X.AnyPropertyType)
                if (
                    kind
                    and wanted & set(kind.value)
                    and window.get_attributes().map_state == X.IsViewable
                ):
                    place = window.get_geometry()
                    boxes.append((place.x, place.y, place.x + place.width, place.y + place.height))
        return boxes


class Signals:
    """Hears every signal that one program on the bus sends, from now on."""

    def __init__(self, desktop: Desktop, sender: str) -> None:
        self._bus = open_dbus_connection(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
        self._sender = sender
        self._bus.send_and_get_reply(message_bus.AddMatch(MatchRule(type="signal", sender=sender)))

    def heard(self) -> list[str]:
        """The names of those that have come in since the last time."""
        names = []
        with suppress(TimeoutError):
            while True:
                fields = self._bus.receive(timeout=0).header.fields
                if fields[HeaderFields.sender] == self._sender:
                    names.append(fields[HeaderFields.member])
        return names

    def close(self) -> None:
        self._bus.close()


class MenuClicks:
    """Sees on the bus which entries of a tray menu the panel reports as clicked, from now on."""

    def __init__(self, desktop: Desktop) -> None:
        self._bus = open_dbus_connection(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
        calls = MatchRule(type="method_call", interface="com.canonical.dbusmenu")
        self._bus.send_and_get_reply(Monitoring().BecomeMonitor([calls.serialise()]), timeout=10)
        self._seen: list[int] = []

    def seen(self) -> list[int]:
        """The numbers of the entries, in the order of the clicks."""
        with suppress(TimeoutError):
            while True:
                self._seen += clicked_entries(self._bus.receive(timeout=0))
        return self._seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bus.close()


def clicked_entries(message: Message) -> list[int]:
    """A panel reports what happens to a menu one by one, or several in a group."""
    match message.header.fields.get(HeaderFields.member):
        case "Event":
            events = [message.body]
        case "EventGroup":
            events = message.body[0]
        case _:
            events = []
    return [number for number, event, *_ in events if event == "clicked"]


def difference(one: Image.Image, other: Image.Image) -> Box | None:
    """The smallest box around all pixels that differ."""
    return ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox()
