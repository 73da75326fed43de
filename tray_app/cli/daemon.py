"""`heartbeat daemon`: keep watch without an icon."""

import os
import sys

import click

from core import bootstrap
from tray_app.cli.main import Call


@click.command("daemon", short_help="Keep watch without an icon.")
@click.option("--take-over", is_flag=True, help="Run a shared workspace here instead of on the other machine.")
@click.pass_obj
def command(call: Call, take_over: bool) -> int:
    """Keep watch: start what is due, until ended with Ctrl-C or SIGTERM."""
    return become_resident("daemon", call, take_over)


def become_resident(mode: str, call: Call, take_over: bool) -> int:
    """Turn into the always-on process; of the command line nothing stays in memory."""
    root = bootstrap.locate_workspace(call.workspace)
    words = [mode, str(root), *(["--take-over"] if take_over else [])]
    if os.name == "nt":  # there an exec is a new process, and the terminal would not wait for it
        from tray_app.resident import main

        return main(words)
    return os.execv(sys.executable, bootstrap.own_command("tray_app.resident", *words))  # noqa: S606 - no shell
