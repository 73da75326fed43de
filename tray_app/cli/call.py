"""What every command gets and how it answers: the options before its name, and JSON."""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from core.services import Services


class Call:
    """The options before the command's name: `heartbeat -C DIR --json -v NAME`."""

    def __init__(
        self, workspace: str | None, as_json: bool, verbose: int, *, only_looks: bool
    ) -> None:
        self.workspace = workspace
        self.as_json = as_json
        self.verbose = verbose
        self.only_looks = only_looks

    def services(self) -> "Services":
        """The services of the workspace that the person means. If its history is elsewhere, that
        is said."""
        from core.usecases import workspaces  # imported here: not for `--help`

        services = workspaces.open_workspace(self.workspace)
        if not self.only_looks:
            services.use()

        words = workspaces.history_elsewhere(services, is_seen=sys.stderr.isatty())
        if words:
            click.echo(f"heartbeat: {words}", err=True)

        return services


def json_option(function: Callable[..., int]) -> Callable[..., int]:
    """Accept `--json` after the command's name too: people write it there."""

    def remember(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.obj.as_json = True

    option = click.option(
        "--json", is_flag=True, expose_value=False, callback=remember, help="Answer in JSON."
    )
    return option(function)


def print_json(value: Any) -> None:
    import json  # imported here: most calls do not need it, and importing it takes time

    # ASCII only: a file's control and direction characters must not reach a terminal, and every
    # encoding can hold it.
    click.echo(json.dumps(value, indent=2))


def terminal_width() -> int:
    """The columns that COLUMNS or the terminal gives, or else 100.

    `shutil.get_terminal_size` does the same and takes 5 ms more to import."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and 0 < int(columns) < 10_000:
        return int(columns)

    try:
        return os.get_terminal_size(1).columns or 100
    except (OSError, ValueError):
        return 100


def may_colour() -> bool:
    """Whether colours are wanted here: NO_COLOR refuses them, and a dumb terminal has none."""
    return not os.environ.get("NO_COLOR") and may_redraw()


def may_redraw() -> bool:
    """Whether the terminal knows how to erase a line."""
    return os.environ.get("TERM") != "dumb"
