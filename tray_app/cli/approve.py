"""`heartbeat approve`: show everything that waits for approval, with what a person needs to
decide, and ask."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from core.model.approval import Reviewed, ReviewState, SealFile, ValidApprovals
from core.model.errors import HeartbeatError
from core.model.settings import Settings
from core.rules.approving.coming import coming_lines, items_of, worth_offering
from core.rules.approving.page import ApprovalPage, Row, lines_of, page_of
from core.rules.printable import for_terminal, shown
from core.rules.reading.findings import did_you_mean
from core.rules.workspace_names import short_path
from core.services import Services
from core.usecases import approving, planning, workspaces
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.words import instant_and_distance


@click.command("approve")
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option("--all", "everything", is_flag=True, help="Approve everything that waits.")
@json_option
@click.pass_obj
def command(call: Call, ids: tuple[str, ...], everything: bool) -> int:
    """Show each command, address or file operation that is new or changed, and ask whether it may
    run.

    What was approved before the folder was moved is asked about once, all together. With IDs or
    --all it does not ask. Without a terminal it only lists them. What was approved is
    followed by when it runs, and on a terminal by the offer to run it now.
    """
    services = call.services()
    reviewed, given = approving.review(services)
    if given.trouble and given.trouble.is_locked:
        # What was approved before cannot be told from what is new, and no approval can be kept.
        raise HeartbeatError(given.trouble.problem.message, given.trouble.problem.hint)

    waiting = [one for one in reviewed if one.waits]
    chosen = waiting if everything else named(reviewed, ids)
    refused = [one for one in chosen if one.standing is ReviewState.UNREADABLE]
    approved = [one for one in chosen if one.waits and one not in refused]

    if ids or everything:
        if not call.as_json:
            print_pages(approved, services.settings)
        approving.approve(services, approved)
    elif not call.as_json:
        print_trouble(given)
        print_move(services, waiting)
        if is_on_terminal():
            kept = keep_moved(services, waiting)
            approved = [*kept, *approve_each(services, [one for one in waiting if one not in kept])]
        else:
            print_pages(waiting, services.settings)

    seal_file = services.approvals.seal_file()
    if call.as_json:
        shown = as_json(waiting, approved, given, seal_file, services.settings)
        print_json({**shown, "moved_from": services.identity.moved_from()})
    else:
        print_end(waiting, approved, seal_file)

    for one in refused:
        click.echo(f"heartbeat: {one.key}: {page_of(one, services.settings).standing}", err=True)

    code = 1 if refused else 0
    return code if call.as_json or not approved else answer_when(services, approved) or code


def answer_when(services: Services, approved: Sequence[Reviewed]) -> int:
    """Say when what was approved runs and, on a terminal, offer to run it now. Return the exit code
    of that run; 0 if there was none."""
    plan = planning.plan(services)
    starting = planning.starting(services)
    for line in coming_lines(approved, plan, starting, instant_and_distance):
        click.echo(for_terminal(line))

    offered = worth_offering(items_of(approved, plan), starting)
    if not offered or not is_on_terminal():
        return 0

    names = ", ".join(for_terminal(item.id) for item in offered)
    if not click.confirm(f"Run {names} now?", default=False):
        return 0

    from tray_app.cli.run import run_now  # imported here: most approvals need none of it

    return run_now(services, [item.key for item in offered], as_json=False)


def is_on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def named(reviewed: Sequence[Reviewed], ids: Sequence[str]) -> list[Reviewed]:
    """What the ids mean: a key such as `gate:inbox`, or the id of an item, which means all of
    its parts."""
    known = sorted({one.executable.id for one in reviewed})
    for name in ids:
        if not any(name in (one.key, one.executable.id) for one in reviewed):
            fix = "Nothing in this workspace executes anything."
            if known:
                fix = did_you_mean(name, known)

            raise HeartbeatError(f"There is nothing to approve under `{shown(name)}`.", fix)

    return [one for one in reviewed if one.key in ids or one.executable.id in ids]


def print_move(services: Services, waiting: Sequence[Reviewed]) -> None:
    """Say where the folder was when something that waits was approved."""
    if not moved_ones(waiting):
        return

    old = services.identity.moved_from()
    place = f" from {short(services, old)}" if old else ""
    click.echo(f"This folder was moved{place} to {workspaces.shown_root(services)}.\n")


def keep_moved(services: Services, waiting: Sequence[Reviewed]) -> list[Reviewed]:
    """Ask once about all that was approved before the folder was moved and is the same since."""
    moved = moved_ones(waiting)
    if not moved:
        return []

    click.echo("Approved before, and the same since, scripts included:")
    pages = [page_of(one, services.settings) for one in moved]
    for page in pages:
        click.echo(f"  {page.key}  {page.title}")

    question = f"Keep these {len(moved)} approvals?" if moved[1:] else "Keep this approval?"
    if not click.confirm(question, default=False):
        click.echo("")
        return []

    approving.approve(services, moved)
    return moved


def moved_ones(waiting: Sequence[Reviewed]) -> list[Reviewed]:
    return [one for one in waiting if one.standing is ReviewState.MOVED]


def short(services: Services, path: str) -> str:
    return for_terminal(short_path(Path(path), services.home))


def approve_each(services: Services, waiting: Sequence[Reviewed]) -> list[Reviewed]:
    """Ask about one after the other. What was approved is kept if the person stops halfway."""
    approved: list[Reviewed] = []
    try:
        approved += (one for one in waiting if ask(one, services.settings))
    finally:
        approving.approve(services, approved)

    return approved


def ask(one: Reviewed, settings: Settings) -> bool:
    print_pages([one], settings)
    return one.standing is not ReviewState.UNREADABLE and click.confirm(
        "Approve it?", default=False
    )


def print_pages(reviewed: Sequence[Reviewed], settings: Settings) -> None:
    for one in reviewed:
        click.echo("\n".join([*lines_of(page_of(one, settings)), ""]))


def print_trouble(given: ValidApprovals) -> None:
    if given.trouble:
        problem = given.trouble.problem
        click.echo(f"heartbeat: {problem.message}\n  {problem.hint}\n", err=True)


def print_end(
    waiting: Sequence[Reviewed], approved: Sequence[Reviewed], seal_file: SealFile | None
) -> None:
    if approved:
        click.echo(f"Approved: {', '.join(one.key for one in approved)}.")

    left = len(waiting) - len(approved)
    if left:
        click.echo(f"{left} waiting for your approval: heartbeat approve ID, or --all.")
    elif not approved:
        click.echo("Nothing waits for your approval.")

    if seal_file:
        click.echo(
            f"The approvals are sealed with a key in {seal_file.path}, because: {seal_file.why}",
            err=True,
        )


def as_json(
    waiting: Sequence[Reviewed],
    approved: Sequence[Reviewed],
    given: ValidApprovals,
    seal_file: SealFile | None,
    settings: Settings,
) -> dict[str, object]:
    return {
        "waiting": [_entry(one, page_of(one, settings)) for one in waiting if one not in approved],
        "approved": [one.key for one in approved],
        "trouble": trouble_message(given),
        "seal": {
            "key": seal_file.path if seal_file else "keyring",
            "reason": seal_file.why if seal_file else None,
        },
    }


def trouble_message(given: ValidApprovals) -> str | None:
    return given.trouble.problem.message if given.trouble else None


def _entry(one: Reviewed, page: ApprovalPage) -> dict[str, object]:
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
