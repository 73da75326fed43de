"""Every command, with its line in `heartbeat --help`; the rest of a command is in its own file.

The command `NAME` is `command` in `tray_app/cli/NAME.py`, which is imported only when it is called.
"""

import importlib

import click

COMMANDS = {
    "init": "Make a starter workspace that works right away.",
    "check": "Explain how every line was read, and what is wrong.",
    "show": "Show the parsed workspace.",
    "run": "Do one beat now.",
    "cancel": "End the beat that is running.",
    "approve": "Show what waits for your approval, and give it.",
    "revoke": "Take approvals back.",
    "plan": "Show what would run now, and why or why not.",
    "simulate": "List everything that would start in the next hours.",
    "status": "Show how the workspace is doing.",
    "history": "Show what happened, newest first.",
    "pause": "Start nothing for a while.",
    "resume": "End a pause.",
    "daemon": "Keep watch without an icon.",
    "tray": "Keep watch with an icon in the system tray.",
    "open": "Open HEARTBEAT.md in your editor.",
    "key": "Keep API keys and secrets in the keyring.",
    "autostart": "Turn starting at login on or off.",
    "doctor": "Check what works here, what does not, and what fixes it.",
    "config": "List every setting and where it comes from.",
    "retry": "Let an item that failed run again.",
    "undo": "Put back what was overwritten or deleted.",
    "add": "Add a prompt, or replace one.",
    "list": "List the prompts.",
    "remove": "Remove a prompt.",
    "score": "Show the score, day by day.",
    "feedback": "Rate something that was done, up or down.",
    "mcp": "Offer the prompts and the status to other programs, over MCP.",
    "sandbox": "Run a command as a gate would run it.",
    "next": "Show when a schedule is due next, and whether it is due now.",
}


def load(name: str) -> click.Command:
    """Import the command of this name, which must be in the table."""
    command = importlib.import_module(f"tray_app.cli.{name}").command
    assert isinstance(command, click.Command)
    command.short_help = COMMANDS[name]

    return command
