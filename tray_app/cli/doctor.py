"""`heartbeat doctor`: what works here, what does not, and the one command that mends it."""

import click

from core import bootstrap
from core.model.diagnosis import Diagnosis, Health
from core.model.errors import NoWorkspaceError
from tray_app.cli.main import Call, harmless, json_option, print_json

MARKS = {Health.WORKS: ("✓", "green"), Health.ABSENT: ("·", "yellow"), Health.PROBLEM: ("✗", "red")}


@click.command("doctor", short_help="Say what works here, what does not, and what mends it.")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """Try out all that Heartbeat stands on: keyring, notifications, tray, sandbox, model, lock, disk, watching, clock,
    autostart, permissions. Exit 1 where something has a problem."""
    try:
        root = bootstrap.locate_workspace(call.workspace)
    except NoWorkspaceError as missing:
        root = missing.folder
    found = bootstrap.doctor(root)
    has_problem = any(one.health is Health.PROBLEM for one in found)
    if call.as_json:
        print_json({"ok": not has_problem, "findings": [as_json(one) for one in found]})
    else:
        click.echo("\n".join(line(one) for one in found))
    return 1 if has_problem else 0


def line(one: Diagnosis) -> str:
    mark, colour = MARKS[one.health]
    mend = f"\n  {'':<14} → {harmless(one.mend)}" if one.mend else ""
    return f"{click.style(mark, fg=colour)} {one.name:<14} {harmless(one.words)}{mend}"


def as_json(one: Diagnosis) -> dict[str, str | None]:
    return {"name": one.name, "health": str(one.health), "message": one.words, "mend": one.mend or None}
