"""`heartbeat retry`: let an item that has used up its attempts start anew."""

import click

from core import bootstrap
from core.model.errors import HeartbeatError
from tray_app.cli.main import Call, json_option, print_json


@click.command("retry", short_help="Let an item that failed start anew.")
@click.argument("identifier", metavar="ID")
@json_option
@click.pass_obj
def command(call: Call, identifier: str) -> int:
    """Let ID start anew with all its attempts; it runs in the next beat."""
    root = bootstrap.locate_workspace(call.workspace)
    if bootstrap.unknown_items(root, [identifier]):
        raise HeartbeatError(f"There is no item {identifier} in {root}.", "See their ids: heartbeat show")
    bootstrap.retry(root, identifier)
    if call.as_json:
        print_json({"id": identifier, "retried": True})
    else:
        click.echo(f"{identifier} starts anew in the next beat (now: heartbeat run).")
    return 0
