"""`heartbeat undo`: put back what an action overwrote or deleted."""

import click

from core.model.errors import HeartbeatError
from core.model.file_work import UndoRefused
from core.model.holder import Holder
from core.rules.printable import for_terminal
from core.usecases import beats
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.run import busy


@click.command("undo")
@click.argument("which", metavar="[BEAT|ITEM]", required=False)
@json_option
@click.pass_obj
def command(call: Call, which: str | None) -> int:
    """Put back, byte for byte, what the last action (or that of BEAT or ITEM) overwrote or deleted.

    If you have changed one of the files since, nothing is put back.
    """
    services = call.services()
    done = beats.undo(services, which)
    if isinstance(done, Holder):
        return busy(done, beats.items_at_work(services, done), call.as_json)
    if isinstance(done, UndoRefused):
        raise HeartbeatError(f"Not undone: {done.reason}.", "See what happened: heartbeat history")

    if call.as_json:
        answer = {"undone": list(done.paths), "items": list(done.lines), "file": done.file}
        print_json(answer)
        return 0

    click.echo("Put back as it was, or removed if it was new:")
    for path in done.paths:
        click.echo(f"  {for_terminal(path)}")

    if done.file:
        click.echo(f"In {done.file}, the lines that Heartbeat wrote about it are as they were too.")

    return 0
