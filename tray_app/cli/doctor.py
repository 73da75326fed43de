"""`heartbeat doctor`: what works here, what does not, and the one command that fixes it."""

import click

from core.model.diagnostic import Diagnosis, Health
from core.model.errors import NoWorkspaceError, WorkspaceAwayError
from core.services import Services
from core.usecases import doctor
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.colours import BAD, GOOD, OPEN
from tray_app.cli.tables import LEAST_ROOM, folded

NAMES = 17  # columns before the words
MOST_FOLDED = 20  # lines

MARKS = {Health.WORKS: ("✓", GOOD), Health.ABSENT: ("·", OPEN), Health.PROBLEM: ("✗", BAD)}


@click.command("doctor")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """Try out everything that Heartbeat needs: keyring, notifications, tray, sandbox, model, lock,
    disk, watching, clock, autostart, permissions. Exit code 1 if something has a problem."""
    try:
        services = call.services()
    except (NoWorkspaceError, WorkspaceAwayError) as missing:
        services = Services(missing.folder)

    found = doctor.doctor(services)
    has_problem = any(one.health is Health.PROBLEM for one in found)
    if call.as_json:
        print_json({"ok": not has_problem, "findings": [as_json(one) for one in found]})
    else:
        click.echo("\n".join(line(one) for one in found))

    return 1 if has_problem else 0


def line(one: Diagnosis) -> str:
    mark, colour = MARKS[one.health]
    room = max(terminal_width() - NAMES, LEAST_ROOM)
    first, *rest = folded(one.words, room, MOST_FOLDED)
    if one.fix:
        fix, *more = folded(one.fix, room - len("→ "), MOST_FOLDED)
        rest += [f"→ {fix}", *(f"  {words}" for words in more)]

    head = f"{click.style(mark, fg=colour)} {one.name:<14} {first}"
    return "\n".join([head, *(f"{'':<{NAMES}}{words}" for words in rest)])


def as_json(one: Diagnosis) -> dict[str, str | None]:
    return {
        "name": one.name,
        "health": str(one.health),
        "message": one.words,
        "mend": one.fix or None,  # an older word for it; the key stays: scripts may read it
    }
