"""Takes the pictures of the README: `python -m tests.desktop.take_screenshots`. A real tray on a
real panel."""

import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from core.model.status import WorkspaceState
from tests.desktop.desktop import Box, Desktop, wait_for
from tests.desktop.heartbeat_tray import HeartbeatTray
from tests.desktop.notification_service import NotificationService
from tests.e2e.machine import Machine
from tray_app.tray.icon_files import SIZES, icon_path
from tray_app.tray.tray import picture

FOLDER = Path(__file__).parents[2] / "assets" / "screenshots"
MARGIN = 12
BEATS = 4
WORKSPACE = """# My day

## Tasks

- [ ] daily_page | Keep a page for today | run: touch today.md | verify: file:today.md
- [ ] file_list | Keep a list of the files here | run: ls -1 > files.txt | verify: file:files.txt size>0
- [ ] disk_room | See that the disk has room | run: df -P . > disk.txt | verify: file:disk.txt size>0

## Pending Actions

### [HIGH] Back the notes up
- **id**: backup
- **type**: shell
- **command**: cp notes.md /mnt/backup/
- **status**: PENDING
"""


def around(*boxes: Box) -> Box:
    """A box with all of them in it, and some room."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (
        max(min(lefts) - MARGIN, 0),
        max(min(tops) - MARGIN, 0),
        max(rights) + MARGIN,
        max(bottoms) + MARGIN,
    )


def take_menu_and_notification(desktop: Desktop, folder: Path) -> None:
    notifications = NotificationService(desktop)
    notifications.start()
    machine = Machine(folder)
    machine.allow_notifications()
    machine.file.write_text(WORKSPACE, encoding="utf-8")
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        notifications.wait_for_title("backup failed")
        box = notifications.box()
        desktop.shot().crop(around(box)).save(FOLDER / "notification.png")
        for _ in range(BEATS - 1):
            machine.heartbeat("run")
        heart.wait_until_still()
        heart.open_menu()
        labels = heart.labels()
        heart.click_row(labels.index("Recent"), len(labels))
        wait_for(lambda: len(desktop.menus()) == 2, "the submenu")
        heart.rows(1, BEATS)
        icon = heart.wait_until_visible()
        shot = desktop.shot()
        shot.crop(around(*desktop.menus(), (icon[0], 0, icon[2], icon[3]))).save(
            FOLDER / "tray-menu.png"
        )
        heart.close_menu()


def draw_icons() -> None:
    """Every state at every size, as it looks on a light and on a dark panel."""
    states, row, column, label = (
        [one for one in WorkspaceState if one is not WorkspaceState.STOPPED],
        76,
        sum(SIZES) + 90,
        96,
    )
    sheet = Image.new("RGB", (label + 2 * column, 8 + row * len(states)), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.truetype("DejaVuSans.ttf", 13)
    for panel, colour in enumerate(((0xF2, 0xF1, 0xF0), (0x26, 0x26, 0x2B))):
        draw.rectangle(
            (label + panel * column, 0, label + (panel + 1) * column, sheet.height), fill=colour
        )
        for line, state in enumerate(states):
            left = label + panel * column + 16
            draw.text((10, line * row + row // 2 - 4), state, fill="black", font=font)
            for size in SIZES:
                with Image.open(icon_path(picture(state, 0), size)) as icon:
                    sheet.paste(icon, (left, 4 + line * row + (row - size) // 2), icon)
                left += size + 12
    sheet.save(FOLDER / "icons.png")


def main() -> None:
    draw_icons()
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        (Path(folder) / "desktop").mkdir()
        desktop = Desktop(Path(folder) / "desktop")
        try:
            desktop.start()
            desktop.colour_background(0x3B4252)
            take_menu_and_notification(desktop, Path(folder))
        finally:
            desktop.stop()


if __name__ == "__main__":
    main()
