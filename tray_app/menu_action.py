"""Does what was clicked in the tray: `python -m tray_app.menu_action WORKSPACE ACTION [ARGUMENT]`.

It is a process of its own, so that the always-on one never waits and never loads what this needs.
If it fails, a notification says why.
"""

import sys
import traceback
from pathlib import Path
from typing import assert_never

from core.model.errors import HeartbeatError
from core.services import Services
from core.usecases import desktop
from tray_app.tray.commands import MenuAction


def main(words: list[str]) -> int:
    """Return 0 if all went well or a notification says what failed, 1 if none could be shown."""
    services = Services(Path(words[0]))
    action = MenuAction(words[1])
    argument = "".join(words[2:])

    try:
        answer = run(services, action, argument)
        is_shown = desktop.announce(services, "Heartbeat", answer) if answer else True
    except HeartbeatError as error:
        is_shown = desktop.announce(services, "That did not work", f"{error.message} {error.hint}")
    except Exception as error:
        traceback.print_exc()
        what = f"Something unexpected went wrong: {error!r}."
        is_shown = desktop.announce(services, "That did not work", what)

    return 0 if is_shown else 1


def run(services: Services, action: MenuAction, argument: str) -> str | None:
    """Do it, and return what to tell the person; None if they can see the result."""
    match action:
        case MenuAction.OPEN:
            desktop.open_heartbeat_file(services)
        case MenuAction.CANCEL:
            return cancel(services)
        case MenuAction.RECEIPT:
            from tray_app.cli.open import open_receipt

            open_receipt(services, argument)
        case MenuAction.APPROVE:
            desktop.approve_in_terminal(services)
        case MenuAction.SET_KEY:
            return desktop.ask_for_key(services)
        case MenuAction.AUTOSTART:
            desktop.set_autostart(services, wanted=argument == "on")
        case _:
            assert_never(action)

    return None


def cancel(services: Services) -> str | None:
    """End the running beat; a person sees in the menu that it has ended by itself."""
    from core.usecases.cancelling import cancel
    from tray_app.cli.cancel import words

    return "\n".join(words(one) for one in cancel(services) if one.was_killed) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
