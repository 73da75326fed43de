"""`heartbeat show`: what a workspace holds, as a table or as JSON."""

import click

from core.model.diagnostic import Severity
from core.model.document import Action, ActionStatus, Gate, Prompt, Task
from core.model.workspace import Workspace
from core.rules.printable import for_terminal
from core.usecases import reading
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.check import cut
from tray_app.cli.line_readings import summary, when


@click.command("show")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """Show what the workspace holds: tasks, actions, prompts, review."""
    workspace = reading.read_workspace(call.services())
    if call.as_json:
        print_json(as_json(workspace))
    else:
        click.echo("\n".join(table(workspace, terminal_width())))

    return 0


def as_json(workspace: Workspace) -> dict[str, object]:
    document = workspace.document
    return {
        "frontmatter": {key: entry.value for key, entry in document.frontmatter.values.items()},
        "context": document.context,
        "tasks": [_task(task) for task in document.tasks],
        "actions": [_action(action) for action in document.actions],
        "prompts": [prompt_as_json(prompt) for prompt in workspace.prompts],
        "probes": [
            {"name": probe.name, "command": probe.command, "line": probe.line}
            for probe in document.probes
        ],
        "review": document.review,
        "format": str(document.format),
        "active": workspace.active,
    }


def _task(task: Task) -> dict[str, object]:
    keys = (
        "id",
        "description",
        "required",
        "verify",
        "max_attempts",
        "checked",
        "schedule",
        "run",
        "details",
        "line",
    )
    return {
        **{key: getattr(task, key) for key in keys},
        "timeout": task.timeout.total_seconds(),
    }


def _action(action: Action) -> dict[str, object]:
    return {
        "id": action.id,
        "name": action.name,
        "priority": str(action.priority),
        "type": action.type.name if action.type else None,
        "status": str(ActionStatus.NEEDS_CLARIFICATION if action.unclear else action.status),
        "schedule": action.schedule,
        "retry": action.retry,
        "timeout": action.timeout.total_seconds(),
        "depends_on": list(action.depends_on),
        "condition": action.condition,
        "params": {
            key: value if isinstance(value, str) else dict(value)
            for key, value in action.params.items()
        },
        "line": action.line,
    }


def prompt_as_json(prompt: Prompt) -> dict[str, object]:
    return {
        "id": prompt.id,
        "title": prompt.title,
        "gate": _gate(prompt.gate) if prompt.gate else None,
        "schedule": prompt.schedule,
        "run_if": prompt.run_if,
    }


def _gate(gate: Gate) -> dict[str, object]:
    return {
        "command": gate.command,
        "cwd": gate.cwd,
        "timeout": gate.timeout.total_seconds(),
        "env": dict(gate.env),
        "permissions": list(gate.permissions),
        "allowedDomains": list(gate.allowed_domains),
    }


def table(workspace: Workspace, width: int) -> list[str]:
    document = workspace.document
    rows = [("ID", "KIND", "WHEN", "WHAT")]
    for task in document.tasks:
        kind = "task ✓" if task.checked else "task"
        rows.append((task.id, kind, when(task.schedule, "every tick"), task.description))

    for action in document.actions:
        kind = f"action {action.priority}"
        rows.append((action.id, kind, when(action.schedule, "once"), action.name))

    for prompt in workspace.prompts:
        schedule = when(prompt.schedule, "every tick")
        rows.append((prompt.id, "prompt", schedule, prompt.title))

    if document.review:
        rows.append(("review", "review", "every tick", document.review))
    if document.is_plain_item:
        rows.append(("heartbeat", "plain", "every tick", document.context))

    lines = [for_terminal(str(workspace.file))]
    if len(rows) > 1:
        widths = [min(24, max(len(row[column]) for row in rows)) for column in range(3)]
        for row in rows:
            cells = [f"{cut(row[column], widths[column]):<{widths[column]}}" for column in range(3)]
            lead = "  ".join(cells)
            lines.append(f"{lead}  {cut(' '.join(row[3].split()), max(20, width - len(lead) - 2))}")

    why = [
        one
        for one in workspace.diagnostics
        if document.refused and one.severity is Severity.ERROR and not one.file
    ]

    return [*lines, *(f"{one.message} {one.hint}".strip() for one in why), "", summary(workspace)]
