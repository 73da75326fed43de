"""`heartbeat check`: how every line was read, and what is wrong with it."""

import gc
import sys
from bisect import bisect_right
from collections import defaultdict
from itertools import islice
from pathlib import Path

import click

from core.model.codes import CODES, Code
from core.model.diagnostic import Diagnostic
from core.model.errors import HeartbeatError
from core.model.workspace import Workspace
from core.rules.printable import for_terminal
from core.rules.reading.blocks import MAXIMUM_BYTES
from core.rules.reading.findings import did_you_mean
from core.services import Services
from core.usecases import reading, workspaces
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.colours import BAD, OPEN
from tray_app.cli.line_readings import LineReading, line_readings, prompt_reading, summary

MOST_ROWS = 5000  # nobody reads more of them; findings further down are still shown
COLOURS = {"error": BAD, "warning": OPEN, "info": None}


@click.command("check")
@click.argument("file", required=False)
@click.option(
    "--explain",
    metavar="CODE",
    help="What a code such as HB208 means, with an example and the fix.",
)
@json_option
@click.pass_obj
def command(call: Call, file: str | None, explain: str | None) -> int:
    """Say how every line of HEARTBEAT.md (or FILE, a folder, or - for standard input) was read, and
    what is wrong.

    Exit code 1 if there is an error. Nothing is changed.
    """
    if explain:
        return explain_code(explain, call.as_json)

    # A large file makes a million values, all needed until the end, which is soon.
    gc.disable()
    if file == "-":
        workspace = reading.read_text(sys.stdin.buffer.read(MAXIMUM_BYTES + 1), Path.cwd())
    elif file:
        workspace = reading.read_path(Path(file))
    else:
        workspace = reading.read_workspace(call.services())

    workspace = reading.with_past_instants(workspace)
    if not file or Path(file).is_dir():
        for warning in workspaces.setting_warnings(Services(workspace.root)):
            click.echo(f"heartbeat: {warning}", err=True)

        workspace = reading.with_missing_servers(workspace)

    if call.as_json:
        print_json(as_json(workspace))
    else:
        click.echo("\n".join(page(workspace, terminal_width())))

    return 1 if workspace.has_errors else 0


def as_json(workspace: Workspace) -> dict[str, object]:
    return {
        "file": str(workspace.file),
        "format": str(workspace.document.format),
        "diagnostics": [
            {
                "line": found.line,
                "column": found.column,
                "severity": str(found.severity),
                "code": found.code,
                "message": found.message,
                "hint": found.hint,
                "file": found.file or workspace.file.name,
            }
            for found in workspace.diagnostics
        ],
        "active": workspace.active,
    }


def page(workspace: Workspace, width: int) -> list[str]:
    """The whole answer as lines: every row with what was found on its lines, then the prompt
    files, then the summary."""
    rows = list(islice(line_readings(workspace.document), MOST_ROWS + 1))
    left_out = rows[MOST_ROWS:]
    first_lines = [row.first for row in rows[:MOST_ROWS]]

    # The findings of each row, by its index; -1: above all rows.
    under: defaultdict[int, list[str]] = defaultdict(list)
    for found in workspace.diagnostics:
        if not found.file:
            under[bisect_right(first_lines, found.line) - 1] += finding(found, width)

    lines = [click.style(for_terminal(str(workspace.file)), bold=True), *under[-1]]
    for index, row in enumerate(rows[:MOST_ROWS]):
        lines += row_lines(row, width) + under[index]

    if left_out:
        lines.append(
            f"         … and more: from line {left_out[0].first} on, only findings are shown."
        )

    for name in prompt_names(workspace):
        lines += prompt_lines(workspace, name, width)

    return [*lines, "", summary(workspace)]


def prompt_names(workspace: Workspace) -> list[str]:
    names = {found.file for found in workspace.diagnostics}
    names |= {prompt.file for prompt in workspace.prompts}

    return sorted(names - {""})


def prompt_lines(workspace: Workspace, name: str, width: int) -> list[str]:
    """One prompt file: how it was read, and what was found in it."""
    lines = ["", click.style(for_terminal(name), bold=True)]
    for prompt in workspace.prompts:
        if prompt.file == name:
            lines += row_lines(prompt_reading(prompt), width)

    for found in workspace.diagnostics:
        if found.file == name:
            lines += finding(found, width)

    return lines


def row_lines(row: LineReading, width: int) -> list[str]:
    number = f"{row.first}" if row.first == row.last else f"{row.first}-{row.last}"
    lead = f"{number:>7}  {row.label:<13} "
    text = cut(row.text, max(20, width - len(lead)))
    detail = cut(" · ".join(row.details), max(20, width * 2))
    head = click.style(lead, dim=True) + (click.style(text, bold=True) if row.details else text)

    return [head, *wrapped(detail, len(lead), width)] if row.details else [head]


def finding(found: Diagnostic, width: int) -> list[str]:
    label = click.style(f"{found.severity} {found.code}", fg=COLOURS[found.severity])
    place = f"{found.line}:{found.column} " if found.line else ""
    lead = " " * 9

    first, *rest = _fold(place + for_terminal(found.message), width)
    hint = wrapped("→ " + for_terminal(found.hint), len(lead) + 4, width)

    return [f"{lead}{label} {first}", *rest, *hint]


def _fold(text: str, width: int) -> list[str]:
    first, *rest = wrapped(text, 0, max(30, width - 24)) or [""]
    return [first, *(" " * 13 + line for line in rest)]


def wrapped(text: str, indent: int, width: int) -> list[str]:
    """The text in lines of the terminal's width, each with this indentation."""
    room = max(30, width - indent)
    lines: list[str] = []
    line = ""

    for word in text.split():
        if line and len(line) + 1 + len(word) > room:
            lines.append(" " * indent + line)
            line = ""

        line = f"{line} {word}" if line else word

    return [*lines, " " * indent + line] if line else lines


def cut(text: str, longest: int) -> str:
    """One printable line of at most this length."""
    text = for_terminal(text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def explain_code(code: str, wants_json: bool) -> int:
    row = CODES.get(code.upper())
    if row is None:
        raise HeartbeatError(f"There is no code {code}.", did_you_mean(code.upper(), CODES))

    if wants_json:
        print_json(
            {
                "code": code.upper(),
                "severity": row.severity,
                "title": row.title,
                "meaning": row.meaning,
                "example": row.example,
                "mend": row.fix,  # an older word for it; the key stays, because scripts may read it
            }
        )
        return 0

    click.echo(code_text(code.upper(), row))
    return 0


def code_text(code: str, row: Code) -> str:
    """What a code means, with an example and what to do."""
    example = ""
    if row.example:
        lines = row.example.replace("\0", "␀").splitlines()
        example = "For example:\n\n" + "".join(f"    {line}\n" for line in lines) + "\n"

    return (
        f"{code} ({row.severity}): {row.title}\n\n{row.meaning}\n\n{example}What to do: {row.fix}"
    )
