"""`heartbeat resume`: end a pause."""

import click

from core import bootstrap
from tray_app.cli.main import Call, json_option, print_json


@click.command("resume", short_help="End a pause.")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """End a pause; what was missed meanwhile is made up for once."""
    was_paused = bootstrap.resume(bootstrap.locate_workspace(call.workspace))
    if call.as_json:
        print_json({"paused": False, "was_paused": was_paused})
    else:
        click.echo("Beats go on." if was_paused else "It was not paused.")
    return 0
