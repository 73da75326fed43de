"""`heartbeat sandbox`: run a command as a gate would run it, to see what a gate sees."""

import shlex
from datetime import timedelta

import click

from core.model.errors import HeartbeatError
from core.model.process import How
from core.model.sandbox import SandboxEnding
from core.rules.printable import one_line
from core.rules.timing.durations import duration_words
from core.usecases import doctor as sandboxing
from tray_app.cli.call import Call, json_option, print_json

LONGEST = timedelta(minutes=5)  # as for a gate
TIMED_OUT = 124  # the exit code of timeout(1)


@click.command(
    "sandbox",
    context_settings={"allow_interspersed_args": False},
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND…")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="HOST",
    help="Let it reach this host; may be repeated.",
)
@json_option
@click.pass_obj
def command(call: Call, words: tuple[str, ...], domains: tuple[str, ...]) -> int:
    """Run a command as a gate would run it: the workspace writable, the system read-only, no
    home, no network but the domains. One word is a shell line, as in a gate; several are a
    program and its arguments. The exit code is the command's."""
    services = call.services()
    line = words[0] if len(words) == 1 else shlex.join(words)
    done = sandboxing.run_in_sandbox(services, line, domains, LONGEST)
    if done.ending.how is How.COULD_NOT_START:
        raise HeartbeatError(one_line(done.ending.output))

    if call.as_json:
        print_json(as_json(done))
    else:
        click.echo(done.ending.output, nl=False)
        for remark in remarks(done):
            click.echo(f"heartbeat: {remark}", err=True)

    return TIMED_OUT if done.ending.exit_code is None else done.ending.exit_code


def remarks(done: SandboxEnding) -> list[str]:
    """What the sandbox kept the command from doing, one line each."""
    lines = []
    if done.ending.how is How.TIMED_OUT:
        lines.append(f"It took longer than {duration_words(LONGEST)} and was stopped.")
    if done.refused_hosts:
        lines.append(f"Refused, not among the domains: {one_line(', '.join(done.refused_hosts))}")
    if done.kept_out:
        lines.append(f"Not kept in the workspace: {one_line(', '.join(done.kept_out))}")

    return lines


def as_json(done: SandboxEnding) -> dict[str, object]:
    return {
        "how": str(done.ending.how),
        "exit_code": done.ending.exit_code,
        "output": done.ending.output,
        "duration": done.ending.duration.total_seconds(),
        "refused_hosts": list(done.refused_hosts),
        "kept_out": list(done.kept_out),
    }
