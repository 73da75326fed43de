"""`heartbeat simulate`: every start of the next hours, before anything is switched on."""

import math
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core import bootstrap
from core.rules.simulating import Start
from tray_app.cli.check import cut
from tray_app.cli.line_readings import counted
from tray_app.cli.main import Call, json_option, print_json
from tray_app.cli.words import approval_words, dollars, until

if TYPE_CHECKING:
    from core.model.agent import Usage

MANY = 12  # starts of one item that are told in one line


def _is_number(_context: click.Context, _option: click.Parameter, hours: float) -> float:
    if math.isnan(hours):  # it is neither below nor above any bound
        raise click.BadParameter("nan is no number of hours.")
    return hours


@click.command("simulate", short_help="Say every start of the next hours.")
@click.option("--hours", type=click.FloatRange(0, 24 * 366), default=24.0, show_default=True, callback=_is_number)
@json_option
@click.pass_obj
def command(call: Call, hours: float) -> int:
    """Say every start of the next hours, as if each run succeeded at once. Nothing is run or changed."""
    root = bootstrap.locate_workspace(call.workspace)
    starts, average = bootstrap.simulate(root, timedelta(hours=hours)), bootstrap.average_batch(root)
    if call.as_json:
        print_json(as_json(starts, hours, average))
    else:
        waiting = approval_words(bootstrap.approvals_waiting(root))
        forecasts = forecast(model_calls(starts), average)
        click.echo("\n".join([*standstill(root), *lines(starts, hours), *forecasts, *waiting]))
    return 0


def standstill(root: Path) -> list[str]:
    """Why nothing starts by itself now."""
    if not bootstrap.settings_of(root).enabled:
        return ["Switched off by the settings (enabled = false): nothing starts by itself."]
    pause = bootstrap.pause_of(root)
    return [f"Paused {until(pause.until, bootstrap.local_now(root))}."] if pause else []


def forecast(calls: int, average: "Usage | None") -> list[str]:
    """What the model calls would use, as far as those before tell."""
    if not calls:
        return []
    if average is None:
        return ["What they cost can be said after the first one."]
    tokens = calls * (average.input_tokens + average.output_tokens)
    cost = f", {dollars(calls * average.usd)}" if average.usd is not None else "; no price is known"
    return [f"As the last ones on average: {calls * average.requests:,} requests, {tokens:,} tokens{cost}."]


def as_json(starts: list[Start], hours: float, average: "Usage | None" = None) -> dict[str, object]:
    return {
        "hours": hours,
        "starts": [
            {"at": start.at.isoformat(), "id": start.id, "kind": str(start.kind), "needs_model": start.needs_model}
            for start in starts
        ],
        "model_calls": model_calls(starts),
        "model": _forecast_json(model_calls(starts), average),
    }


def _forecast_json(calls: int, average: "Usage | None") -> dict[str, object] | None:
    """Null where calls are to come and none was made before."""
    if average is None:
        return None if calls else {"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    return {
        "requests": calls * average.requests,
        "input_tokens": calls * average.input_tokens,
        "output_tokens": calls * average.output_tokens,
        "usd": None if average.usd is None else calls * average.usd,
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
