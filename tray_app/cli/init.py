"""`heartbeat init`: a starter workspace that runs at once, without a model."""

import os
from pathlib import Path

import click

from core.services import Services
from core.usecases import beats as starting
from tray_app.cli.call import Call, json_option, print_json


@click.command("init")
@click.argument("folder", metavar="[DIR]", required=False)
@json_option
@click.pass_obj
def command(call: Call, folder: str | None) -> int:
    """Make a starter workspace in DIR, or in this folder. Files that exist are never
    overwritten."""
    chosen = folder or call.workspace or os.environ.get("HEARTBEAT_WORKSPACE") or "."
    root = Path(chosen).expanduser().absolute()
    root = root.resolve() if ".." in root.parts else root
    services = Services(root)
    services.use()
    written, kept = starting.make_workspace(services)

    if call.as_json:
        print_json({"workspace": str(root), "written": written, "kept": kept})
        return 0

    if written:
        click.echo(f"Made a workspace in {root}:")
        click.echo("".join(f"  {name}\n" for name in written), nl=False)
    else:
        click.echo(f"{root} is a workspace already; nothing was changed.")

    for name in kept if written else []:
        click.echo(f"  {name} was there already and is unchanged.")

    where = f"-C '{root}' " if root != Path.cwd() else ""
    click.echo(
        f"\nSee how it is read:  heartbeat {where}check\nDo one beat:         heartbeat {where}run"
    )
    return 0
