"""`heartbeat undo`: put back what an action overwrote or deleted."""

import click

from core import bootstrap
from core.model.errors import HeartbeatError
from core.model.holder import Holder
from core.model.undo import UndoRefused
from tray_app.cli.main import Call, harmless, json_option, print_json
from tray_app.cli.run import busy


@click.command("undo", short_help="Put back what was overwritten or deleted.")
@click.argument("which", metavar="[BEAT|ITEM]", required=False)
@json_option
@click.pass_obj
def command(call: Call, which: str | None) -> int:
    """Put back, byte for byte, what the last action (or that of BEAT or ITEM) overwrote or deleted.

    Refused as a whole where you have changed one of the files since.
    """
    root = bootstrap.locate_workspace(call.workspace)
    done = bootstrap.undo(root, which)
    if isinstance(done, Holder):
        return busy(done, call.as_json)
    if isinstance(done, UndoRefused):
        raise HeartbeatError(f"Not undone: {done.reason}.", "See what happened: heartbeat history")
    if call.as_json:
        print_json({"undone": list(done.paths), "items": list(done.lines)})
        return 0
    click.echo("As it was before; what was new is gone:")
    for path in done.paths:
        click.echo(f"  {harmless(path)}")
    return 0
