"""A stand-in for the resident: shows the state that a line on standard input names, prints the
commands it is given.

Lines are the name of a state, `quit`, or `later MINUTES`: then the clock goes on so far, which is
said, and nothing is shown again.
"""

import os
import select
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from core.model.errors import HeartbeatError
from core.model.status import Status, WorkspaceState
from tray_app.tray.commands import MenuCommand, ResidentAction
from tray_app.tray.open_tray import open_tray

LATER = "it is later"


class Clock:
    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def status(state: str, now: datetime) -> Status:
    return Status("/workspace", WorkspaceState(state), next_beat=now + timedelta(minutes=12))


def say(text: str) -> None:
    print(text, flush=True)


def lines() -> Iterator[str]:
    """What standard input has at the moment."""
    while select.select([0], [], [], 0)[0]:
        chunk = os.read(0, 4096).decode()
        if not chunk:
            raise EOFError
        yield from chunk.split("\n")[:-1]


def main() -> None:
    now = Clock()
    commands: list[MenuCommand] = []

    def on_command(command: MenuCommand) -> None:
        commands.append(command)
        say(f"command: {command.act} {command.argument}".rstrip())

    tray = open_tray(status(sys.argv[1], now()), now, on_command, say)

    def resident() -> None:
        while MenuCommand(ResidentAction.QUIT) not in commands:
            numbers = [0, *(source.fileno() for source in tray.sources)]
            select.select([number for number in numbers if number >= 0], [], [], tray.wait_limit())
            for source in tray.sources:
                source.handle_ready()
            for line in lines():
                match line.split():
                    case ["quit"]:
                        commands.append(MenuCommand(ResidentAction.QUIT))
                    case ["later", minutes]:
                        now.ahead += timedelta(minutes=int(minutes))
                        say(LATER)
                    case _:
                        tray.show(status(line, now()))

    tray.run(resident)
    say("ended")


if __name__ == "__main__":
    try:
        main()
    except HeartbeatError as error:
        print(error.message, error.hint, file=sys.stderr)
        sys.exit(error.exit_code)
