"""`heartbeat daemon`: keep watch without an icon."""

import os
import sys

import click

from core import bootstrap
from tray_app.cli.main import Call


@click.command("daemon", short_help="Keep watch without an icon.")
@click.pass_obj
def command(call: Call) -> int:
    """Keep watch: start what is due, until ended with Ctrl-C or SIGTERM."""
    return become_resident("daemon", call)


def become_resident(mode: str, call: Call) -> int:
    """Turn into the always-on process; of the command line nothing stays in memory."""
    root = bootstrap.locate_workspace(call.workspace)
    words = [sys.executable, "-m", "tray_app.resident", mode, str(root)]
    if os.name == "nt":  # there an exec is a new process, and the terminal would not wait for it
        from tray_app.resident import main

        return main(words[3:])
    os.execv(sys.executable, words)  # noqa: S606 - this very program, without a shell
