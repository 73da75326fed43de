"""`heartbeat mcp`: the prompts, a beat and the status as tools for other programs, over MCP.
Standard output carries the protocol and nothing else."""

import json
import os
import sys

import click

from core.services import Services
from core.usecases import serving, status, workspaces
from tray_app.cli.call import Call
from tray_app.cli.status import as_json


@click.command("mcp")
@click.option(
    "--batch",
    metavar="ADDRESS",
    hidden=True,
    help="Serve the tools of a running beat, for its agent.",
)
@click.pass_obj
def command(call: Call, batch: str | None) -> int:
    """Offer heartbeat_add, heartbeat_list, heartbeat_run, heartbeat_remove and heartbeat_status
    on standard input and output. What executes still waits for your approval."""
    # Everything else that is printed goes to stderr: a stray line would break the protocol.
    with os.fdopen(os.dup(1), "wb") as outgoing:
        os.dup2(2, 1)
        if batch:
            serving.serve_batch_tools(batch, sys.stdin.buffer, outgoing)
            return 0

        root = call.services().root
        serving.serve_own_tools(root, status_text, sys.stdin.buffer, outgoing)

    return 0


def status_text(services: Services) -> str:
    zone = workspaces.local_now(services).tzinfo
    return json.dumps(as_json(status.current_status(services), zone))
