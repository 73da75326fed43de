"""`heartbeat next`: when a schedule comes next, and whether it would be due now."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from itertools import chain, islice
from zoneinfo import ZoneInfo

import click

from core import bootstrap
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.schedule import Due, Every, Schedule
from core.rules.timing.due import HOWEVER_LATE, due, local_day
from core.rules.timing.durations import duration_words
from core.rules.timing.expressions import normalized, read_schedule
from core.rules.timing.moments import moment_text, read_moment
from core.rules.timing.slots import next_slot, slots_after
from core.rules.timing.wording import clock_change, sentence
from core.rules.timing.zones import in_zone, read_zone
from tray_app.cli.main import Call, print_json


@click.command(short_help="When a schedule comes next.")
@click.argument("expression", metavar="EXPR")
@click.option("-n", "count", type=click.IntRange(1, 1000), default=5, help="How many occurrences; 5 without it.")
@click.option("--now", "now_text", metavar="TIME", help="Another moment than the present one.")
@click.option("--last", "last_text", metavar="TIME", help="When it last started; without it, it never ran.")
@click.option("--first-seen", "first_seen_text", metavar="TIME", help="Since when it has had this schedule.")
@click.option("--tz", "zone_name", metavar="ZONE", help="Another zone than the system's, such as Europe/Berlin.")
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
    """Say when EXPR comes next, and whether it would be due now."""
    clock = bootstrap.clock()
    zone = clock.zone() if zone_name is None else _zone(zone_name)
    now = _moment(now_text, zone) or clock.now().replace(microsecond=0)
    last, first_seen = _moment(last_text, zone), _moment(first_seen_text, zone)
    schedule = read_schedule(expression)
    if isinstance(schedule, Problem):
        raise HeartbeatError(schedule.message, schedule.hint)
    # An offset tells where the last start was; UTC mostly only means that somebody's clock speaks UTC.
    last_day = local_day(schedule, last if last.utcoffset() else in_zone(last, zone)) if last else None
    seen = first_seen or last or now
    decision = due(schedule, now, zone, last, None, seen, HOWEVER_LATE, last_day=last_day)
    occurrences = list(islice(_occurrences(schedule, decision, now, zone), count))
    if call.as_json:
        print_json(
            {
                "expression": expression,
                "normalized": normalized(schedule),
                "timezone": str(zone),
                "due": decision.slot is not None,
                "slot": decision.slot.isoformat() if decision.slot else None,
                "occurrences": [slot.isoformat() for slot in occurrences],
                "sentence": sentence(schedule),
                "reason": decision.reason,
            }
        )
    else:
        click.echo(_words(schedule, decision, occurrences, in_zone(now, zone), zone))


def _occurrences(schedule: Schedule, decision: Due, now: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Strictly after now; where it is due, `every:` counts its next from now."""
    first = next_slot(schedule, now, zone) if isinstance(schedule, Every) and decision.slot else decision.next
    return chain([first], slots_after(schedule, first, zone)) if first else iter(())


def _words(schedule: Schedule, decision: Due, occurrences: list[datetime], now: datetime, zone: tzinfo) -> str:
    lines = [f"{sentence(schedule)}."]
    if decision.slot:
        lines.append(f"Due now: {decision.reason}.")
    for number, slot in enumerate(occurrences):
        lines.append(f"{'      ' if number else 'Next: '}{moment_text(slot, now)} (in {duration_words(slot - now)})")
        if change := clock_change(schedule, slot, zone):
            lines.append(f"        {change}")
    if not occurrences and not decision.slot:
        lines.append(f"Nothing to come: {decision.reason}.")
    return "\n".join([" ".join(lines[:2]), *lines[2:]])


def _zone(name: str) -> ZoneInfo:
    zone = read_zone(name)
    if isinstance(zone, Problem):
        raise HeartbeatError(zone.message, zone.hint)
    return zone


def _moment(text: str | None, zone: tzinfo) -> datetime | None:
    moment = None if text is None else read_moment(text, zone)
    if isinstance(moment, Problem):
        raise HeartbeatError(moment.message, moment.hint)
    return moment
