"""Every command, with its group and its line in `heartbeat --help`; the rest of a command is in its
own file.

The command `NAME` is `command` in `tray_app/cli/NAME.py`, which is imported only when it is called.
"""

import importlib
from enum import StrEnum
from typing import NamedTuple

import click


class Group(StrEnum):
    """The headings in `heartbeat --help`, in this order."""

    BEGIN = "Begin"
    WORK = "Let it work"
    ALLOW = "Say what it may do"
    SEE = "See what it did"
    FILE = "Understand the file"
    PROMPTS = "Prompts"
    SET_UP = "Set it up"
    PROGRAMS = "For other programs"


class CommandLine(NamedTuple):
    group: Group
    words: str
    # It only looks at the workspace: it moves no history to a folder that may be a copy.
    only_looks: bool = False


def looking(group: Group, words: str) -> CommandLine:
    return CommandLine(group, words, only_looks=True)


COMMANDS = {
    "init": CommandLine(Group.BEGIN, "Make a starter workspace that works right away."),
    "open": looking(Group.BEGIN, "Open HEARTBEAT.md in your editor."),
    "help": looking(Group.BEGIN, "Explain the file's format, a topic, a command or a code."),
    "doctor": looking(Group.BEGIN, "Check what works here, what does not, and what fixes it."),
    "run": CommandLine(Group.WORK, "Do one beat now."),
    "cancel": looking(Group.WORK, "End the beat that is running."),
    "tray": CommandLine(Group.WORK, "Keep watch with an icon in the system tray."),
    "daemon": CommandLine(Group.WORK, "Keep watch without an icon."),
    "pause": CommandLine(Group.WORK, "Start nothing for a while."),
    "resume": CommandLine(Group.WORK, "End a pause."),
    "retry": CommandLine(Group.WORK, "Let an item that failed run again."),
    "undo": CommandLine(Group.WORK, "Put back what was overwritten or deleted."),
    "approve": CommandLine(Group.ALLOW, "Show what waits for your approval, and give it."),
    "revoke": CommandLine(Group.ALLOW, "Take approvals back."),
    "status": looking(Group.SEE, "Show how the workspace is doing."),
    "history": looking(Group.SEE, "Show what happened, newest first."),
    "score": looking(Group.SEE, "Show the score, day by day."),
    "feedback": CommandLine(Group.SEE, "Rate something that was done, up or down."),
    "check": looking(Group.FILE, "Explain how every line was read, and what is wrong."),
    "plan": looking(Group.FILE, "Show what would run now, and why or why not."),
    "simulate": looking(Group.FILE, "List everything that would start in the next hours."),
    "next": looking(Group.FILE, "Show when a schedule is due next, and whether it is due now."),
    "show": looking(Group.FILE, "Show the parsed workspace."),
    "add": CommandLine(Group.PROMPTS, "Add a prompt, or replace one."),
    "list": looking(Group.PROMPTS, "List the prompts."),
    "remove": CommandLine(Group.PROMPTS, "Remove a prompt."),
    "key": looking(Group.SET_UP, "Keep API keys and secrets in the keyring."),
    "config": looking(Group.SET_UP, "List every setting and where it comes from."),
    "autostart": CommandLine(Group.SET_UP, "Turn starting at login on or off."),
    "mcp": looking(Group.PROGRAMS, "Offer the prompts and the status to other programs, over MCP."),
    "sandbox": looking(Group.PROGRAMS, "Run a command as a gate would run it."),
}


def load(name: str) -> click.Command:
    """Import the command of this name, which must be in the table."""
    command = importlib.import_module(f"tray_app.cli.{name}").command
    assert isinstance(command, click.Command)
    command.short_help = COMMANDS[name].words

    return command
