"""`heartbeat resume`: end a pause."""

import click

from core.usecases import pausing
from tray_app.cli.call import Call, json_option, print_json


@click.command("resume")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """End a pause. What came due in the meantime runs once."""
    was_paused = pausing.resume(call.services())
    if call.as_json:
        print_json({"paused": False, "was_paused": was_paused})
    else:
        click.echo("Resumed." if was_paused else "It was not paused.")

    return 0
