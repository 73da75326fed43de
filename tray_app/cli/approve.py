"""`heartbeat approve`: shows what waits for the person's word, each as one would want to judge it, then asks."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from core import bootstrap
from core.model.approval import Given, Judged, SealHome, Standing
from core.model.errors import HeartbeatError
from core.model.settings import Settings
from core.rules.permitting.showing import Row, Showing, lines_of, showing_of
from core.rules.reading.findings import did_you_mean, shown
from tray_app.cli.main import Call, json_option, print_json

if TYPE_CHECKING:
    from core.engine.world import World


@click.command("approve", short_help="Show what waits for your approval, and give it.")
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option("--all", "everything", is_flag=True, help="Approve everything that waits.")
@json_option
@click.pass_obj
def command(call: Call, ids: tuple[str, ...], everything: bool) -> int:
    """Show each command, address or file operation that is new or changed, and ask whether it may run.

    With IDs or --all nothing is asked. Without a terminal they are only listed.
    """
    world = bootstrap.open_world(bootstrap.locate_workspace(call.workspace))
    judged, given = bootstrap.judged(world)
    waiting = [one for one in judged if one.waits]
    chosen = waiting if everything else named(judged, ids)
    refused = [one for one in chosen if one.standing is Standing.UNREADABLE]
    approved = [one for one in chosen if one.waits and one not in refused]
    if ids or everything:
        if not call.as_json:
            print_pages(approved, world.settings)
        bootstrap.approve(world, approved)
    elif not call.as_json:
        print_trouble(given)
        if sys.stdin.isatty() and sys.stdout.isatty():
            approved = approve_each(world, waiting)
        else:
            print_pages(waiting, world.settings)
    home = world.approvals.home()
    if call.as_json:
        print_json(as_json(waiting, approved, given, home, world.settings))
    else:
        print_end(waiting, approved, home)
    for one in refused:
        click.echo(f"heartbeat: {one.key}: {showing_of(one, world.settings).standing}", err=True)
    return 1 if refused else 0


def named(judged: Sequence[Judged], ids: Sequence[str]) -> list[Judged]:
    """Those that an id stands for: a key such as `gate:inbox`, or the id of an item with all of its parts."""
    for name in ids:
        if not any(name in (one.key, one.executable.id) for one in judged):
            known = sorted({one.executable.id for one in judged})
            mend = did_you_mean(name, known) if known else "Nothing in this workspace executes anything."
            raise HeartbeatError(f"There is nothing to approve under `{shown(name)}`.", mend)
    return [one for one in judged if one.key in ids or one.executable.id in ids]


def approve_each(world: "World", waiting: Sequence[Judged]) -> list[Judged]:
    """Ask for one after the other; a yes holds, also where the rest is broken off."""
    approved: list[Judged] = []
    try:
        approved += (one for one in waiting if ask(one, world.settings))
    finally:
        bootstrap.approve(world, approved)
    return approved


def ask(one: Judged, settings: Settings) -> bool:
    print_pages([one], settings)
    return one.standing is not Standing.UNREADABLE and click.confirm("Approve it?", default=False)


def print_pages(judged: Sequence[Judged], settings: Settings) -> None:
    for one in judged:
        click.echo("\n".join([*lines_of(showing_of(one, settings)), ""]))


def print_trouble(given: Given) -> None:
    if given.trouble:
        click.echo(f"heartbeat: {given.trouble}\n  {given.hint}\n", err=True)


def print_end(waiting: Sequence[Judged], approved: Sequence[Judged], home: SealHome) -> None:
    left = len(waiting) - len(approved)
    if approved:
        click.echo(f"Approved: {', '.join(one.key for one in approved)}.")
    if left:
        click.echo(f"{left} {'waits' if left == 1 else 'wait'} for your approval: heartbeat approve ID, or --all.")
    elif not approved:
        click.echo("Nothing waits for your approval.")
    if home.key_file:
        click.echo(f"The approvals are sealed with a key in {home.key_file}, because: {home.why}", err=True)


def as_json(
    waiting: Sequence[Judged],
    approved: Sequence[Judged],
    given: Given,
    home: SealHome,
    settings: Settings,
) -> dict[str, object]:
    return {
        "waiting": [_entry(one, showing_of(one, settings)) for one in waiting if one not in approved],
        "approved": [one.key for one in approved],
        "trouble": given.trouble or None,
        "seal": {"key": home.key_file or "keyring", "reason": home.why or None},
    }


def _entry(one: Judged, page: Showing) -> dict[str, object]:
    return {
        "key": page.key,
        "kind": str(one.executable.kind),
        "title": page.title,
        "where": page.where,
        "line": one.executable.line,
        "standing": str(one.standing),
        "fields": [_row(row) for row in page.fields],
        "scripts": [_row(row) for row in page.scripts],
        "reach": list(page.reach),
        "digest": one.digest,
    }


def _row(row: Row) -> dict[str, str | None]:
    return {"name": row.name, "before": row.before, "after": row.after}
