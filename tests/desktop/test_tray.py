"""The tray icon on a real panel, used as a person does: by looking and clicking."""

import pytest
from PIL import Image
from Xlib import XK

from core.model.status import WorkspaceState
from tests.desktop.desktop import PANEL_HEIGHT, Desktop, difference, wait_for
from tests.desktop.icon_colour import colour_of
from tests.desktop.tray_on_panel import TrayOnPanel

ENTRIES = 6  # of the idle menu


def test_the_icon_is_on_the_panel_in_the_colour_of_its_state(tray: TrayOnPanel) -> None:
    left, top, right, bottom = tray.wait_until_visible()
    assert 12 <= right - left <= PANEL_HEIGHT
    assert 12 <= bottom - top <= PANEL_HEIGHT
    assert colour_of(WorkspaceState.IDLE) in tray.colours()


def test_a_click_on_the_icon_opens_the_menu_with_every_entry_drawn(tray: TrayOnPanel) -> None:
    labels = tray.labels()
    assert labels == [
        "workspace · Next beat in 12 min",
        "Run now",
        "Pause for",
        "Open HEARTBEAT.md",
        "Set API key…",
        "Quit",
    ]
    tray.open_menu()
    assert len(tray.rows(0, len(labels))) == len(labels)
    tray.close_menu()
    assert not [line for line in tray.said() if line.startswith("command")]


@pytest.mark.parametrize(
    ("labels", "command"),
    [
        (["Run now"], "run"),
        (["Pause for", "30 minutes"], "pause 30m"),
        (["Pause for", "1 hour"], "pause 1h"),
        (["Pause for", "Until tomorrow"], "pause tomorrow"),
        (["Pause for", "Until resumed"], "pause"),
        (["Open HEARTBEAT.md"], "open"),
        (["Set API key…"], "key"),
    ],
)
def test_clicking_an_entry_asks_for_what_it_says(
    tray: TrayOnPanel, labels: list[str], command: str
) -> None:
    tray.choose(*labels)
    tray.wait_until_said(f"command: {command}")
    assert tray.said() == [f"command: {command}"]


def test_the_first_entry_only_informs_and_cannot_be_clicked(tray: TrayOnPanel) -> None:
    tray.open_menu()
    tray.row("Run now", ())  # it is drawn: before, clicks may be lost
    tray.click_row(0, ENTRIES)
    tray.click_row(1, ENTRIES)  # the menu is still there, and the next click counts
    tray.wait_until_said("command: run")
    assert tray.said() == ["command: run"]


def test_quit_ends_the_program_and_the_icon_goes(tray: TrayOnPanel) -> None:
    tray.choose("Quit")
    tray.wait_until_said("ended")
    assert tray.said() == ["command: quit", "ended"]
    assert tray.program.wait(timeout=10) == 0
    tray.wait_until_gone()


def test_the_menu_works_from_the_keyboard(tray: TrayOnPanel, desktop: Desktop) -> None:
    tray.open_menu()
    tray.row("Run now", ())  # it is drawn: before, keys may be lost
    desktop.press(XK.XK_Down)
    desktop.press(XK.XK_Return)
    tray.wait_until_said("command: run")


def test_while_paused_the_menu_offers_to_resume(tray: TrayOnPanel) -> None:
    tray.show("paused")
    wait_for(lambda: colour_of(WorkspaceState.PAUSED) in tray.colours(), "the paused icon")
    tray.choose("Resume")
    tray.wait_until_said("command: resume")


def test_the_menu_tells_the_time_left_when_it_opens_not_when_it_was_made(tray: TrayOnPanel) -> None:
    first = tray.state_line(ENTRIES)
    assert not difference(first, tray.state_line(ENTRIES))
    tray.let_time_pass(5)
    wait_for(lambda: difference(first, tray.state_line(ENTRIES)), "another state line")
    assert tray.labels()[0] == "workspace · Next beat in 7 min"


@pytest.mark.parametrize(
    "state",
    [WorkspaceState.PAUSED, WorkspaceState.ATTENTION, WorkspaceState.ERROR, WorkspaceState.RUNNING],
)
def test_the_icon_changes_with_the_state_and_back(tray: TrayOnPanel, state: WorkspaceState) -> None:
    assert colour_of(WorkspaceState.IDLE) in tray.colours()
    tray.show(state)
    wait_for(lambda: colour_of(state) in tray.colours(), f"the icon of {state}")
    assert colour_of(WorkspaceState.IDLE) not in tray.colours()
    tray.show("idle")
    wait_for(lambda: colour_of(WorkspaceState.IDLE) in tray.colours(), "the idle icon again")


def test_while_a_beat_runs_the_icon_moves_between_two_pictures(tray: TrayOnPanel) -> None:
    tray.show("running")
    wait_for(lambda: colour_of(WorkspaceState.RUNNING) in tray.colours(), "the running icon")
    first = tray.icon()
    second = next_picture(tray, first)
    third = next_picture(tray, second)
    assert not difference(first, third)


def next_picture(tray: TrayOnPanel, before: Image.Image) -> Image.Image:
    """The icon as soon as it looks different."""

    def look() -> Image.Image | None:
        now = tray.icon()
        return now if difference(before, now) else None

    return wait_for(look, "the icon to move")


def test_a_panel_that_was_killed_shows_the_icon_again_when_it_is_back(
    tray: TrayOnPanel, desktop: Desktop
) -> None:
    desktop.stop_panel()
    desktop.start_panel()
    tray.wait_until_visible()
    wait_for(lambda: colour_of(WorkspaceState.IDLE) in tray.colours(), "the icon")
    tray.choose("Run now")
    tray.wait_until_said("command: run")


def test_started_before_the_panel_it_says_so_once_and_the_icon_comes_with_the_panel(
    desktop: Desktop,
) -> None:
    desktop.stop_panel()
    with TrayOnPanel(desktop) as tray:
        tray.wait_until_said(
            "This desktop shows no tray at the moment; the icon appears as soon as it does."
        )
        desktop.start_panel()
        wait_for(lambda: colour_of(WorkspaceState.IDLE) in tray.colours(), "the icon")
        desktop.stop_panel()
        desktop.start_panel()
        wait_for(lambda: colour_of(WorkspaceState.IDLE) in tray.colours(), "the icon again")
        assert len(tray.said()) == 1


def test_it_is_a_pystray_icon_that_runs_until_it_is_stopped(desktop: Desktop) -> None:
    with TrayOnPanel(desktop, "plain_icon_program") as icon:
        icon.wait_until_visible()
        icon.choose("Say hello")
        icon.wait_until_said("hello")
        icon.choose("Stop")
        icon.wait_until_said("ended")
        assert icon.program.wait(timeout=10) == 0
        icon.wait_until_gone()
