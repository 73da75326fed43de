"""`heartbeat retry`: let an item that has used up its attempts start anew."""

import click

from core import bootstrap
from core.model.plan import Decision
from tray_app.cli.main import Call, json_option, print_json


@click.command("retry", short_help="Let an item that failed start anew.")
@click.argument("identifier", metavar="ID")
@json_option
@click.pass_obj
def command(call: Call, identifier: str) -> int:
    """Let ID, which failed, start anew with all its attempts."""
    root = bootstrap.locate_workspace(call.workspace)
    (name,) = bootstrap.known_items(root, [identifier])
    item = bootstrap.retry(root, name)
    if call.as_json:
        print_json({"id": item.id, "retried": True})
    elif item.decision is Decision.RUN:
        click.echo(f"{item.id} starts anew in the next beat (now: heartbeat run).")
    else:
        click.echo(f"{item.id} starts anew: {item.reason} (now: heartbeat run {item.id}).")
    return 0
