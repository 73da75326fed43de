"""`heartbeat config`: every setting, and where it comes from; or what the settings files may
hold."""

import json
from collections.abc import Mapping
from datetime import timedelta

import click

from core.rules.settings.listing import effective, source_of
from core.rules.timing.durations import duration_text
from tray_app.cli.call import Call, json_option, print_json

FILES = ("config.toml", "config.json")


@click.command("config")
@click.option(
    "--schema",
    is_flag=False,
    flag_value=FILES[0],
    type=click.Choice(FILES),
    metavar="[FILE]",
    help="Print the JSON Schema of config.toml, or that of config.json, instead.",
)
@json_option
@click.pass_obj
def command(call: Call, schema: str | None) -> int:
    """List every setting and the file that sets it; without a file it is the default."""
    if schema:
        print_schema(schema)
        return 0

    services = call.services()
    settings = services.settings
    rows = [
        (name, shown(value), source_of(settings, name))
        for name, value in effective(settings).items()
    ]
    if call.as_json:
        print_json(
            {name: {"value": value, "source": source or "default"} for name, value, source in rows}
        )
        return 0

    place = services.settings_file
    remark = "" if place.exists() else " (does not exist yet; these are the defaults)"
    click.echo(f"# {place}{remark}")

    for name, value, source in rows:
        origin = f"   ({source})" if source else ""
        click.echo(f"{name:<30} {written(value)}{origin}")

    for warning in settings.warnings:
        click.echo(warning, err=True)

    return 0


def print_schema(file: str) -> None:
    from core.rules.settings.tables import (  # imported here: slow, and nothing else needs it
        ConfigFile,
        WorkspaceFile,
        full_schema_of,
    )

    print_json(full_schema_of(ConfigFile if file == FILES[0] else WorkspaceFile))


def written(value: object) -> str:
    """The value as config.toml would hold it; empty if it is not set."""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def shown(value: object) -> object:
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return {key: shown(part) for key, part in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value

    return str(value)
