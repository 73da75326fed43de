"""`heartbeat cancel`: end the beat that is running."""

from collections.abc import Sequence

import click

from core.rules.printable import for_terminal
from core.usecases.cancelling import EndedBeat, cancel, in_background
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.check import cut


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
        click.echo("\n".join(map(words, ended)) or nothing_to_end(in_background(services)))

    return 0


def nothing_to_end(goes_on: Sequence[str]) -> str:
    if not goes_on:
        return "No beat is running."

    return f"No beat is running. In the background, and going on: {cut(', '.join(goes_on), 100)}."


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
