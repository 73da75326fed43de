"""`heartbeat show`: the parsed workspace, as JSON or as a table."""

import click

from core import bootstrap
from core.model.diagnostic import Severity
from core.model.document import Action, ActionStatus, Gate, Prompt, Task
from core.model.workspace import Workspace
from tray_app.cli.check import cut
from tray_app.cli.line_readings import summary, when
from tray_app.cli.main import Call, harmless, json_option, print_json, terminal_width


@click.command("show", short_help="Show the parsed workspace.")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """Show what the workspace holds: tasks, actions, prompts, review."""
    workspace = bootstrap.read_workspace(bootstrap.locate_workspace(call.workspace))
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
        "probes": [{"name": probe.name, "command": probe.command, "line": probe.line} for probe in document.probes],
        "review": document.review,
        "format": str(document.format),
        "active": workspace.active,
    }


def _task(task: Task) -> dict[str, object]:
    keys = ("id", "description", "required", "verify", "max_attempts", "checked", "schedule", "run", "line")
    return {key: getattr(task, key) for key in keys}


def _action(action: Action) -> dict[str, object]:
    return {
        "id": action.id,
        "name": action.name,
        "priority": str(action.priority),
        "type": str(action.type) if action.type else None,
        "status": str(ActionStatus.NEEDS_CLARIFICATION if action.unclear else action.status),
        "schedule": action.schedule,
        "retry": action.retry,
        "timeout": action.timeout.total_seconds(),
        "depends_on": list(action.depends_on),
        "condition": action.condition,
        "params": {key: value if isinstance(value, str) else dict(value) for key, value in action.params.items()},
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
    rows += [
        (task.id, "task ✓" if task.checked else "task", when(task.schedule, "every tick"), task.description)
        for task in document.tasks
    ]
    rows += [(one.id, f"action {one.priority}", when(one.schedule, "once"), one.name) for one in document.actions]
    rows += [(one.id, "prompt", when(one.schedule, "every tick"), one.title) for one in workspace.prompts]
    if document.review:
        rows.append(("review", "review", "every tick", document.review))
    if document.format == "plain" and document.active:
        rows.append(("heartbeat", "plain", "every tick", document.context))
    lines = [harmless(str(workspace.file))]
    if len(rows) > 1:
        widths = [min(24, max(len(row[column]) for row in rows)) for column in range(3)]
        for row in rows:
            cells = [f"{cut(row[column], widths[column]):<{widths[column]}}" for column in range(3)]
            lead = "  ".join(cells)
            lines.append(f"{lead}  {cut(' '.join(row[3].split()), max(20, width - len(lead) - 2))}")
    why = [one for one in workspace.diagnostics if document.refused and one.severity is Severity.ERROR and not one.file]
    return [*lines, *(f"{one.message} {one.hint}".strip() for one in why), "", summary(workspace)]
