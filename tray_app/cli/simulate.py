"""`heartbeat simulate`: every start of the next hours, before anything is switched on."""

from collections import Counter
from datetime import timedelta

import click

from core import bootstrap
from core.rules.simulating import Start
from tray_app.cli.check import cut
from tray_app.cli.line_readings import counted
from tray_app.cli.main import Call, json_option, print_json

MANY = 12  # starts of one item that are told in one line


@click.command("simulate", short_help="Say every start of the next hours.")
@click.option("--hours", type=click.FloatRange(0, 24 * 366), default=24.0, show_default=True)
@json_option
@click.pass_obj
def command(call: Call, hours: float) -> int:
    """Say every start of the next hours, as if each run succeeded at once. Nothing is run or changed."""
    starts = bootstrap.simulate(bootstrap.locate_workspace(call.workspace), timedelta(hours=hours))
    if call.as_json:
        print_json(as_json(starts, hours))
    else:
        click.echo("\n".join(lines(starts, hours)))
    return 0


def as_json(starts: list[Start], hours: float) -> dict[str, object]:
    return {
        "hours": hours,
        "starts": [
            {"at": start.at.isoformat(), "id": start.id, "kind": str(start.kind), "needs_model": start.needs_model}
            for start in starts
        ],
        "model_calls": model_calls(starts),
    }


def model_calls(starts: list[Start]) -> int:
    """Whatever needs a model at one moment goes into one batch."""
    return len({start.at for start in starts if start.needs_model})


def lines(starts: list[Start], hours: float) -> list[str]:
    counts = Counter((start.kind, start.id) for start in starts)
    told: set[tuple[str, str]] = set()
    rows: list[str] = []
    day = None
    for start in starts:
        key = (start.kind, start.id)
        if key in told:
            continue
        if start.at.date() != day:
            day = start.at.date()
            rows.append(f"{start.at:%A} {day.day} {start.at:%B}")
        times = ""
        if counts[key] > MANY:
            told.add(key)
            last = max(other.at for other in starts if (other.kind, other.id) == key)
            times = f"  and {counts[key] - 1} more until {last:%a %H:%M}"
        model = "  (model)" if start.needs_model else ""
        rows.append(f"  {start.at:%H:%M:%S}  {start.kind:<7} {cut(start.id, 40)}{times}{model}")
    total = f"{counted(len(starts), 'start')} in {hours:g} hours, {counted(model_calls(starts), 'model call')}."
    return [*rows, "", total] if rows else [f"Nothing would start in the next {hours:g} hours."]
