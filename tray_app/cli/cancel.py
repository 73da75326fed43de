"""`heartbeat cancel`: end the beat that is running."""

import click

from core.rules.printable import for_terminal
from core.usecases.cancelling import EndedBeat, cancel
from tray_app.cli.call import Call, json_option, print_json


@click.command("cancel")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """End the beat that is running in the workspace, whoever started it, with all that it started.
    What it was doing is recorded as interrupted. A beat that does not answer within 12 seconds is
    killed.

    What runs in the background goes on."""
    services = call.services()
    ended = cancel(services)
    if call.as_json:
        print_json({"ended": [as_json(one) for one in ended]})
    else:
        click.echo("\n".join(map(words, ended)) or "No beat is running.")

    return 0


def words(ended: EndedBeat) -> str:
    since = f", since {ended.since.astimezone():%H:%M:%S}" if ended.since else ""
    doing = for_terminal(", ".join(ended.items)) or "nothing had started"
    name = f"beat {ended.beat}" if ended.beat else "the beat"
    text = f"Ended {name} (pid {ended.pid}{since}): {doing}."
    if ended.was_killed:
        text += (
            " It did not answer, so it was killed; the next beat records what it was doing as "
            "interrupted."
        )

    return text


def as_json(ended: EndedBeat) -> dict[str, object]:
    return {
        "beat": ended.beat,
        "pid": ended.pid,
        "since": ended.since.isoformat() if ended.since else None,
        "items": list(ended.items),
        "killed": ended.was_killed,
    }
