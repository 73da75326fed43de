"""`heartbeat tray`: keep watch with an icon in the system tray."""

import click

from core import bootstrap
from tray_app.cli.daemon import become_resident
from tray_app.cli.main import Call


@click.command("tray", short_help="Keep watch with an icon in the system tray.")
@click.option("--take-over", is_flag=True, help="Run a shared workspace here instead of on the other machine.")
@click.pass_obj
def command(call: Call, take_over: bool) -> int:
    """Keep watch with an icon in the system tray; without a desktop session, without one."""
    if not bootstrap.has_desktop():
        click.echo("There is no desktop session here, so there is no icon; everything else works.", err=True)
        return become_resident("daemon", call, take_over)
    return become_resident("tray", call, take_over)
