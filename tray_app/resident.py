"""The always-on process: `python -m tray_app.resident daemon|tray WORKSPACE [--take-over]`. It imports next to nothing.

The `heartbeat` command turns into this one, so that the memory of the command line does not stay.
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core import bootstrap
from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.holder import Holder
from core.model.report import Notice

if TYPE_CHECKING:
    from core.engine.resident import Resident
    from tray_app.tray.commands import Command


def main(words: list[str]) -> int:
    mode, root, take_over = words[0], Path(words[1]), "--take-over" in words
    bootstrap.hold_signals_back()
    held = bootstrap.resident_lock(root).acquire(mode, bootstrap.clock().now())
    if isinstance(held, Holder):
        if take_over:
            bootstrap.take_workspace_over(root)
        say(f"Heartbeat is already running for {root} (pid {held.pid}).")
        return 0
    with held:
        try:
            resident = bootstrap.open_resident(root, say, take_over=take_over)
            if mode == "tray":
                return run_with_icon(resident, root)
            say(f"Watching {root}. End with Ctrl-C.")
            resident.run()
        except HeartbeatError as error:
            say(f"{error.message}\n  {error.hint}")
            return error.exit_code
    return 0


def run_with_icon(resident: "Resident", root: Path) -> int:
    from tray_app.tray.tray import open_tray

    def on_command(command: "Command") -> None:
        obey(resident, root, command)

    try:
        tray = open_tray(resident.status(), resident.local_now, on_command, say)
    except HeartbeatError as error:
        say(f"{error.message} Without an icon everything else works.")
        resident.run()
        return 0
    resident.show, resident.notify = tray.show, tray.tell
    resident.sources += tray.sources
    say(f"Watching {root}, with an icon in the tray.")
    tray.run(resident.run)
    return 0


def obey(resident: "Resident", root: Path, command: "Command") -> None:
    """What the person chose in the menu. What fails says why, and the icon stays."""
    from tray_app.tray.commands import Act

    try:
        match command.act:
            case Act.RUN:
                resident.run_now((command.argument,) if command.argument else ())
            case Act.CANCEL:
                resident.cancel()
            case Act.PAUSE:
                bootstrap.pause(root, end_of_pause(command.argument, resident.local_now()))
            case Act.RESUME:
                bootstrap.resume(root)
            case Act.SNOOZE:
                bootstrap.snooze(root, command.argument, bootstrap.clock().now() + SNOOZE)
            case Act.QUIT:
                resident.end()
            case errand:
                words = [errand, *([command.argument] if command.argument else [])]
                resident.start_helper(bootstrap.own_command("tray_app.errand", str(root), *words))
    except HeartbeatError as error:
        resident.tell(Message(Notice("problem", "That did not work", f"{error.message} {error.hint}")))


SNOOZE = timedelta(hours=1)
PAUSES = {"30m": timedelta(minutes=30), "1h": timedelta(hours=1)}


def end_of_pause(argument: str, now: datetime) -> datetime | None:
    if argument == "tomorrow":
        return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return now + PAUSES[argument] if argument else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
