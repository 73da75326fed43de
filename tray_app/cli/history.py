"""`heartbeat history`: what happened, newest first."""

from datetime import date, datetime
from pathlib import Path

import click

from core import bootstrap
from core.model.errors import HeartbeatError
from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence, Outcome
from core.model.verdict import Verdict
from core.rules.reporting.evidence import evidence_json
from core.rules.reporting.history import history_entry
from tray_app.cli.check import cut
from tray_app.cli.main import Call, json_option, print_json
from tray_app.cli.receipt import receipt, verdict_suffix
from tray_app.cli.words import moment, usage_json

COLOURS = {Outcome.COMPLETED: "green", Outcome.FAILED: "red", Outcome.INTERRUPTED: "red"}


@click.command("history", short_help="Say what happened, newest first.")
@click.argument("item", required=False)
@click.option("--day", metavar="DAY", type=click.DateTime(["%Y-%m-%d"]), help="Only that day, such as 2026-01-15.")
@click.option("--outcome", type=click.Choice([str(outcome) for outcome in Outcome]), help="Only what ended like this.")
@click.option("--verdict", type=click.Choice([str(verdict) for verdict in Verdict]), help="Only what was found so.")
@click.option("--beat", type=click.IntRange(1), metavar="N", help="The receipt of ITEM in that beat.")
@click.option("--limit", type=click.IntRange(1, 100000), default=20, show_default=True)
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
    """Say what happened to ITEM (else to all), newest first, with the reason of every start, wait and skip."""
    root = bootstrap.locate_workspace(call.workspace)
    if beat is not None:
        return show_receipts(call, root, item, beat)
    on: date | None = day.date() if day else None
    found = bootstrap.history(
        root, item, on, Outcome(outcome) if outcome else None, limit, Verdict(verdict) if verdict else None
    )
    now = bootstrap.local_now(root)
    if call.as_json:
        print_json({"occurrences": [history_entry(one, bootstrap.noted_zone(root)) for one in found]})
    elif not found:
        click.echo(
            "Nothing happened yet." if not (item or day or outcome or verdict) else "Nothing like that happened."
        )
    else:
        click.echo("\n".join(line(one, now) for one in found))
    return 0


def show_receipts(call: Call, root: Path, item: str | None, beat: int) -> int:
    """All that is known of an item, or of all items, in one beat."""
    found = bootstrap.receipts(root, item, beat)
    if not found:
        raise HeartbeatError(f"There is nothing of {item or 'that'} in beat {beat}.", "See: heartbeat history")
    use, now = bootstrap.model_use(root, beat), bootstrap.local_now(root)
    if call.as_json:
        rows = [
            {
                **history_entry(one, bootstrap.noted_zone(root)),
                "evidence": evidence_json(evidence) if evidence else None,
            }
            for one, evidence in found
        ]
        print_json({"occurrences": rows, "model": usage_json(use.usage if use else None)})
    else:
        click.echo("\n\n".join("\n".join(receipt(one, evidence, now, use)) for one, evidence in found))
    return 0


def line(one: Occurrence, now: datetime) -> str:
    when = moment(one.started or one.recorded, now)
    outcome = click.style(
        f"{str(one.outcome or one.state).replace('_', ' '):<12}", fg=COLOURS.get(one.outcome or Outcome.MISSED)
    )
    words = one.error or one.result or one.reason
    took = f" ({one.duration.total_seconds():.1f} s)" if one.duration else ""
    name = f"{cut(identifier_of_key(one.item), 28):<20}"
    return f"{when:>16}  {outcome} {name}{took}  {cut(words, 100)}{verdict_suffix(one)}"
