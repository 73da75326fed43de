"""`heartbeat daemon`: keep watch without an icon."""

import os
import sys

import click

from core.model.errors import NoWorkspaceError, WorkspaceAwayError
from core.rules.own_command import own_command
from core.services import Services
from tray_app.cli.call import Call


@click.command("daemon")
@click.option(
    "--take-over", is_flag=True, help="Run a shared workspace here instead of on the other machine."
)
@click.pass_obj
def command(call: Call, take_over: bool) -> int:
    """Keep watch and start what is due, until you end it with Ctrl-C or SIGTERM."""
    return become_resident("daemon", call, take_over)


def become_resident(mode: str, call: Call, take_over: bool) -> int:
    """Turn into the resident; nothing of the command line stays in memory."""
    try:
        services = call.services()
    except NoWorkspaceError as missing:
        services = first_start(missing)
    except WorkspaceAwayError as away:  # at login its disk may not be mounted yet
        services = Services(away.folder)

    holder = services.resident_lock.holder()
    if holder and not take_over:
        # Imported here: a start must not depend on what the status needs.
        from tray_app.cli.status import show_status

        place = f"{services.root} (pid {holder.pid})"
        click.echo(f"Heartbeat is already running for {place}.", err=True)
        show_status(call, services)

        return 0

    words = [mode, str(services.root), *(["--take-over"] if take_over else [])]
    if os.name == "nt":  # there an exec is a new process, and the terminal would not wait for it
        from tray_app.resident import main

        return main(words)

    command = own_command("tray_app.resident", *words)
    return os.execv(sys.executable, command)  # noqa: S606 - no shell


def first_start(missing: NoWorkspaceError) -> Services:
    """Make the starter workspace in the usual place; on a terminal, ask first."""
    folder = missing.folder
    if sys.stdin.isatty() and not click.confirm(
        f"There is no workspace yet. Make one in {folder}?", default=True
    ):
        raise missing

    from core.usecases import beats as starting  # imported here: only the first start needs it

    services = Services(folder)
    starting.make_workspace(services)
    click.echo(f"Made a starter workspace in {folder}: see HEARTBEAT.md there.", err=True)
    starting.first_beat(services)

    return services
