"""The icon in a real tray of the old kind, trayer, on a desktop that has no other."""

import signal
import subprocess
from collections.abc import Iterator

import pytest

from core.model.status import WorkspaceState
from tests.desktop.desktop import Box, Desktop, wait_for
from tests.desktop.icon_colour import colour_of
from tests.desktop.tray_on_panel import TrayOnPanel

WAITING = "This desktop shows no tray at the moment; the icon appears as soon as it does."


class OldDesktop:
    """The desktop's panel is gone; a tray of the old kind comes and goes."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop = desktop
        self._tray: subprocess.Popen[bytes] | None = None

    def start_tray(self) -> None:
        words = [
            "--edge",
            "bottom",
            "--align",
            "left",
            "--height",
            "30",
            "--width",
            "20",
            "--transparent",
            "false",
        ]
        self._tray = self.desktop.run("trayer", *words)
        wait_for(lambda: self.desktop.windows_named("panel"), "the old tray")
        wait_for(self.desktop.has_old_tray, "the old tray to take icons")

    def stop_tray(self) -> None:
        if self._tray:
            self.desktop.end(self._tray)
            wait_for(lambda: not self.desktop.windows_named("panel"), "the old tray to be gone")
            self._tray = None

    def pixels_of(self, state: WorkspaceState) -> list[tuple[int, int]]:
        """Where the screen has the colour of that state."""
        shot, wanted = self.desktop.shot().convert("RGB"), colour_of(state)
        pixels = shot.load()
        assert pixels
        return [(x, y) for y in range(540, 600) for x in range(300) if pixels[x, y] == wanted]

    def wait_for_icon(self, state: WorkspaceState = WorkspaceState.IDLE) -> Box:
        """Where it is, as soon as all of it can be seen."""

        def look() -> Box | None:
            found = self.pixels_of(state)
            columns, rows = [x for x, _ in found], [y for _, y in found]
            box = (min(columns), min(rows), max(columns), max(rows)) if found else None
            return box if box and 12 <= box[2] - box[0] <= 30 else None

        return wait_for(look, f"the icon of {state} in the old tray")


@pytest.fixture
def old(desktop: Desktop) -> Iterator[OldDesktop]:
    desktop.stop_panel()
    old = OldDesktop(desktop)
    yield old
    old.stop_tray()
    desktop.start_panel()


def test_the_icon_is_in_the_old_tray_and_a_click_opens_the_file(old: OldDesktop) -> None:
    old.start_tray()
    with TrayOnPanel(old.desktop) as tray:
        left, top, right, bottom = old.wait_for_icon()
        old.desktop.click((left + right) // 2, (top + bottom) // 2)
        tray.wait_until_said("command: open")
        assert tray.said() == ["command: open"]  # and no word of waiting


def test_its_colour_follows_the_state_and_a_running_beat_moves_it(old: OldDesktop) -> None:
    old.start_tray()
    with TrayOnPanel(old.desktop) as tray:
        old.wait_for_icon()
        tray.show("error")
        old.wait_for_icon(WorkspaceState.ERROR)
        assert old.pixels_of(WorkspaceState.IDLE) == []
        tray.show("running")
        old.wait_for_icon(WorkspaceState.RUNNING)
        first = old.pixels_of(WorkspaceState.RUNNING)
        wait_for(
            lambda: old.pixels_of(WorkspaceState.RUNNING) not in ([], first), "the icon to move"
        )


def test_an_old_tray_that_comes_late_or_comes_back_gets_the_icon(old: OldDesktop) -> None:
    with TrayOnPanel(old.desktop) as tray:
        tray.wait_until_said(WAITING)
        old.start_tray()
        old.wait_for_icon()
        old.stop_tray()
        old.start_tray()
        old.wait_for_icon()
        tray.show("quit")
        assert tray.program.wait(15) == 0


def test_an_old_tray_that_is_replaced_while_the_program_is_held_up_gets_the_icon(
    old: OldDesktop,
) -> None:
    """It hears of the end of the one and of the start of the other at once."""
    old.start_tray()
    with TrayOnPanel(old.desktop) as tray:
        old.wait_for_icon()
        tray.program.send_signal(signal.SIGSTOP)
        old.stop_tray()
        old.start_tray()
        tray.program.send_signal(signal.SIGCONT)
        old.wait_for_icon()


def test_a_panel_of_the_new_kind_takes_the_icon_over(old: OldDesktop) -> None:
    old.start_tray()
    with TrayOnPanel(old.desktop) as tray:
        old.wait_for_icon()
        old.desktop.start_panel()
        tray.wait_until_visible()
        wait_for(lambda: not old.pixels_of(WorkspaceState.IDLE), "the old tray's icon to go")
        tray.choose("Run now")
        tray.wait_until_said("command: run")
    old.desktop.stop_panel()
