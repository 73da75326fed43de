"""The `heartbeat` command: finds the wanted command's file, imports only that, and turns errors into sentences."""

import importlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from core.model.errors import HeartbeatError

# name -> what `--help` says of it; the command `NAME` lives in `tray_app/cli/NAME.py` as `command`.
COMMANDS = {
    "init": "Make a starter workspace that runs at once.",
    "check": "Say how every line was read, and what is wrong.",
    "show": "Show the parsed workspace.",
    "run": "Do one beat now.",
    "approve": "Show what waits for your approval, and give it.",
    "revoke": "Take approvals back.",
    "plan": "Say what would run now, and why or why not.",
    "simulate": "Say every start of the next hours.",
    "status": "Say how the workspace stands.",
    "history": "Say what happened, newest first.",
    "pause": "Start nothing for a while.",
    "resume": "End a pause.",
    "daemon": "Keep watch without an icon.",
    "tray": "Keep watch with an icon in the system tray.",
    "open": "Open HEARTBEAT.md in your editor.",
    "key": "Keep API keys and secrets in the keyring.",
    "autostart": "Start at login, or not.",
    "doctor": "Say what works here, what does not, and what mends it.",
    "config": "Say every setting and where it comes from.",
    "retry": "Let an item that failed start anew.",
    "undo": "Put back what was overwritten or deleted.",
    "add": "Add a prompt, or replace one.",
    "list": "List the prompts.",
    "remove": "Remove a prompt.",
    "score": "Say how many promises were kept.",
    "feedback": "Say that something was done well, or not.",
    "mcp": "Offer the prompts and the status to other programs, over MCP.",
    "sandbox": "Run a command as a gate would run it.",
    "next": "Say when a schedule comes next, and whether it would be due now.",
}


class LazyGroup(click.Group):
    """Imports a command's file only when that command is called: `--help` and every other command stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"tray_app.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        for one in (command, *(command.commands.values() if isinstance(command, click.Group) else ())):
            if not any(parameter.name == "workspace" for parameter in one.params):
                one.params.append(_workspace_option())
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _workspace_option() -> click.Option:
    """`-C` after the command's name too, where people write it."""

    def remember(context: click.Context, _: click.Parameter, value: str | None) -> None:
        if value:
            context.obj.workspace = value

    return click.Option(
        ["-C", "--workspace"], metavar="DIR", expose_value=False, callback=remember, help="The workspace."
    )


class Call:
    """What stands before the command's name: `heartbeat -C DIR --json -v NAME`."""

    def __init__(self, workspace: str | None, as_json: bool, verbose: int) -> None:
        self.workspace = workspace
        self.as_json = as_json
        self.verbose = verbose


def json_option(function: Callable[..., int]) -> Callable[..., int]:
    """`--json` after the command's name too, where people write it."""

    def remember(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.obj.as_json = True

    option = click.option("--json", is_flag=True, expose_value=False, callback=remember, help="Answer in JSON.")
    return option(function)


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-C", "--workspace", metavar="DIR", help="The workspace; else the nearest folder with a HEARTBEAT.md.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON on standard output.")
@click.option("-v", "--verbose", count=True, help="Say more; -v -v also shows tracebacks.")
@click.version_option(package_name="heartbeat-desktop", prog_name="heartbeat")
@click.pass_context
def cli(context: click.Context, workspace: str | None, as_json: bool, verbose: int) -> None:
    """An assistant that does what HEARTBEAT.md asks and checks that it was really done.

    Without a command it starts with an icon in the system tray.
    """
    context.obj = Call(workspace, as_json, verbose)
    if context.invoked_subcommand is None:
        tray = cli.get_command(context, "tray")
        assert tray
        context.invoke(tray)


def main() -> None:
    """The installed command. Every ending is an exit code of SPEC 12; no traceback unless asked for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no `→` gets `?`, not a crash
    wants_json = "--json" in sys.argv
    verbose = sum(word.count("v") for word in sys.argv if word.startswith("-v")) + sys.argv.count("--verbose")
    try:
        sys.exit(cli.main(standalone_mode=False, prog_name="heartbeat"))
    except HeartbeatError as error:
        fail(error.message, error.hint, error.exit_code, wants_json)
    except click.ClickException as error:
        fail(error.format_message(), usage_hint(error), 2, wants_json)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        fail(f"{place}{error.strerror}.", "Look at the path and its permissions.", 2, wants_json)
    except Exception as error:
        if verbose >= 2:
            import traceback

            traceback.print_exc()
        fail(f"Something unexpected went wrong: {error!r}.", "Run it again with -v -v to see where.", 1, wants_json)


def usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"See: {context.command_path} --help" if context else ""


def fail(message: str, hint: str, exit_code: int, wants_json: bool) -> None:
    if wants_json:
        print_json({"error": {"message": message, "hint": hint}})
    else:
        click.echo(f"heartbeat: {harmless(message)}" + (f"\n  {harmless(hint)}" if hint else ""), err=True)
    sys.exit(exit_code)


def harmless(text: str) -> str:
    """What a file or its name holds must not move the cursor, colour the screen or turn the writing direction."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "·" for sign in text)


def print_json(value: Any) -> None:
    # ASCII alone: a file's control and direction characters must not reach a terminal, and any encoding can hold it.
    import json  # here, like traceback above: most calls need neither, and both cost time

    click.echo(json.dumps(value, indent=2))


def terminal_width() -> int:
    """In columns, as COLUMNS or the terminal says; 100 where nobody says it. The library's own way costs 5 ms more."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and 0 < int(told) < 10_000:
        return int(told)
    try:
        return os.get_terminal_size(1).columns or 100
    except (OSError, ValueError):
        return 100
