"""`heartbeat history`: what happened, newest first."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import click

from core.model.errors import HeartbeatError
from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence, Outcome, Verdict
from core.rules.reporting.endings import BETWEEN, ending_of, words_of
from core.rules.reporting.evidence import evidence_json
from core.rules.reporting.history import history_entry
from core.services import Services
from core.usecases import records, workspaces
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.check import cut
from tray_app.cli.colours import OF_TONE
from tray_app.cli.receipt import receipt
from tray_app.cli.tables import shortened, table
from tray_app.cli.words import clock_words, exact_instant, trouble_words, usage_json, zone_words

LONGEST_NAME = 28
MOST_OF_WORDS = 160  # characters of what went well
MOST_FOLDED = 24  # lines of one row


class Day(click.DateTime):
    """A date. What else is written gets an answer in words instead of a format."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a date; write one like 2026-11-18.", param, ctx)


@click.command("history")
@click.argument("item", required=False)
@click.option(
    "--day",
    metavar="DAY",
    type=Day(),
    help="Only that day, such as 2026-11-18.",
)
@click.option(
    "--outcome",
    type=click.Choice([str(outcome) for outcome in Outcome]),
    help="Only what ended like this.",
)
@click.option(
    "--verdict",
    type=click.Choice([str(verdict) for verdict in Verdict]),
    help="Only what got this verdict.",
)
@click.option(
    "--beat",
    type=click.IntRange(1),
    metavar="N",
    help="The receipts of that beat, or of ITEM in it.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 100000),
    metavar="N",
    default=20,
    show_default=True,
    help="How many to show.",
)
@json_option
@click.pass_obj
def command(
    call: Call,
    item: str | None,
    day: datetime | None,
    outcome: str | None,
    verdict: str | None,
    beat: int | None,
    limit: int,
) -> int:
    """Show what happened to ITEM, or to every item, newest first, with the reason for every start,
    wait and skip."""
    services = call.services()
    if beat is not None:
        return show_receipts(call, services, item, beat)

    on: date | None = day.date() if day else None
    found = records.history(
        services,
        item,
        on,
        Outcome(outcome) if outcome else None,
        limit,
        Verdict(verdict) if verdict else None,
    )

    now = workspaces.local_now(services)

    if call.as_json:
        print_json(
            {"occurrences": [history_entry(one, workspaces.noted_zone(services)) for one in found]}
        )
        return 0

    for words in trouble_words(workspaces.settings_trouble(services)):
        click.echo(f"heartbeat: {words}", err=True)

    if not found:
        is_filtered = item or day or outcome or verdict
        click.echo("Nothing matches." if is_filtered else "Nothing has happened yet.")
    else:
        lines = [*listed(found, now), *zone_words(now, services.clock.zone())]
        click.echo("\n".join(lines))

    return 0


def show_receipts(call: Call, services: Services, item: str | None, beat: int) -> int:
    """Show all that is known about an item, or about every item, in one beat."""
    found = records.receipts(services, item, beat)
    if not found:
        what = f"There is no receipt of {item} in beat" if item else "There are no receipts of beat"
        raise HeartbeatError(f"{what} {beat}.", "See what there is: heartbeat history")

    use = records.model_use(services, beat)
    now = workspaces.local_now(services)
    if call.as_json:
        rows = [
            {
                **history_entry(one, workspaces.noted_zone(services)),
                "evidence": evidence_json(evidence) if evidence else None,
            }
            for one, evidence in found
        ]
        print_json({"occurrences": rows, "model": usage_json(use.usage if use else None)})
    else:
        columns = terminal_width()
        shown = [receipt(one, evidence, now, use, columns) for one, evidence in found]
        zone = zone_words(now, services.clock.zone())
        click.echo("\n\n".join("\n".join(lines) for lines in (*shown, zone) if lines))

    return 0


def listed(found: Sequence[Occurrence], now: datetime) -> list[str]:
    """The rows as lines. An error says what to do at its end, so it is shown whole."""
    rows = []
    for one in found:
        cells, words = row(one, now)
        rows.append((cells, words if one.error else cut(words, MOST_OF_WORDS)))

    return table(rows, terminal_width(), most=MOST_FOLDED)


def row(one: Occurrence, now: datetime) -> tuple[tuple[str, ...], str]:
    """One line of the list: the verdict comes first, and a claim is shown as one."""
    end = ending_of(one)
    words = BETWEEN.join(_words(one, now))
    took = f" ({one.duration.total_seconds():.1f} s)" if one.duration else ""
    cells = (
        exact_instant(one.started or one.recorded, now),
        click.style(end.with_points, fg=OF_TONE[end.tone]),
        shortened(identifier_of_key(one.item), LONGEST_NAME),
    )

    return cells, f"{words}{took}".lstrip()


def _words(one: Occurrence, now: datetime) -> list[str]:
    if one.outcome is None and one.started is not None:
        return [f"running since {clock_words(one.started, now)}"]

    return words_of(one, has_run=one.started is not None)
