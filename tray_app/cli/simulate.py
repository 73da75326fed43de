"""`heartbeat simulate`: list everything that would start in the next hours."""

import math
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from core.rules.planning.forecast import Start
from core.services import Services
from core.usecases import approving, pausing, planning, records, workspaces
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.check import cut
from tray_app.cli.words import approval_words, counted, dollars, until

if TYPE_CHECKING:
    from core.model.agent import Usage

MANY = 12  # more starts of one item than this are shown on one line


def _is_number(_context: click.Context, _option: click.Parameter, hours: float) -> float:
    if math.isnan(hours):  # which passes the check of the range
        raise click.BadParameter("nan is not a number of hours.")
    return hours


@click.command("simulate")
@click.option(
    "--hours",
    type=click.FloatRange(0, 24 * 366),
    metavar="N",
    default=24.0,
    show_default=True,
    callback=_is_number,
)
@json_option
@click.pass_obj
def command(call: Call, hours: float) -> int:
    """List everything that would start in the next hours, as if each run succeeded at once.
    Nothing is run or changed."""
    services = call.services()
    starts = planning.simulate(services, timedelta(hours=hours))
    average = records.average_batch(services)
    if call.as_json:
        print_json(as_json(starts, hours, average))
    else:
        waiting = approval_words(approving.approvals_waiting(services))
        forecasts = forecast(model_calls(starts), average)
        click.echo(
            "\n".join([*why_nothing_starts(services), *lines(starts, hours), *forecasts, *waiting])
        )

    return 0


def why_nothing_starts(services: Services) -> list[str]:
    """Why nothing starts by itself now."""
    if not services.settings.enabled:
        words = (
            "Switched off in the settings (enabled = false): nothing starts on its own; "
            "heartbeat run still works."
        )
        return [words]

    pause = pausing.pause_of(services)
    return [f"Paused {until(pause.until, workspaces.local_now(services))}."] if pause else []


def forecast(calls: int, average: "Usage | None") -> list[str]:
    """What the model calls would use, estimated from earlier ones."""
    if not calls:
        return []
    if average is None:
        return ["Their cost can be estimated after the first one."]

    tokens = calls * (average.input_tokens + average.output_tokens)
    cost = f", {dollars(calls * average.usd)}" if average.usd is not None else "; no price is known"
    requests = calls * average.requests
    return [f"Estimated from the last ones: {requests:,} requests, {tokens:,} tokens{cost}."]


def as_json(starts: list[Start], hours: float, average: "Usage | None" = None) -> dict[str, object]:
    return {
        "hours": hours,
        "starts": [
            {
                "at": start.at.isoformat(),
                "id": start.id,
                "kind": str(start.kind),
                "needs_model": start.needs_model,
            }
            for start in starts
        ],
        "model_calls": model_calls(starts),
        "model": _forecast_json(model_calls(starts), average),
    }


def _forecast_json(calls: int, average: "Usage | None") -> dict[str, object] | None:
    """None if there are calls to come and none was made before."""
    if average is None:
        return None if calls else {"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    return {
        "requests": calls * average.requests,
        "input_tokens": calls * average.input_tokens,
        "output_tokens": calls * average.output_tokens,
        "usd": None if average.usd is None else calls * average.usd,
    }


def model_calls(starts: list[Start]) -> int:
    """Everything that needs a model at the same instant goes into one batch."""
    return len({start.at for start in starts if start.needs_model})


def lines(starts: list[Start], hours: float) -> list[str]:
    counts = Counter((start.kind, start.id) for start in starts)
    said: set[tuple[str, str]] = set()
    rows: list[str] = []
    day = None

    for start in starts:
        key = (start.kind, start.id)
        if key in said:
            continue

        if start.at.date() != day:
            day = start.at.date()
            rows.append(f"{start.at:%A} {day.day} {start.at:%B}")

        times = ""
        if counts[key] > MANY:
            said.add(key)
            last = max(other.at for other in starts if (other.kind, other.id) == key)
            times = f"  and {counts[key] - 1} more until {last:%a %H:%M}"

        model = "  (model)" if start.needs_model else ""
        rows.append(f"  {start.at:%H:%M:%S}  {start.kind:<7} {cut(start.id, 40)}{times}{model}")

    total = (
        f"{counted(len(starts), 'start')} in {hours:g} hours, "
        f"{counted(model_calls(starts), 'model call')}."
    )
    return [*rows, "", total] if rows else [f"Nothing would start in the next {hours:g} hours."]
