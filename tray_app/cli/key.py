"""`heartbeat key`: API keys and other secrets in the system's keyring."""

import sys
from contextlib import suppress

import click

from core.model.errors import HeartbeatError
from core.rules.keys import good_name
from core.rules.providers import either, with_keys
from core.services import MachineServices
from core.usecases import keys
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.groups import CommandGroup

HOW_TO_ADD_ONE = f"heartbeat key set {with_keys()[0]}"
HELP = f"""Keep API keys, and secrets for channels and `{{{{secret:NAME}}}}`, in the system's
keyring.

PROVIDER is {either(with_keys())}, or any name of your own for a secret.
"""


@click.group("key", cls=CommandGroup, help=HELP)
def command() -> None:
    pass


@command.command("set", short_help="Store a key.")
@click.argument("name", metavar="[PROVIDER]", required=False)
@json_option
@click.pass_obj
def set_key(call: Call, name: str | None) -> int:
    """Ask for a key without showing it (or read it from standard input), try it with its provider,
    and store it."""
    if name is None:
        if not sys.stdin.isatty():
            raise HeartbeatError("Whose key is it?", f"Write: {HOW_TO_ADD_ONE}")
        known = with_keys()
        question = f"Which provider is the key for? ({', '.join(known)}, or a name of your own)"
        name = str(click.prompt(question, default=known[0]))

    good_name(name)
    if sys.stdin.isatty():
        value = str(
            click.prompt(f"Key for {name}", hide_input=True, default="", show_default=False)
        )
    else:
        value = sys.stdin.readline()

    said = keys.set_key(MachineServices(), name, value)
    with suppress(HeartbeatError):  # a key can be set before there is a workspace
        keys.end_model_troubles(call.services(), name)

    if call.as_json:
        print_json({"name": name, "stored": True, "message": said})
    else:
        click.echo(said)

    return 0


@command.command("list", short_help="List the keys.")
@json_option
@click.pass_obj
def list_keys(call: Call) -> int:
    """List the keys, each with its last four characters and where it comes from."""
    known, trouble = keys.known_keys(MachineServices())
    if call.as_json:
        rows = [{"name": one.name, "source": one.source, "ends_with": one.shown} for one in known]
        print_json({"keys": rows, "trouble": trouble.message if trouble else None})
    elif known:
        click.echo("\n".join(f"{one.name:<20} {one.shown:<6} {one.source}" for one in known))
    elif not trouble:
        click.echo(f"There are no keys. To add one: {HOW_TO_ADD_ONE}")

    if trouble and not call.as_json:
        click.echo(f"heartbeat: {trouble.message}\n  {trouble.hint}", err=True)

    return 2 if trouble else 0


@command.command("delete", short_help="Remove a key.")
@click.argument("name", metavar="PROVIDER")
@json_option
@click.pass_obj
def delete_key(call: Call, name: str) -> int:
    """Remove a key from the keyring."""
    was_there = keys.delete_key(MachineServices(), name)
    if call.as_json:
        print_json({"name": name, "deleted": was_there})
    else:
        click.echo(f"Deleted {name}." if was_there else f"There was no key {name} in the keyring.")

    return 0
