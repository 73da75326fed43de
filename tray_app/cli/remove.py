"""`heartbeat remove`: take a prompt away; `heartbeat undo` brings it back."""

import click

from core import bootstrap
from tray_app.cli.main import Call, json_option, print_json


@click.command("remove", short_help="Remove a prompt.")
@click.argument("identifier", metavar="ID")
@json_option
@click.pass_obj
def command(call: Call, identifier: str) -> int:
    """Remove the prompt ID."""
    bootstrap.prompt_store(bootstrap.locate_workspace(call.workspace)).remove(identifier)
    if call.as_json:
        print_json({"id": identifier, "removed": True})
    else:
        click.echo(f"Removed heartbeat/{identifier}.md. To bring it back: heartbeat undo")
    return 0
