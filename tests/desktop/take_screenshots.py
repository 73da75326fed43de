"""Takes the pictures of the README: `python -m tests.desktop.take_screenshots`. A real tray on a
real panel."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from core.model.status import WorkspaceState
from tests.desktop.desktop import Box, Desktop, wait_for
from tests.desktop.heartbeat_tray import HeartbeatTray
from tests.desktop.notification_service import NotificationService
from tests.e2e.machine import Machine
from tests.model_server import Call, ModelServer, Say
from tray_app.tray.icon_files import SIZES, icon_path
from tray_app.tray.tray import picture

FOLDER = Path(__file__).parents[2] / "assets" / "screenshots"
MARGIN = 12
BACKGROUND = 0x3B4252
FEW_COLOURS = 16  # of an empty window; letters have many, because their edges are smooth
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

LONG = """# My day

## Pending Actions

### [HIGH] Copy the photos
- **id**: copy_photos
- **type**: shell
- **command**: echo 'IMG_0412.jpg, 412 of 1630'; sleep 600
- **timeout**: 1h
- **status**: PENDING
"""
LIE = """# My day

## Tasks

- [ ] inbox | Count the new mail | verify: new_mails >= 0

## Probes

- new_mails: echo 3
"""
CLAIM = {
    "task_id": "inbox",
    "outcome": "done",
    "result": "9 new mails",
    "facts": {"new_mails": 9},
}


def around(*boxes: Box) -> Box:
    """A box with all of them in it, and some room."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (
        max(min(lefts) - MARGIN, 0),
        max(min(tops) - MARGIN, 0),
        max(rights) + MARGIN,
        max(bottoms) + MARGIN,
    )


def machine_with(folder: Path, text: str) -> Machine:
    machine = Machine(folder)
    machine.workspace = machine.workspace.rename(folder / "Notes")
    machine.file = machine.workspace / "HEARTBEAT.md"
    machine.file.write_text(text, encoding="utf-8")
    machine.allow_notifications()
    return machine


def take_menu_and_notification(desktop: Desktop, folder: Path) -> None:
    with notified(desktop) as notifications:
        machine = machine_with(folder, WORKSPACE)
        with HeartbeatTray(desktop, machine) as heart:
            heart.wait_until_visible()
            notifications.wait_for_title("backup failed")
            take_notification(desktop, notifications, "notification.png")
            wait_for(lambda: "3 of 4 kept today" in heart.labels(), "the end of the beat")
            wait_for(lambda: {"Recent", "Run now"} <= {*heart.labels()}, "the menu at rest")
            heart.open_menu()
            labels = heart.labels()
            heart.click_row(labels.index("Recent"), len(labels))
            wait_for(lambda: len(desktop.menus()) == 2, "the submenu")
            heart.rows(1, len(heart.labels(("Recent",))))
            take_menu(desktop, heart, "tray-menu.png")


def take_menu_of_a_long_run(desktop: Desktop, folder: Path) -> None:
    with HeartbeatTray(desktop, machine_with(folder, LONG)) as heart:
        heart.wait_until_visible()
        wait_for(lambda: [one for one in heart.labels() if "IMG" in one], "what it printed last")
        heart.open_menu()
        heart.rows(0, len(heart.labels()))
        take_menu(desktop, heart, "tray-running.png")


def take_lie(desktop: Desktop, folder: Path) -> None:
    """A model that reads nothing and says a number that a measurement denies."""
    script = (Say("Reporting.", (Call("report_task", CLAIM),)), Say("All done!"))
    with notified(desktop) as notifications, ModelServer(*script) as server:
        machine = machine_with(folder, LIE)
        address = server.base_url("openai-compatible")
        with (machine.config / "config.toml").open("a", encoding="utf-8") as config:
            config.write(
                f'[agent]\nprovider = "openai-compatible"\nmodel = "scripted"\n'
                f'base_url = "{address}"\n'
            )
        with HeartbeatTray(desktop, machine) as heart:
            heart.wait_until_visible()
            notifications.wait_for_title("inbox: contradiction, 45 points lost")
            take_notification(desktop, notifications, "notification-lie.png")


@contextmanager
def notified(desktop: Desktop) -> Iterator[NotificationService]:
    notifications = NotificationService(desktop)
    notifications.start()
    try:
        yield notifications
    finally:
        notifications.stop()


def take_notification(desktop: Desktop, notifications: NotificationService, name: str) -> None:
    """As soon as its text is drawn; the window is there before it."""

    def look() -> Image.Image | None:
        shot = desktop.shot()
        box = notifications.box()
        is_drawn = shot.crop(box).getcolors(FEW_COLOURS) is None
        return shot.crop(around(box)) if is_drawn else None

    wait_for(look, "the text of the notification").save(FOLDER / name)


def take_menu(desktop: Desktop, heart: HeartbeatTray, name: str) -> None:
    icon = heart.wait_until_visible()
    boxes = (*desktop.menus(), (icon[0], 0, icon[2], icon[3]))
    desktop.shot().crop(around(*boxes)).save(FOLDER / name)
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


SCENES = (take_menu_and_notification, take_menu_of_a_long_run, take_lie)


def main() -> None:
    draw_icons()
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as name:
        folder = Path(name)
        (folder / "desktop").mkdir()
        desktop = Desktop(folder / "desktop")
        try:
            desktop.start()
            desktop.colour_background(BACKGROUND)
            for scene in SCENES:
                scene(desktop, folder / scene.__name__)
        finally:
            desktop.stop()


if __name__ == "__main__":
    main()
