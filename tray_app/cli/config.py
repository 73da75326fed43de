"""`heartbeat config`: every setting, and where it comes from."""

import json
from datetime import timedelta

import click

from core import bootstrap
from core.rules.configuring import effective
from core.rules.timing.durations import duration_text
from tray_app.cli.main import Call, json_option, print_json


@click.command("config", short_help="Say every setting and where it comes from.")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """Say every setting and the file that set it; nothing beside it is the default."""
    settings = bootstrap.settings_of(bootstrap.locate_workspace(call.workspace))
    rows = [(name, shown(value), settings.sources.get(name, "")) for name, value in effective(settings).items()]
    if call.as_json:
        print_json({name: {"value": value, "source": source or "default"} for name, value, source in rows})
        return 0
    place = bootstrap.settings_file()
    click.echo(f"# {place}" + ("" if place.exists() else " (not there yet; these are the defaults)"))
    for name, value, source in rows:
        click.echo(f"{name:<30} {written(value)}" + (f"   ({source})" if source else ""))
    for warning in settings.warnings:
        click.echo(warning, err=True)
    return 0


def written(value: object) -> str:
    """As config.toml would have it; nothing where nothing is set."""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def shown(value: object) -> object:
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(dict(value))  # type: ignore[call-overload]
