"""`heartbeat next`: show when a schedule is due next, and whether it is due now."""

from collections.abc import Iterator
from datetime import date, datetime, tzinfo
from itertools import chain, islice
from zoneinfo import ZoneInfo

import click

from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.schedule import Due
from core.rules.timing.due import due
from core.rules.timing.durations import duration_words
from core.rules.timing.expressions import read_schedule
from core.rules.timing.instant_words import instant_words
from core.rules.timing.instants import read_instant
from core.rules.timing.schedule import HOWEVER_LATE, Schedule
from core.rules.timing.zones import in_zone, read_zone
from core.services import MachineServices
from tray_app.cli.call import Call, print_json


@click.command("next")
@click.argument("expression", metavar="EXPR")
@click.option(
    "-n",
    "count",
    type=click.IntRange(1, 1000),
    metavar="N",
    default=5,
    show_default=True,
    help="How many occurrences to show.",
)
@click.option("--now", "now_text", metavar="TIME", help="As if it were that time.")
@click.option(
    "--last",
    "last_text",
    metavar="TIME",
    help="When it last started; without it, it has never run.",
)
@click.option(
    "--first-seen", "first_seen_text", metavar="TIME", help="When it first had this schedule."
)
@click.option(
    "--tz",
    "zone_name",
    metavar="ZONE",
    help="A time zone such as Europe/Berlin; the system's without it.",
)
@click.pass_obj
def command(
    call: Call,
    expression: str,
    count: int,
    now_text: str | None,
    last_text: str | None,
    first_seen_text: str | None,
    zone_name: str | None,
) -> None:
    """Show when EXPR is due next, and whether it is due now."""
    clock = MachineServices().clock
    zone = clock.zone() if zone_name is None else _zone(zone_name)
    now = _instant(now_text, zone) or clock.now().replace(microsecond=0)
    last = _instant(last_text, zone)
    first_seen = _instant(first_seen_text, zone)
    schedule = read_schedule(expression)
    if isinstance(schedule, Problem):
        raise HeartbeatError(schedule.message, schedule.hint)

    seen = first_seen or last or now
    last_day = _local_day(schedule, last, zone)
    decision = due(schedule, now, zone, last, None, seen, HOWEVER_LATE, last_day=last_day)
    occurrences = list(islice(_occurrences(schedule, decision, now, zone), count))

    if call.as_json:
        print_json(_as_json(expression, schedule, zone, decision, occurrences))
    else:
        click.echo(_words(schedule, decision, occurrences, in_zone(now, zone), zone))


def _local_day(schedule: Schedule, last: datetime | None, zone: tzinfo) -> date | None:
    """The date that the last start counts for."""
    if last is None:
        return None

    # An offset says where the last start was; UTC usually only says that a clock uses UTC.
    return schedule.local_day(last if last.utcoffset() else in_zone(last, zone))


def _as_json(
    expression: str,
    schedule: Schedule,
    zone: tzinfo,
    decision: Due,
    occurrences: list[datetime],
) -> dict[str, object]:
    return {
        "expression": expression,
        "normalized": schedule.text(),
        "timezone": str(zone),
        "due": decision.slot is not None,
        "slot": decision.slot.isoformat() if decision.slot else None,
        "occurrences": [slot.isoformat() for slot in occurrences],
        "sentence": schedule.sentence(),
        "reason": decision.reason,
    }


def _occurrences(
    schedule: Schedule, decision: Due, now: datetime, zone: tzinfo
) -> Iterator[datetime]:
    """Strictly after now. If one that counts from its last start is due, its next occurrence
    counts from now."""
    first = decision.next
    if schedule.counts_from_last_start() and decision.slot:
        first = schedule.slot_after(now, zone)

    if not first:
        return iter(())

    return chain([first], schedule.slots_after(first, zone))


def _words(
    schedule: Schedule, decision: Due, occurrences: list[datetime], now: datetime, zone: tzinfo
) -> str:
    lines = [f"{schedule.sentence()}."]
    if decision.slot:
        lines.append(f"Due now: {decision.reason}.")

    for number, slot in enumerate(occurrences):
        lead = "      " if number else "Next: "
        lines.append(f"{lead}{instant_words(slot, now)} (in {duration_words(slot - now)})")

        if change := schedule.clock_change(slot, zone):
            lines.append(f"        {change}")

    if not occurrences and not decision.slot:
        lines.append(f"No next run: {decision.reason}.")

    return "\n".join([" ".join(lines[:2]), *lines[2:]])


def _zone(name: str) -> ZoneInfo:
    zone = read_zone(name)
    if isinstance(zone, Problem):
        raise HeartbeatError(zone.message, zone.hint)

    return zone


def _instant(text: str | None, zone: tzinfo) -> datetime | None:
    instant = None if text is None else read_instant(text, zone)
    if isinstance(instant, Problem):
        raise HeartbeatError(instant.message, instant.hint)

    return instant
