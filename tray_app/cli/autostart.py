"""`heartbeat autostart`: whether it starts at login."""

import click

from core.rules.printable import for_terminal
from core.usecases import desktop
from tray_app.cli.call import Call, json_option, print_json


@click.command("autostart")
@click.argument("setting", type=click.Choice(["on", "off", "status"]), default="status")
@click.option(
    "--daemon",
    "without_icon",
    is_flag=True,
    help="Start it without an icon (systemd, Linux).",
)
@json_option
@click.pass_obj
def command(call: Call, setting: str, without_icon: bool) -> int:
    """Start Heartbeat for this workspace at every login (on), stop doing that (off), or say which
    of them is set (status)."""
    if setting == "off":
        services = desktop.workspace_of_entry(call.workspace, without_icon=without_icon)
    else:
        services = call.services()

    if setting != "status":
        desktop.set_autostart(services, wanted=setting == "on", without_icon=without_icon)

    here = services.autostart(without_icon=without_icon)
    written = here.written()
    starts_this = written == here.wanted(services.autostart_command(without_icon=without_icon))

    if call.as_json:
        print_json(
            {
                "on": starts_this,
                "place": here.place,
                "written": written,
                "others": list(here.others()),
            }
        )
    elif starts_this:
        click.echo(f"Heartbeat starts at login, for {services.root} ({here.place}).")
    elif written is not None:
        click.echo(
            f"Another Heartbeat or workspace starts at login ({here.place}). For this one: "
            "heartbeat autostart on"
        )
    else:
        more = " To change that: heartbeat autostart on" if services.root.is_dir() else ""
        click.echo(f"Heartbeat does not start at login for {services.root}.{more}")

    if not call.as_json:
        for other in here.others():
            click.echo(f"It also starts at login for {for_terminal(other)}.")

    return 0
