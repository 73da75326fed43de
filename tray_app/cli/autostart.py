"""`heartbeat autostart`: whether it starts at login."""

import click

from core import bootstrap
from tray_app.cli.main import Call, json_option, print_json


@click.command("autostart", short_help="Start at login, or not.")
@click.argument("wish", type=click.Choice(["on", "off", "status"]), default="status")
@click.option("--daemon", "without_icon", is_flag=True, help="The always-on process without an icon (systemd, Linux).")
@json_option
@click.pass_obj
def command(call: Call, wish: str, without_icon: bool) -> int:
    """Start Heartbeat for this workspace at every login (on), never (off), or say how it stands (status)."""
    root = bootstrap.locate_workspace(call.workspace)
    if wish != "status":
        bootstrap.set_autostart(root, wanted=wish == "on", without_icon=without_icon)
    here = bootstrap.autostart(without_icon=without_icon)
    written = here.written()
    starts_this = written == here.wanted(bootstrap.autostart_command(root, without_icon=without_icon))
    if call.as_json:
        print_json({"on": starts_this, "place": here.place, "written": written})
    elif starts_this:
        click.echo(f"Heartbeat starts at login, for {root} ({here.place}).")
    elif written is not None:
        click.echo(
            f"Another Heartbeat or workspace starts at login ({here.place}). For this one: heartbeat autostart on"
        )
    else:
        click.echo("Heartbeat does not start at login. To change that: heartbeat autostart on")
    return 0
