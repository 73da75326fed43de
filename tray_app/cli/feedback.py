"""`heartbeat feedback`: a thumbs up or down from the person."""

import click

from core.usecases import planning
from core.usecases import records as scoring
from tray_app.cli.call import Call, json_option, print_json


@click.command("feedback")
@click.argument("thumb", type=click.Choice(["up", "down"]))
@click.argument("item", required=False)
@json_option
@click.pass_obj
def command(call: Call, thumb: str, item: str | None) -> int:
    """Give a thumbs up (+3) or down (-10) for ITEM, or for the day as a whole."""
    services = call.services()
    if item:
        (item,) = planning.known_items(services, [item])

    points, today = scoring.give_feedback(services, item, is_up=thumb == "up")
    if call.as_json:
        print_json({"item": item, "points": points, "today": today})
    else:
        click.echo(f"Noted: {points:+d} for {item or 'today'}. Today: {today} points.")

    return 0
