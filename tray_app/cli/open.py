"""`heartbeat open`: HEARTBEAT.md in the person's editor."""

import click

from core import bootstrap
from tray_app.cli.main import Call


@click.command("open", short_help="Open HEARTBEAT.md in your editor.")
@click.pass_obj
def command(call: Call) -> int:
    """Open HEARTBEAT.md in your default editor."""
    bootstrap.open_file(bootstrap.locate_workspace(call.workspace))
    return 0
