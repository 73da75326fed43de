"""`heartbeat remove`: remove a prompt; `heartbeat undo` brings it back."""

import click

from tray_app.cli.call import Call, json_option, print_json


@click.command("remove")
@click.argument("identifier", metavar="ID")
@json_option
@click.pass_obj
def command(call: Call, identifier: str) -> int:
    """Remove the prompt ID."""
    call.services().prompts().remove(identifier)
    if call.as_json:
        print_json({"id": identifier, "removed": True})
    else:
        click.echo(f"Removed heartbeat/{identifier}.md. To bring it back: heartbeat undo")

    return 0
