"""`heartbeat add`: add a prompt, or change what is given of one."""

import sys

import click

from core.model.document import RunIf
from core.model.errors import HeartbeatError
from core.rules.writing.prompt_file import PromptKeys, added_prompt
from core.usecases.reading import read_workspace
from tray_app.cli.call import Call, json_option, print_json


@click.command("add")
@click.argument("identifier", metavar="ID")
@click.argument("prompt", required=False)
@click.option("--title", help="What it is about, in a few words; a new prompt needs one.")
@click.option("--schedule", help="When it is due, such as weekdays:09:00; every tick without it.")
@click.option("--gate", metavar="COMMAND", help="Ask the model only if this command succeeds.")
@click.option(
    "--domain", "domains", multiple=True, metavar="HOST", help="A host that the gate may reach."
)
@click.option("--gate-cwd", metavar="DIR", help="The folder that the gate starts in.")
@click.option("--gate-timeout", metavar="DURATION", help="How long the gate may take; 30s.")
@click.option(
    "--gate-env",
    "variables",
    multiple=True,
    metavar="NAME=VALUE",
    help="A variable of the gate's command.",
)
@click.option(
    "--gate-permission", "permissions", multiple=True, metavar="TAG", help="A tag that it needs."
)
@click.option(
    "--run-if",
    type=click.Choice([one.value for one in RunIf]),
    help="Which result of the gate lets the prompt run.",
)
@click.option("--overwrite", is_flag=True, help="Replace a prompt with the same id as a whole.")
@json_option
@click.pass_obj
def command(
    call: Call,
    identifier: str,
    prompt: str | None,
    title: str | None,
    schedule: str | None,
    gate: str | None,
    domains: tuple[str, ...],
    gate_cwd: str | None,
    gate_timeout: str | None,
    variables: tuple[str, ...],
    permissions: tuple[str, ...],
    run_if: str | None,
    overwrite: bool,
) -> int:
    """Add the prompt ID, or change it: what is not given stays as it was. Its text is PROMPT, or
    else is read from standard input."""
    services = call.services()
    prompts = read_workspace(services).prompts
    before = next((one for one in prompts if one.id == identifier), None)
    if overwrite and before and not title:
        raise HeartbeatError(
            f"--overwrite replaces the prompt {identifier} as a whole, so it needs a title.",
            "Add --title TEXT, or leave --overwrite out: then what is not given stays.",
        )
    if overwrite:
        before = None

    if prompt is None and not (before and sys.stdin.isatty()):
        prompt = sys.stdin.read()

    keys: dict[str, object] = {
        "command": gate,
        "cwd": gate_cwd,
        "timeout": gate_timeout,
        "env": dict(map(_variable, variables)),
        "permissions": permissions,
        "allowedDomains": domains,
    }
    given = PromptKeys(
        title=title,
        body=prompt.strip() if prompt else None,
        schedule=schedule,
        run_if=run_if,
        gate={name: value for name, value in keys.items() if value},
    )
    text = added_prompt(identifier, before, given)
    is_new = services.prompts().add(identifier, text, overwrite=overwrite or before is not None)

    if call.as_json:
        print_json({"id": identifier, "file": f"heartbeat/{identifier}.md", "new": is_new})
    else:
        click.echo(f"{'Added' if is_new else 'Changed'} heartbeat/{identifier}.md.")

    return 0


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise HeartbeatError(f"`{text}` is not a variable.", "Write `--gate-env NAME=VALUE`.")

    return name, value
