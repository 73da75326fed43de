"""`heartbeat mcp`: the prompts, a beat and the status as tools for other programs, over MCP. Stdout is the protocol."""

import json
import os
import sys

import click

from core import bootstrap
from tray_app.cli.main import Call
from tray_app.cli.status import as_json


@click.command("mcp", short_help="Offer the prompts and the status to other programs, over MCP.")
@click.option("--batch", metavar="ADDRESS", hidden=True, help="Serve the tools of a running beat, for its agent.")
@click.pass_obj
def command(call: Call, batch: str | None) -> int:
    """Offer heartbeat_add, heartbeat_list, heartbeat_run, heartbeat_remove and heartbeat_status on standard input and
    output. What executes still waits for your approval."""
    # Whatever else is printed goes to stderr: a stray line would end the conversation.
    with os.fdopen(os.dup(1), "wb") as outgoing:
        os.dup2(2, 1)
        if batch:
            bootstrap.serve_batch_tools(batch, sys.stdin.buffer, outgoing)
            return 0
        root = bootstrap.locate_workspace(call.workspace)

        def status() -> str:
            return json.dumps(as_json(bootstrap.status(root), bootstrap.local_now(root).tzinfo))

        bootstrap.serve_own_tools(root, status, sys.stdin.buffer, outgoing)
    return 0
