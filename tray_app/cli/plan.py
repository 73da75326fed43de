"""`heartbeat plan`: show what would run now, why or why not, and when the next slot is."""

import click

from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.plan import Decision, Plan
from core.rules.timing.instants import read_instant
from core.usecases import approving, pausing, planning, reading, workspaces
from tray_app.cli import tables
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.colours import BAD, GOOD
from tray_app.cli.words import (
    approval_words,
    instant_and_distance,
    instant_or_never,
    refusal_words,
    until,
    zone_words,
)

COLOURS = {Decision.RUN: GOOD, Decision.BLOCKED: BAD}
LONGEST_NAME = 28


@click.command("plan")
@click.option("--at", metavar="TIME", help="As if it were that time (ISO 8601).")
@click.option(
    "--prompt", is_flag=True, help="Print exactly what a model would be asked, and nothing else."
)
@json_option
@click.pass_obj
def command(call: Call, at: str | None, prompt: bool) -> int:
    """Show for every item whether it would run now, why, and its next slot. Nothing is run or
    changed."""
    services = call.services()
    given = read_instant(at, reading.workspace_zone(services)) if at else None
    if isinstance(given, Problem):
        raise HeartbeatError(given.message, given.hint)
    if prompt:
        return show_prompt(call, planning.batch_prompt(services, given))

    plan = planning.plan(services, given)
    if call.as_json:
        print_json(as_json(plan))
    else:
        refused = refusal_words(reading.refusal(services))
        waiting = approval_words(approving.approvals_waiting(services))
        paused = []
        if at is None and (pause := pausing.pause_of(services)):
            paused = [f"Paused {until(pause.until, plan.now)}: nothing starts on its own."]

        unchecked = approving.unchecked_words(services, [item.why for item in plan.items])
        place = f"Workspace: {workspaces.shown_root(services)}"
        here = plan.now.astimezone(reading.workspace_zone(services))
        zone = zone_words(here, services.clock.zone())
        rows = table(plan, terminal_width())
        click.echo("\n".join([*refused, *rows, *unchecked, *waiting, *paused, *zone, place]))

    return 0


def show_prompt(call: Call, prompt: str) -> int:
    if call.as_json:
        print_json({"prompt": prompt or None})
    elif prompt:
        click.echo(prompt)
    else:
        click.echo("Nothing is due for a model now.", err=True)

    return 0


def as_json(plan: Plan) -> dict[str, object]:
    return {
        "now": plan.now.isoformat(),
        "items": [
            {
                "id": item.id,
                "kind": str(item.kind),
                "decision": str(item.decision),
                "reason": item.reason,
                "slot": item.slot.isoformat() if item.slot else None,
                "next": item.next.isoformat() if item.next else None,
            }
            for item in plan.items
        ],
        "next_wake": plan.next_wake.isoformat() if plan.next_wake else None,
    }


def table(plan: Plan, columns: int) -> list[str]:
    if not plan.items:
        return ["Nothing to do: the workspace has no items."]

    rows = []
    for item in plan.items:
        following = ""
        if item.next and item.decision is not Decision.WAIT:
            following = f" (next: {instant_or_never(item.next, plan.now)})"

        cells = (
            click.style(str(item.decision), fg=COLOURS.get(item.decision)),
            str(item.kind),
            tables.shortened(item.id, LONGEST_NAME),
        )
        rows.append((cells, f"{item.reason}{following}"))

    running = sum(item.decision is Decision.RUN for item in plan.items)
    coming = instant_and_distance(plan.next_wake, plan.now)
    last = f"{running} would run now. Next wake-up: {coming}."
    return [*tables.table(rows, columns), "", last]
