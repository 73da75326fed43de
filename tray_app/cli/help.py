"""`heartbeat help`: the topics, one of them, a command, or a code."""

import sys
from collections.abc import Iterable

import click

from core.model.codes import CODES
from core.model.errors import HeartbeatError
from core.rules.reading.findings import did_you_mean
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.check import code_text
from tray_app.cli.commands import COMMANDS
from tray_app.reference.rendering import rendered
from tray_app.reference.topics import Topic, page, topics

WIDEST = 100  # columns; longer lines are hard to read


@click.command("help")
@click.argument("topic", required=False)
@json_option
@click.pass_context
def command(context: click.Context, topic: str | None) -> int:
    """Explain TOPIC: `format` is the whole reference of HEARTBEAT.md, with examples.

    TOPIC may also be a command, or a code such as HB208. Without one: list the topics.
    """
    call: Call = context.obj
    known = {one.name: one for one in topics(page())}
    width = min(terminal_width(), WIDEST)

    if topic is None:
        text = list_of(list(known.values()), width)
    elif one := known.get(topic.lower().replace("_", "-")):
        text = one.text if call.as_json else "\n".join(rendered(one.text, width))
    elif topic.lower() in COMMANDS:
        text = help_of(topic.lower(), context)
    elif row := CODES.get(topic.upper()):
        text = code_text(topic.upper(), row)
    else:
        meant = did_you_mean(topic, (*known, *COMMANDS))
        raise HeartbeatError(f"There is no topic `{topic}`.", f"{meant} List them: heartbeat help")

    if call.as_json:
        print_json(as_json(topic, text, known.values() if topic is None else ()))
    elif sys.stdout.isatty():
        click.echo_via_pager(f"{text}\n")
    else:
        click.echo(text)

    return 0


def as_json(topic: str | None, text: str, listed: Iterable[Topic]) -> dict[str, object]:
    return {
        "name": topic,
        "text": text if topic else None,
        "topics": [{"name": one.name, "words": one.words} for one in listed],
    }


def list_of(known: list[Topic], width: int) -> str:
    rows = [f"| {one.name} | {one.words} |" for one in known]
    table = "\n".join(["| topic | words |", "|---|---|", *rows])

    return "\n".join(
        [
            *rendered("What may be written in HEARTBEAT.md: heartbeat help TOPIC", width),
            "",
            *rendered(table, width),
            "",
            "A command:     heartbeat help run",
            "A code:        heartbeat help HB208",
            "All commands:  heartbeat --help",
        ]
    )


def help_of(name: str, context: click.Context) -> str:
    """What `heartbeat NAME --help` prints."""
    group = context.find_root().command
    assert isinstance(group, click.Group)
    asked_for = group.get_command(context, name)
    assert asked_for, name

    return click.Context(asked_for, info_name=name, parent=context.parent).get_help()
