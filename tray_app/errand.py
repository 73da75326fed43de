"""What a click in the tray starts: `python -m tray_app.errand WORKSPACE ACT [ARGUMENT]`. What fails is told.

A process of its own, so that the always-on one never waits and never loads what an errand needs.
"""

import sys
import traceback
from pathlib import Path

from core import bootstrap
from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.report import Notice
from core.rules.keys import PROVIDERS
from tray_app.tray.commands import Act


def main(words: list[str]) -> int:
    """0 also where it failed and the person was told."""
    root, act, argument = Path(words[0]), Act(words[1]), "".join(words[2:])
    try:
        said = run(root, act, argument)
        return tell(root, "Heartbeat", said) if said else 0
    except HeartbeatError as error:
        return tell(root, "That did not work", f"{error.message} {error.hint}")
    except Exception as error:
        traceback.print_exc()
        return tell(root, "That did not work", f"Something unexpected went wrong: {error!r}.")


def run(root: Path, act: Act, argument: str) -> str:
    """What the person is to know of it; nothing where they see it."""
    match act:
        case Act.OPEN:
            bootstrap.open_file(root)
        case Act.RECEIPT:
            from tray_app.cli.open import open_receipt

            open_receipt(root, argument)
        case Act.APPROVE:
            bootstrap.open_terminal(heartbeat(root, "approve"))
        case Act.SET_KEY:
            return set_key(root)
        case Act.AUTOSTART:
            bootstrap.set_autostart(root, wanted=argument == "on")
        case _:
            raise ValueError(f"{act} is no errand")
    return ""


def set_key(root: Path) -> str:
    """With windows of the desktop's own; where it has none, in a terminal."""
    if not bootstrap.has_dialogs():
        bootstrap.open_terminal(heartbeat(root, "key", "set"))
        return ""
    name = bootstrap.choose("Whose API key?", PROVIDERS)
    value = bootstrap.ask_secret(f"API key for {name}:") if name else None
    return bootstrap.set_key(name, value) if name and value is not None else ""


def heartbeat(root: Path, *words: str) -> list[str]:
    return bootstrap.own_command("tray_app.cli", "--workspace", str(root), *words)


def tell(root: Path, title: str, words: str) -> int:
    """Through the tray, else straight to the desktop; 1 where neither can."""
    message = Message(Notice("problem", title, words))
    if bootstrap.leave_to_tray(root, bootstrap.open_ledger(root), message):
        return 0
    return 1 if bootstrap.show_on_desktop(message.notice) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
