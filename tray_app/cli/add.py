"""`heartbeat add`: add a prompt, or replace one."""

import sys

import click

from core.model.document import RunIf
from core.rules.writing.prompt_file import new_prompt
from tray_app.cli.call import Call, json_option, print_json


@click.command("add")
@click.argument("identifier", metavar="ID")
@click.argument("prompt", required=False)
@click.option("--title", required=True, help="What it is about, in a few words.")
@click.option("--schedule", help="When it is due, such as weekdays:09:00; every tick without it.")
@click.option("--gate", metavar="COMMAND", help="Ask the model only if this command succeeds.")
@click.option(
    "--domain", "domains", multiple=True, metavar="HOST", help="A host that the gate may reach."
)
@click.option(
    "--run-if",
    type=click.Choice([one.value for one in RunIf]),
    help="Which result of the gate lets the prompt run.",
)
@click.option("--overwrite", is_flag=True, help="Replace a prompt with the same id.")
@json_option
@click.pass_obj
def command(
    call: Call,
    identifier: str,
    prompt: str | None,
    title: str,
    schedule: str | None,
    gate: str | None,
    domains: tuple[str, ...],
    run_if: str | None,
    overwrite: bool,
) -> int:
    """Add the prompt ID. Its text is PROMPT, or else is read from standard input."""
    body = prompt if prompt is not None else sys.stdin.read()
    text = new_prompt(
        identifier, title, body, schedule=schedule, run_if=run_if, gate=gate, domains=domains
    )
    services = call.services()
    is_new = services.prompts().add(identifier, text, overwrite=overwrite)

    if call.as_json:
        print_json({"id": identifier, "file": f"heartbeat/{identifier}.md", "new": is_new})
    else:
        click.echo(f"{'Added' if is_new else 'Replaced'} heartbeat/{identifier}.md.")

    return 0
