"""`heartbeat open`: HEARTBEAT.md, or a receipt, in the person's editor."""

from pathlib import Path

import click

from core import bootstrap
from core.model.errors import HeartbeatError
from tray_app.cli.main import Call
from tray_app.cli.receipt import receipt

LAST = "last"


@click.command("open", short_help="Open HEARTBEAT.md in your editor.")
@click.option("--receipt", "which", metavar="WHICH", help="A beat's number, an item's last run, or `last`.")
@click.pass_obj
def command(call: Call, which: str | None) -> int:
    """Open HEARTBEAT.md in your default editor; with --receipt, what is known of a beat or of an item's last run."""
    root = bootstrap.locate_workspace(call.workspace)
    if which:
        open_receipt(root, which)
    else:
        bootstrap.open_file(root)
    return 0


def open_receipt(root: Path, which: str) -> None:
    beat, item = find_beat(root, which)
    found = bootstrap.receipts(root, item, beat) if beat else []
    if not found:
        raise HeartbeatError(f"There is no receipt of {which}.", "See what there is: heartbeat history")
    now = bootstrap.local_now(root)
    pages = ["\n".join(receipt(one, evidence, now)) for one, evidence in found]
    bootstrap.open_text(root, f"beat-{beat}", "\n\n".join(pages) + "\n")


def find_beat(root: Path, which: str) -> tuple[int, str | None]:
    """The beat's number (0: none), and the item where one was named."""
    if which.isdigit():
        return int(which), None
    if which == LAST:
        return bootstrap.last_beat(root), None
    return next((one.beat for one in bootstrap.history(root, which) if one.beat), 0), which
