"""What the tray answers to any panel on the bus, good or bad, and what it does without a bus."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusErrorResponse

from tests.desktop.desktop import ROOT, Desktop, Signals, wait_for
from tests.desktop.tray_on_panel import PROPERTIES, TrayOnPanel

ITEM = "org.kde.StatusNotifierItem"
WAITING = "This desktop shows no tray at the moment; the icon appears as soon as it does."


@pytest.fixture
def bare_desktop() -> Iterator[Desktop]:
    """Nothing started."""
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        desktop = Desktop(Path(folder))
        try:
            yield desktop
        finally:
            desktop.stop()


def numbers(tray: TrayOnPanel) -> dict[str, int]:
    """Label -> number, submenus included."""

    def below(layout: Any) -> dict[str, int]:
        found = {}
        for _, child in layout[2]:
            found[child[1]["label"][1]] = child[0]
            found |= below(child)
        return found

    return below(tray.ask_menu("GetLayout", "iias", (0, -1, []))[1])


def refusal(error: DBusErrorResponse) -> str:
    return str(error.name).rpartition(".")[2]


def test_an_entry_keeps_its_number_while_others_come_and_go(tray: TrayOnPanel) -> None:
    before = numbers(tray)
    tray.show("paused")
    wait_for(lambda: "Resume" in numbers(tray), "the paused menu")
    paused = numbers(tray)
    assert {
        label: before[label] for label in ("Run now", "Open HEARTBEAT.md", "Quit")
    }.items() <= paused.items()
    assert paused["Resume"] not in before.values()
    tray.show("idle")
    wait_for(lambda: "Resume" not in numbers(tray), "the idle menu")
    assert numbers(tray) == before


def test_a_click_on_an_entry_that_has_gone_meanwhile_does_nothing(tray: TrayOnPanel) -> None:
    half_an_hour = numbers(tray)["30 minutes"]
    tray.show("paused")
    wait_for(lambda: "Resume" in numbers(tray), "the paused menu")
    tray.ask_menu("Event", "isvu", (half_an_hour, "clicked", ("i", 0), 0))
    tray.ask_menu("Event", "isvu", (numbers(tray)["Run now"], "clicked", ("i", 0), 0))
    tray.wait_until_said("command: run")
    assert tray.said() == ["command: run"]


def test_while_a_beat_runs_run_now_gives_way_to_cancel_and_an_old_click_on_it_does_nothing(
    tray: TrayOnPanel,
) -> None:
    run = numbers(tray)["Run now"]
    tray.show("running")
    wait_for(lambda: "Cancel" in numbers(tray), "the way to cancel")
    tray.ask_menu("Event", "isvu", (run, "clicked", ("i", 0), 0))
    tray.ask_menu("Event", "isvu", (numbers(tray)["Open HEARTBEAT.md"], "clicked", ("i", 0), 0))
    tray.wait_until_said("command: open")
    assert tray.said() == ["command: open"]


def test_only_a_click_is_a_click(tray: TrayOnPanel) -> None:
    known = numbers(tray)
    for event in ("hovered", "opened", "closed"):
        tray.ask_menu("Event", "isvu", (known["Quit"], event, ("i", 0), 0))
    tray.ask_menu("Event", "isvu", (known["Run now"], "clicked", ("i", 0), 0))
    tray.wait_until_said("command: run")
    assert tray.said() == ["command: run"]


def test_the_panel_has_its_answer_before_the_command_is_carried_out(tray: TrayOnPanel) -> None:
    quit_number = numbers(tray)["Quit"]
    assert tray.ask_menu("EventGroup", "a(isvu)", ([(quit_number, "clicked", ("i", 0), 0)],)) == (
        [],
    )
    assert tray.program.wait(timeout=10) == 0  # it ended, and still the answer had been sent


def test_a_click_in_a_panel_without_menus_opens_the_file(tray: TrayOnPanel) -> None:
    tray.ask_icon(f"{ITEM}.Activate", "ii", (0, 0))
    tray.wait_until_said("command: open")


def test_the_icon_answers_with_everything_a_panel_may_draw(tray: TrayOnPanel) -> None:
    (properties,) = tray.ask_icon(f"{PROPERTIES}.GetAll", "s", (ITEM,))
    assert properties["Id"] == ("s", "heartbeat")
    assert properties["Status"] == ("s", "Active")
    assert properties["Title"][1].startswith("Heartbeat · workspace: next beat ")
    assert [(width, height) for width, height, _ in properties["IconPixmap"][1]] == [
        (16, 16), (22, 22), (24, 24), (32, 32), (48, 48), (64, 64)
    ]  # fmt: skip
    assert tray.ask_icon(f"{PROPERTIES}.Get", "ss", (ITEM, "Menu")) == (("o", "/MenuBar"),)


def test_a_menu_can_be_asked_for_in_parts(tray: TrayOnPanel) -> None:
    _, (_, _, top) = tray.ask_menu("GetLayout", "iias", (0, 1, ["label"]))
    assert [list(properties) for _, (_, properties, _) in top] == [["label"]] * 6
    assert all(not children for _, (_, _, children) in top)
    pause = numbers(tray)["Pause for"]
    _, (_, properties, pauses) = tray.ask_menu("GetLayout", "iias", (pause, -1, []))
    assert properties["children-display"] == ("s", "submenu")
    assert len(pauses) == 4
    ((both,),) = [tray.ask_menu("GetGroupProperties", "aias", ([pause, 9999], ["label"]))]
    assert both == [(pause, {"label": ("s", "Pause for")})]


@pytest.fixture
def signals(tray: TrayOnPanel) -> Iterator[Signals]:
    signals = Signals(tray.desktop, tray.bus_name())
    yield signals
    signals.close()


def test_what_changes_is_announced_and_what_stays_is_not(
    tray: TrayOnPanel, signals: Signals
) -> None:
    heard: list[str] = []

    def menus() -> int:
        heard.extend(signals.heard())
        return heard.count("LayoutUpdated")

    tray.show("paused")
    wait_for(lambda: menus() == 1, "the paused menu")
    tray.show("paused")
    tray.show("error")
    wait_for(lambda: menus() == 2, "the error menu")
    assert heard == ["NewIcon", "NewTitle", "NewToolTip", "LayoutUpdated"] * 2


def test_what_one_panel_learns_by_asking_is_announced_to_the_others(
    tray: TrayOnPanel, signals: Signals
) -> None:
    numbers(tray)
    assert signals.heard() == []
    tray.let_time_pass(5)
    wait_for(lambda: "workspace · Next beat in 7 min" in numbers(tray), "the clock to go on")
    wait_for(lambda: signals.heard() == ["LayoutUpdated"], "the other words to be announced")


@pytest.mark.parametrize(
    ("method", "takes", "opening", "yes", "no"),
    [
        ("AboutToShow", "i", (0,), (True,), (False,)),
        ("AboutToShowGroup", "ai", ([0],), ([0], []), ([], [])),
    ],
)
def test_a_panel_that_is_about_to_open_the_menu_learns_whether_its_words_are_old(
    tray: TrayOnPanel, method: str, takes: str, opening: Any, yes: Any, no: Any
) -> None:
    def open_a_minute_later() -> Any:
        tray.let_time_pass(1)
        return tray.ask_menu(method, takes, opening)

    assert tray.ask_menu(method, takes, opening) == no
    # The panel itself asks for the menu at some time after the start. If it does so in between,
    # it has the new words already.
    wait_for(lambda: open_a_minute_later() == yes, "old words")
    assert tray.ask_menu(method, takes, opening) == no


def test_the_running_program_has_loaded_no_image_library_and_no_asyncio(tray: TrayOnPanel) -> None:
    loaded = Path(f"/proc/{tray.program.pid}/maps").read_text()
    assert "_struct" in loaded  # an extension that it does need: they are listed there
    assert not [name for name in ("PIL", "_asyncio") if name in loaded]


def test_programs_that_come_and_go_on_the_bus_do_not_wake_it(tray: TrayOnPanel) -> None:
    def wakeups() -> int:
        tray.ask_icon(
            f"{PROPERTIES}.Get", "ss", (ITEM, "Id")
        )  # the program has seen everything before this
        (line,) = (
            line for line in tray.process_status() if line.startswith("voluntary_ctxt_switches")
        )
        return int(line.split()[1])

    name = tray.bus_name()
    before = wakeups()
    for _ in range(30):
        Signals(tray.desktop, name).close()
    assert wakeups() - before < 10


@pytest.mark.parametrize(
    ("method", "takes", "arguments", "error"),
    [
        ("Explode", "", (), "UnknownMethod"),
        ("GetLayout", "s", ("all of it",), "InvalidArgs"),
        ("GetLayout", "iias", (9999, -1, []), "InvalidArgs"),
        ("GetProperty", "is", (0, "colour"), "InvalidArgs"),
    ],
)
def test_nonsense_is_refused_and_does_no_harm(
    tray: TrayOnPanel, method: str, takes: str, arguments: tuple[Any, ...], error: str
) -> None:
    with pytest.raises(DBusErrorResponse) as caught:
        tray.ask_menu(method, takes, arguments)
    assert refusal(caught.value) == error
    assert tray.ask_menu("EventGroup", "a(isvu)", ([(9999, "clicked", ("i", 0), 0)],)) == ([9999],)
    assert tray.ask_menu("AboutToShowGroup", "ai", ([0],)) == ([], [])
    assert tray.said() == []


def test_a_property_that_is_not_there_is_refused(tray: TrayOnPanel) -> None:
    with pytest.raises(DBusErrorResponse) as caught:
        tray.ask_icon(f"{PROPERTIES}.Get", "ss", (ITEM, "Colour"))
    assert refusal(caught.value) == "InvalidArgs"


def test_the_bus_is_found_where_a_session_has_it_by_default(bare_desktop: Desktop) -> None:
    bare_desktop.start_bus()
    del bare_desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
    tray = TrayOnPanel(bare_desktop)
    tray.wait_until_said(WAITING)


def test_a_lost_bus_takes_the_icon_but_not_the_program(bare_desktop: Desktop) -> None:
    bus = bare_desktop.start_bus()
    tray = TrayOnPanel(bare_desktop)
    tray.wait_until_said(WAITING)
    bare_desktop.end(bus)
    tray.wait_until_said(
        "The desktop's session bus is gone, and the tray icon with it; everything else goes on."
    )
    tray.show("running")
    tray.show("idle")
    tray.show("quit")
    tray.wait_until_said("ended")
    assert tray.program.wait(timeout=10) == 0


@pytest.mark.parametrize(
    "address", [None, "unix:path=/nowhere/bus", "tcp:host=localhost,port=1", "nonsense"]
)
def test_without_a_bus_it_says_what_to_do(bare_desktop: Desktop, address: str | None) -> None:
    environment = bare_desktop.environment | (
        {"DBUS_SESSION_BUS_ADDRESS": address} if address else {}
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.desktop.tray_program", "idle"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "No tray icon can be shown: the desktop's session bus cannot be reached" in done.stderr
    assert "heartbeat daemon" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
