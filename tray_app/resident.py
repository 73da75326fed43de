"""The resident: `python -m tray_app.resident daemon|tray WORKSPACE [--take-over]`.

It imports next to nothing. The `heartbeat` command replaces itself by this process, so that the
command line does not stay in memory.
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from core.model.announcements import Message, with_name
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose
from core.model.report import Notice, NoticeKind
from core.rules.own_command import own_command
from core.rules.timing.durations import read_duration
from core.rules.workspace_names import workspace_name
from core.services import Services
from core.usecases.residing import open_resident, take_workspace_over

if TYPE_CHECKING:
    from core.engine.resident import Resident
    from tray_app.tray.commands import MenuCommand


def main(words: list[str]) -> int:
    mode = Purpose(words[0])
    services = Services(Path(words[1]))
    services.use()
    take_over = "--take-over" in words
    services.hold_signals_back()  # until `open_resident` is ready for them
    held = services.resident_lock.acquire(mode, services.clock.now())

    if isinstance(held, Holder):
        if take_over:
            take_workspace_over(services)

        say(f"Heartbeat is already running for {services.root} (pid {held.pid}).")
        return 0

    with held:
        try:
            resident = open_resident(services, say, take_over=take_over)
            if mode is Purpose.TRAY:
                return run_with_icon(resident, services.root)

            say(f"Watching {services.root}. Press Ctrl-C to stop.")
            resident.run()
        except HeartbeatError as error:
            say(f"{error.message}\n  {error.hint}")
            return error.exit_code

    return 0


def run_with_icon(resident: "Resident", root: Path) -> int:
    from tray_app.tray.open_tray import open_tray

    def on_command(command: "MenuCommand") -> None:
        handle_command(resident, root, command)

    try:
        tray = open_tray(resident.status(), resident.local_now, on_command, say)
    except HeartbeatError as error:
        say(f"{error.message} Everything else works without an icon.")
        resident.run()
        return 0

    resident.show = tray.show
    resident.notify = lambda message: tray.tell(with_name(message, workspace_name(root)))
    resident.sources += tray.sources
    say(f"Watching {root}, with an icon in the tray.")
    tray.run(resident.run)

    return 0


def handle_command(resident: "Resident", root: Path, command: "MenuCommand") -> None:
    """Do what the person chose in the menu. If it fails, say why; the icon stays."""
    try:
        act(resident, root, command)
    except HeartbeatError as error:
        words = f"{error.message} {error.hint}"
        resident.announce(Message(Notice(NoticeKind.PROBLEM, "That did not work", words)))


def act(resident: "Resident", root: Path, command: "MenuCommand") -> None:
    from core.usecases import pausing
    from tray_app.tray.commands import MenuAction, ResidentAction

    services = Services(root)  # not the resident's: a desktop may call from another thread
    match command.act:
        case ResidentAction.RUN:
            resident.run_now((command.argument,) if command.argument else ())
        case ResidentAction.CANCEL:
            resident.cancel()
            resident.start_helper(own_command("tray_app.menu_action", str(root), MenuAction.CANCEL))
        case ResidentAction.PAUSE:
            until = end_of_pause(command.argument, resident.local_now())
            pausing.pause(services, until)
        case ResidentAction.RESUME:
            pausing.resume(services)
        case ResidentAction.SNOOZE:
            pausing.snooze(services, command.argument, services.clock.now() + SNOOZE)
        case ResidentAction.QUIT:
            resident.end()
        case MenuAction() as action:
            words = [action, command.argument] if command.argument else [action]
            resident.start_helper(own_command("tray_app.menu_action", str(root), *words))
        case _:
            assert_never(command.act)


SNOOZE = timedelta(hours=1)


def end_of_pause(argument: str, now: datetime) -> datetime | None:
    if argument == "tomorrow":
        return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)

    if not argument:
        return None

    wanted = read_duration(argument)
    assert not isinstance(wanted, Problem), wanted  # the menu's own words
    return now + wanted


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
