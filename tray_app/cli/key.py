"""`heartbeat key`: API keys and other secrets in the system's keyring."""

import sys

import click

from core import bootstrap
from core.model.errors import HeartbeatError
from core.rules.keys import PROVIDERS, good_name
from tray_app.cli.main import Call, json_option, print_json


@click.group("key", short_help="Keep API keys and secrets in the keyring.")
def command() -> None:
    """Keep API keys, and secrets for channels and `{{secret:NAME}}`, in the system's keyring.

    PROVIDER is anthropic, openai or openai-compatible, or any name of your own for a secret.
    """


@command.command("set", short_help="Store a key.")
@click.argument("name", metavar="[PROVIDER]", required=False)
@json_option
@click.pass_obj
def set_key(call: Call, name: str | None) -> int:
    """Ask for a key without showing it (or read it from standard input), check it with its provider, and store it."""
    if name is None:
        if not sys.stdin.isatty():
            raise HeartbeatError("Whose key is it?", "Write: heartbeat key set anthropic")
        name = str(click.prompt(f"Whose key? ({', '.join(PROVIDERS)}, or a name of your own)", default=PROVIDERS[0]))
    good_name(name)
    if sys.stdin.isatty():
        value = str(click.prompt(f"Key for {name}", hide_input=True, default="", show_default=False))
    else:
        value = sys.stdin.readline()
    said = bootstrap.set_key(name, value)
    if call.as_json:
        print_json({"name": name, "stored": True, "message": said})
    else:
        click.echo(said)
    return 0


@command.command("list", short_help="Say which keys there are.")
@json_option
@click.pass_obj
def list_keys(call: Call) -> int:
    """Say which keys there are, each with its last four characters and where it comes from."""
    known, trouble = bootstrap.keys().known()
    if call.as_json:
        rows = [{"name": one.name, "source": one.source, "ends_with": one.shown} for one in known]
        print_json({"keys": rows, "trouble": trouble.message if trouble else None})
    elif known:
        click.echo("\n".join(f"{one.name:<20} {one.shown:<6} {one.source}" for one in known))
    elif not trouble:
        click.echo("There are no keys. To add one: heartbeat key set anthropic")
    if trouble and not call.as_json:
        click.echo(f"heartbeat: {trouble.message}\n  {trouble.hint}", err=True)
    return 2 if trouble else 0


@command.command("delete", short_help="Remove a key.")
@click.argument("name", metavar="PROVIDER")
@json_option
@click.pass_obj
def delete_key(call: Call, name: str) -> int:
    """Remove a key from the keyring."""
    was_there = bootstrap.keys().delete(name)
    if call.as_json:
        print_json({"name": name, "deleted": was_there})
    else:
        click.echo(f"Deleted {name}." if was_there else f"There was no key {name} in the keyring.")
    return 0
