"""`heartbeat check`: how every line was read, and what is wrong with it."""

import gc
import sys
from bisect import bisect_right
from collections import defaultdict
from itertools import islice
from pathlib import Path

import click

from core import bootstrap
from core.model.codes import CODES
from core.model.diagnostic import Diagnostic
from core.model.errors import HeartbeatError
from core.model.workspace import Workspace
from core.rules.reading.findings import did_you_mean
from core.rules.reading.lines import MAXIMUM_BYTES
from tray_app.cli.line_readings import LineReading, line_readings, prompt_reading, summary
from tray_app.cli.main import Call, harmless, json_option, print_json, terminal_width

MOST_ROWS = 5000  # nobody reads more of them; what is wrong further down is said all the same
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


@click.command("check", short_help="Say how every line was read, and what is wrong.")
@click.argument("file", required=False)
@click.option("--explain", metavar="CODE", help="What a code such as HB208 means, with an example and the mend.")
@json_option
@click.pass_obj
def command(call: Call, file: str | None, explain: str | None) -> int:
    """Say how every line of HEARTBEAT.md (or FILE, a folder, or - for standard input) was read, and what is wrong.

    Exit code 1 where something is an error. Nothing is changed.
    """
    if explain:
        return explain_code(explain, call.as_json)
    gc.disable()  # a large file makes a million values that are all needed until the end, which is soon
    if file == "-":
        workspace = bootstrap.read_text(sys.stdin.buffer.read(MAXIMUM_BYTES + 1), Path.cwd())
    elif file:
        workspace = bootstrap.read_path(Path(file))
    else:
        workspace = bootstrap.read_workspace(bootstrap.locate_workspace(call.workspace))
    workspace = bootstrap.with_past_moments(workspace)
    if not file or Path(file).is_dir():
        for warning in bootstrap.setting_warnings(workspace.root):
            click.echo(f"heartbeat: {warning}", err=True)
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
    """The whole answer as lines: every row with what was found on its lines, then the prompt files, then the sum."""
    rows = list(islice(line_readings(workspace.document), MOST_ROWS + 1))
    left_out = rows[MOST_ROWS:]
    first_lines = [row.first for row in rows[:MOST_ROWS]]
    under: defaultdict[int, list[str]] = defaultdict(list)  # the row that a finding belongs to; -1: above all rows
    for found in workspace.diagnostics:
        if not found.file:
            under[bisect_right(first_lines, found.line) - 1] += finding(found, width)
    lines = [click.style(harmless(str(workspace.file)), bold=True), *under[-1]]
    for index, row in enumerate(rows[:MOST_ROWS]):
        lines += row_lines(row, width) + under[index]
    if left_out:
        lines.append(f"         … and more: from line {left_out[0].first} on, only findings are shown.")
    lines += [text for name in prompt_names(workspace) for text in prompt_lines(workspace, name, width)]
    return [*lines, "", summary(workspace)]


def prompt_names(workspace: Workspace) -> list[str]:
    names = {found.file for found in workspace.diagnostics} | {prompt.file for prompt in workspace.prompts}
    return sorted(names - {""})


def prompt_lines(workspace: Workspace, name: str, width: int) -> list[str]:
    """One prompt file: how it was read, and what was found in it."""
    lines = ["", click.style(harmless(name), bold=True)]
    for prompt in workspace.prompts:
        lines += row_lines(prompt_reading(prompt), width) if prompt.file == name else []
    for found in workspace.diagnostics:
        lines += finding(found, width) if found.file == name else []
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
    return [
        *(
            f"{lead}{label} {line}" if not index else line
            for index, line in enumerate(_fold(place + harmless(found.message), width))
        ),
        *wrapped("→ " + harmless(found.hint), len(lead) + 4, width),
    ]


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
    text = harmless(text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def explain_code(code: str, wants_json: bool) -> int:
    row = CODES.get(code.upper())
    if row is None:
        raise HeartbeatError(f"There is no code {code}.", did_you_mean(code.upper(), CODES))
    if wants_json:
        print_json({"code": code.upper(), **row._asdict()})
        return 0
    click.echo(f"{code.upper()} ({row.severity}): {row.title}\n\n{row.meaning}\n")
    if row.example:
        example = "".join(f"    {line}\n" for line in row.example.replace("\0", "␀").splitlines())
        click.echo(f"For example:\n\n{example}")
    click.echo(f"What to do: {row.mend}")
    return 0
