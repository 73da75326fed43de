"""`heartbeat revoke`: takes approvals back; what they were for waits again."""

from collections.abc import Iterable

import click

from core.model.errors import HeartbeatError
from core.rules.printable import shown, visible
from core.rules.reading.findings import did_you_mean
from core.usecases import approving, workspaces
from tray_app.cli.approve import print_trouble, trouble_message
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.words import instant_or_never

BY = {"person": "by you", "init": "by heartbeat init", "saving": "by saving it"}


@click.command("revoke")
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option(
    "--all", "everything", is_flag=True, help="Take back every approval of this workspace."
)
@json_option
@click.pass_obj
def command(call: Call, ids: tuple[str, ...], everything: bool) -> int:
    """Take approvals back: what they were for waits again. Without IDs: list what is approved."""
    services = call.services()
    given = services.approvals.proven()
    known = given.approvals
    keys = set(known) if everything else named(known, ids)
    if keys or everything:
        approving.revoke(services, keys)

    left = [one for key, one in known.items() if key not in keys]
    if call.as_json:
        approved = [{"key": one.key, "at": one.at.isoformat(), "by": str(one.by)} for one in left]
        print_json(
            {"revoked": sorted(keys), "approved": approved, "trouble": trouble_message(given)}
        )
        return 0

    print_trouble(given)
    if keys:
        click.echo(f"Revoked: {visible(', '.join(sorted(keys)))}.")
    elif not left:
        click.echo("Nothing is approved.")
    elif not ids:
        now = workspaces.local_now(services)
        click.echo(
            "".join(
                f"{visible(one.key)}  {BY[one.by]}, {instant_or_never(one.at, now)}\n"
                for one in left
            ),
            nl=False,
        )

    return 0


def named(known: Iterable[str], ids: Iterable[str]) -> set[str]:
    """The keys that the ids mean: a key itself, or the id of an item with all of its parts."""
    names = {key: (key, key.partition(":")[2]) for key in known}
    for one in ids:
        if not any(one in both for both in names.values()):
            fix = (
                did_you_mean(one, sorted({short for _, short in names.values()}))
                if names
                else "Nothing is approved."
            )
            raise HeartbeatError(f"Nothing is approved under `{shown(one)}`.", fix)

    return {key for key, both in names.items() if any(one in both for one in ids)}
