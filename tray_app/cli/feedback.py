"""`heartbeat feedback`: the person's thumb, up or down."""

import click

from core import bootstrap
from tray_app.cli.main import Call, json_option, print_json


@click.command("feedback", short_help="Say that something was done well, or not.")
@click.argument("thumb", type=click.Choice(["up", "down"]))
@click.argument("item", required=False)
@json_option
@click.pass_obj
def command(call: Call, thumb: str, item: str | None) -> int:
    """Give a thumb up (+3) or down (-10) for ITEM, or for the day as a whole."""
    root = bootstrap.locate_workspace(call.workspace)
    if item:
        (item,) = bootstrap.known_items(root, [item])
    points, today = bootstrap.give_feedback(root, item, is_up=thumb == "up")
    if call.as_json:
        print_json({"item": item, "points": points, "today": today})
    else:
        click.echo(f"Noted: {points:+d} for {item or 'today'}. Today: {today} points.")
    return 0
