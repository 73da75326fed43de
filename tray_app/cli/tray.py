"""`heartbeat tray`: keep watch with an icon in the system tray."""

import os
import sys

import click

from tray_app.cli.call import Call
from tray_app.cli.daemon import become_resident


@click.command("tray")
@click.option(
    "--take-over", is_flag=True, help="Run a shared workspace here instead of on the other machine."
)
@click.pass_obj
def command(call: Call, take_over: bool) -> int:
    """Keep watch with an icon in the system tray, or without one if there is no desktop session."""
    if not has_desktop():
        click.echo(
            "There is no desktop session here, so there is no icon; everything else works.",
            err=True,
        )
        return become_resident("daemon", call, take_over)

    return become_resident("tray", call, take_over)


def has_desktop() -> bool:
    """Whether there is a session that could show an icon."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
