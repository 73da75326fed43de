"""`heartbeat pause`: start nothing by itself for a while."""

from datetime import timedelta

import click

from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.rules.timing.durations import read_duration
from core.rules.timing.instants import read_instant
from core.usecases import pausing, reading
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.words import until


@click.command("pause")
@click.argument("length", metavar="[DURATION|TIME|tomorrow]", required=False)
@json_option
@click.pass_obj
def command(call: Call, length: str | None) -> int:
    """Start nothing for DURATION (30m, 2h), until TIME (ISO 8601), until tomorrow, or else until
    `heartbeat resume`.

    `heartbeat run` still works, and the pause survives a restart.
    """
    services = call.services()
    zone = reading.workspace_zone(services)
    now = services.clock.now().astimezone(zone)
    end = None

    if length == "tomorrow":
        end = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    elif length:
        duration = read_duration(length)
        found = now + duration if isinstance(duration, timedelta) else read_instant(length, zone)
        if isinstance(found, Problem):
            assert isinstance(duration, Problem)
            raise HeartbeatError(duration.message, duration.hint)

        end = found

    if end and end <= now:
        raise HeartbeatError(f"{length} is not in the future.", "Write how long, such as `30m`.")

    pausing.pause(services, end)
    if call.as_json:
        print_json({"paused": True, "until": end.isoformat() if end else None})
    else:
        earlier = " earlier" if end else ""
        click.echo(f"Paused {until(end, now)}. To resume{earlier}: heartbeat resume")

    return 0
