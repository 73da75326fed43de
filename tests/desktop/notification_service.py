"""A real notification daemon, dunst, on a private desktop: what it shows is noted, and its
buttons can be pressed."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.desktop.desktop import Box, Desktop, wait_for

SERVICE = "org.freedesktop.Notifications"

CONFIG = """[global]
    monitor = 0
    origin = bottom-left
    offset = 20x20
    width = 360
    height = 200
    font = DejaVu Sans 10
    show_indicators = no
    frame_width = 1
    padding = 12
    horizontal_padding = 14
    dmenu = {chooser}
    mouse_left_click = do_action
    timeout = 0
    show_age_threshold = -1
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
    background = "#2e3440"
    foreground = "#eceff4"
    frame_color = "#4c566a"
[urgency_critical]
    timeout = 0
    background = "#2e3440"
    foreground = "#eceff4"
    frame_color = "#bf616a"
[everything]
    appname = "*"
    script = {noter}
"""

NOTER = """#!/bin/sh
printf '%s\\t%s\\t%s\\n' "$DUNST_ID" "$DUNST_SUMMARY" "$(printf %s "$DUNST_BODY" | tr '\\n' ' ')" >> {shown}
"""

CHOOSER = """#!/bin/sh
tee {offered} | grep -F "$(cat {wanted})" | head -n 1
"""


class Shown(NamedTuple):
    number: int
    title: str
    message: str


class NotificationService:
    def __init__(self, desktop: Desktop) -> None:
        self.desktop = desktop
        self._folder = Path(desktop.environment["XDG_CONFIG_HOME"]) / "dunst"
        self._folder.mkdir(exist_ok=True)
        self._files = {
            name: self._folder / name for name in ("shown", "wanted", "offered", "noter", "chooser")
        }
        names = {name: shlex.quote(str(path)) for name, path in self._files.items()}
        for name, text in (("noter", NOTER), ("chooser", CHOOSER)):
            self._files[name].write_text(text.format(**names))
            self._files[name].chmod(0o700)
        (self._folder / "dunstrc").write_text(CONFIG.format(**names))

    def start(self) -> None:
        for name in ("shown", "offered"):
            self._files[name].unlink(missing_ok=True)
        self._process = self.desktop.run("dunst")
        wait_for(lambda: self.desktop.has_owner(SERVICE), "the notification daemon")

    def stop(self) -> None:
        self.desktop.end(self._process)
        wait_for(lambda: not self.desktop.has_owner(SERVICE), "the notification daemon to be gone")

    def shown(self) -> list[Shown]:
        """Every notification so far, oldest first."""
        path = self._files["shown"]
        rows = [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []
        return [Shown(int(number), title, message) for number, title, message in rows]

    def titles(self) -> list[str]:
        """Without the name of the workspace, which ends most of them."""
        return [without_name(one.title) for one in self.shown()]

    def wait_for_title(self, title: str, times: int = 1) -> Shown:
        wait_for(
            lambda: self.titles().count(title) >= times,
            f"the notification '{title}' in {self.titles()}",
            30,
        )
        return [one for one in self.shown() if without_name(one.title) == title][-1]

    def press(self, label: str, of: str) -> None:
        """Choose a button of a notification that is on the screen, as a person does in the
        daemon's own menu."""
        self._files["wanted"].write_text(f"#{label} ({of}")
        self._files["offered"].unlink(missing_ok=True)
        self.control("context")
        wait_for(lambda: label in self.offered(), f"the button '{label}'")

    def offered(self) -> str:
        path = self._files["offered"]
        return path.read_text() if path.exists() else ""

    def control(self, *words: str) -> str:
        done = subprocess.run(
            ["dunstctl", *words],
            env=self.desktop.environment | {"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def close_all(self) -> None:
        self.control("close-all")

    def box(self) -> Box:
        """Where the notifications are on the screen."""
        return wait_for(lambda: self.desktop.windows_named("Dunst"), "the notification's window")[0]


def without_name(title: str) -> str:
    return title.partition(" · ")[0]
