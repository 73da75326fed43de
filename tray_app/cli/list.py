"""`heartbeat list`: the prompts of the workspace."""

import click

from core.usecases import reading
from tray_app.cli.call import Call, json_option, print_json
from tray_app.cli.check import cut
from tray_app.cli.line_readings import prompt_reading


@click.command("list")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """List the prompts: id, title, when, gate."""
    prompts = reading.read_workspace(call.services()).prompts
    if call.as_json:
        from tray_app.cli.show import prompt_as_json

        print_json({"prompts": [prompt_as_json(prompt) for prompt in prompts]})
        return 0

    for prompt in prompts:
        click.echo(f"{cut(prompt.id, 30):<30} {cut(prompt.title, 40)}")
        click.echo(f"{'':<30} {cut(' · '.join(prompt_reading(prompt).details), 120)}")

    if not prompts:
        click.echo("There are no prompts. Add one: heartbeat add ID --title TITLE PROMPT")

    return 0
