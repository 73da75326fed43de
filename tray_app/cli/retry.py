"""`heartbeat retry`: let an item that has used up its attempts run again."""

import click

from core.model.plan import Decision
from core.usecases import beats, planning
from tray_app.cli.call import Call, json_option, print_json


@click.command("retry")
@click.argument("identifier", metavar="ID")
@json_option
@click.pass_obj
def command(call: Call, identifier: str) -> int:
    """Let ID, which failed, run again with all its attempts."""
    services = call.services()
    (name,) = planning.known_items(services, [identifier])
    item = beats.retry(services, name)

    if call.as_json:
        print_json({"id": item.id, "retried": True})
    elif item.decision is Decision.RUN:
        click.echo(f"{item.id} runs again in the next beat (to run it now: heartbeat run).")
    else:
        now = f"to run it now: heartbeat run {item.id}"
        click.echo(f"{item.id} runs again: {item.reason} ({now}).")

    return 0
