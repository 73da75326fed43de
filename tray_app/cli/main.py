"""The `heartbeat` command: import only the file of the command that is called, and turn errors
into sentences."""

import io
import sys

import click

from core.model.errors import HeartbeatError
from core.rules.printable import for_terminal
from tray_app.cli.call import Call, may_colour, print_json
from tray_app.cli.commands import COMMANDS, Group, load
from tray_app.cli.groups import CommandGroup


class LazyGroup(CommandGroup):
    """Imports a command's file only when that command is called: `--help` and every other
    command stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None

        command = load(cmd_name)
        inner = command.commands.values() if isinstance(command, click.Group) else ()
        for one in (command, *inner):
            if not any(parameter.name == "workspace" for parameter in one.params):
                one.params.append(_workspace_option())

        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their groups, all descriptions in one column."""
        widest = max(map(len, COMMANDS))
        for group in Group:
            rows = [
                (name.ljust(widest), line.words)
                for name, line in COMMANDS.items()
                if line.group is group
            ]
            with formatter.section(group):
                formatter.write_dl(rows)


def _workspace_option() -> click.Option:
    """Accept `-C` after the command's name too: people write it there."""

    def remember(context: click.Context, _: click.Parameter, value: str | None) -> None:
        if value:
            context.obj.workspace = value

    return click.Option(
        ["-C", "--workspace"],
        metavar="DIR",
        expose_value=False,
        callback=remember,
        help="The workspace.",
    )


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "-C",
    "--workspace",
    metavar="DIR",
    help="The workspace; without it, the nearest folder with a HEARTBEAT.md.",
)
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON on standard output.")
@click.option(
    "-v",
    "--verbose",
    count=True,
    help="Give it twice to see where an unexpected error happened.",
)
@click.version_option(package_name="heartbeat-desktop", prog_name="heartbeat")
@click.pass_context
def cli(context: click.Context, workspace: str | None, as_json: bool, verbose: int) -> None:
    """An assistant that does what HEARTBEAT.md asks and checks that it was really done.

    Without a command it starts with an icon in the system tray.
    """
    name = context.invoked_subcommand
    only_looks = name is not None and COMMANDS[name].only_looks
    context.obj = Call(workspace, as_json, verbose, only_looks=only_looks)
    if name is None:
        tray = cli.get_command(context, "tray")
        assert tray
        context.invoke(tray)


def main() -> None:
    """The installed command. It ends with one of the exit codes in docs/spec.md, and shows no
    traceback unless asked to."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # where `→` cannot be shown, `?` is

    try:
        colour = None if may_colour() else False  # None: where the output is a terminal
        sys.exit(cli.main(standalone_mode=False, prog_name="heartbeat", color=colour))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except Exception as error:
        fail(error)


def fail(error: Exception) -> None:
    """Say what went wrong and what to do, and end."""
    message, hint, exit_code = explained(error)
    if "--json" in sys.argv:
        print_json({"error": {"message": message, "hint": hint}})
    else:
        what_to_do = f"\n  {for_terminal(hint)}" if hint else ""
        click.echo(f"heartbeat: {for_terminal(message)}{what_to_do}", err=True)

    sys.exit(exit_code)


def explained(error: Exception) -> tuple[str, str, int]:
    """What happened, what to do about it, and the exit code."""
    match error:
        case HeartbeatError():
            return error.message, error.hint, error.exit_code
        case click.ClickException():
            return error.format_message(), usage_hint(error), 2
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            return f"{place}{error.strerror}.", "Check the path and its permissions.", 2
        case _:  # a bug in this program
            if wants_traceback():
                import traceback

                traceback.print_exception(error)

            message = f"Something unexpected went wrong: {error!r}."
            return message, "Run it again with -v -v to see where.", 1


def wants_traceback() -> bool:
    """Whether the command line has `-v` twice, in any spelling."""
    short = sum(word.count("v") for word in sys.argv if word.startswith("-v"))
    return short + sys.argv.count("--verbose") >= 2


def usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"See: {context.command_path} --help" if context else ""
