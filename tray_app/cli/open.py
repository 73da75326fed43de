"""`heartbeat open`: HEARTBEAT.md, or a receipt, in the person's editor."""

import click

from core.model.errors import HeartbeatError
from core.services import Services
from core.usecases import desktop, records, workspaces
from tray_app.cli.call import Call
from tray_app.cli.receipt import receipt

LAST = "last"


@click.command("open")
@click.option(
    "--receipt",
    "which",
    metavar="WHICH",
    help="A beat's number, an item's id for its last run, or `last`.",
)
@click.pass_obj
def command(call: Call, which: str | None) -> int:
    """Open HEARTBEAT.md in your default editor; with --receipt, what is known about a beat or about
    an item's last run."""
    services = call.services()
    if which:
        open_receipt(services, which)
    else:
        desktop.open_heartbeat_file(services)

    return 0


def open_receipt(services: Services, which: str) -> None:
    beat, item = find_beat(services, which)
    found = records.receipts(services, item, beat) if beat else []
    if not found:
        raise HeartbeatError(
            f"There is no receipt of {which}.", "See what there is: heartbeat history"
        )

    now = workspaces.local_now(services)
    pages = ["\n".join(receipt(one, evidence, now)) for one, evidence in found]
    text = click.unstyle("\n\n".join(pages))  # an editor shows colours as strange characters
    desktop.open_text(services, f"beat-{beat}", f"{text}\n")


def find_beat(services: Services, which: str) -> tuple[int, str | None]:
    """Return the beat's number (0: there is none), and the item if the person named one."""
    if which.isdigit():
        return int(which), None
    if which == LAST:
        return records.last_beat(services), None

    for one in records.history(services, which):
        if one.beat:
            return one.beat, which

    return 0, which
