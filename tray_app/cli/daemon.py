"""`heartbeat daemon`: keep watch without an icon."""

import os
import sys
from pathlib import Path

import click

from core import bootstrap
from core.model.errors import NoWorkspaceError
from tray_app.cli.main import Call


@click.command("daemon", short_help="Keep watch without an icon.")
@click.option("--take-over", is_flag=True, help="Run a shared workspace here instead of on the other machine.")
@click.pass_obj
def command(call: Call, take_over: bool) -> int:
    """Keep watch: start what is due, until ended with Ctrl-C or SIGTERM."""
    return become_resident("daemon", call, take_over)


def become_resident(mode: str, call: Call, take_over: bool) -> int:
    """Turn into the always-on process; of the command line nothing stays in memory."""
    try:
        root = bootstrap.locate_workspace(call.workspace)
    except NoWorkspaceError as missing:
        root = first_start(missing)
    holder = bootstrap.resident_lock(root).holder()
    if holder and not take_over:
        click.echo(f"Heartbeat is already running for {root} (pid {holder.pid}).", err=True)
        from tray_app.cli.status import show_status  # here: a start must not depend on what it needs

        show_status(call, root)
        return 0
    words = [mode, str(root), *(["--take-over"] if take_over else [])]
    if os.name == "nt":  # there an exec is a new process, and the terminal would not wait for it
        from tray_app.resident import main

        return main(words)
    return os.execv(sys.executable, bootstrap.own_command("tray_app.resident", *words))  # noqa: S606 - no shell


def first_start(missing: NoWorkspaceError) -> Path:
    """The very first start: make the starter workspace where a person would look for it; on a terminal, ask first."""
    folder = missing.folder
    if sys.stdin.isatty() and not click.confirm(f"There is no workspace yet. Make one in {folder}?", default=True):
        raise missing
    bootstrap.make_workspace(folder)
    click.echo(f"Made a starter workspace in {folder}: see HEARTBEAT.md there.", err=True)
    bootstrap.first_beat(folder)
    return folder
