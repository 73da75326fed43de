"""Takes the pictures of the README: `python -m tests.desktop.take_screenshots`. A real tray on a real panel."""

import tempfile
from pathlib import Path

from core.model.status import State
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.heartbeat_tray import LATER, HeartbeatTray
from tests.desktop.test_tray import colour_of
from tests.e2e.machine import Machine

FOLDER = Path(__file__).parents[2] / "assets" / "screenshots"
MARGIN = 12


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "desktop").mkdir()
        desktop = Desktop(Path(folder) / "desktop")
        desktop.start()
        try:
            machine = Machine(Path(folder))
            machine.write(LATER)
            with HeartbeatTray(desktop, machine) as heart:
                heart.wait_until_visible()
                wait_for(lambda: colour_of(State.IDLE) in heart.colours(), "the idle icon")
                wait_for(lambda: heart.labels()[0].startswith("Next beat"), "the next beat")
                heart.open_menu()
                left, _, right, bottom = wait_for(desktop.menus, "the menu")[0]
                icon = heart.wait_until_visible()
                shot = desktop.shot()
                start, end = max(min(left, icon[0]) - MARGIN, 0), min(max(right, icon[2]) + MARGIN, shot.width)
                shot.crop((start, 0, end, max(bottom, icon[3]) + MARGIN)).save(FOLDER / "tray-menu.png")
        finally:
            desktop.stop()


if __name__ == "__main__":
    main()
