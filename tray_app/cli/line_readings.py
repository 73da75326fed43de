"""How every line of a workspace was read, in a person's words. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from core.model.diagnostic import Problem
from core.model.document import Action, ActionType, Document, Node, NodeKind, Prompt, Task
from core.model.workspace import Workspace
from core.rules.checking.hints import check_words
from core.rules.timing.expressions import read_schedule
from core.rules.timing.wording import sentence


class LineReading(NamedTuple):
    first: int
    last: int
    label: str
    text: str
    details: tuple[str, ...] = ()


def line_readings(document: Document) -> Iterator[LineReading]:
    """One row for each node that means something; blank lines mean nothing."""
    tasks = {task.line: task for task in document.tasks}
    actions = {action.line: action for action in document.actions}
    probes = {probe.line: probe for probe in document.probes}
    names = {probe.name for probe in document.probes}
    for node in document.nodes:
        text = _first_words(document, node)
        match node.kind:
            case NodeKind.BLANK:
                continue
            case NodeKind.TASK:
                yield _task_row(node, tasks[node.first], names)
            case NodeKind.ACTION if node.first in actions:
                yield _action_row(node, actions[node.first])
            case NodeKind.PROBE if node.first in probes:
                probe = probes[node.first]
                yield LineReading(node.first, node.last, "probe", f"{probe.name}: {probe.command}")
            case NodeKind.FRONTMATTER:
                yield LineReading(node.first, node.last, "frontmatter", _frontmatter_words(document))
            case NodeKind.PLAIN:
                yield LineReading(node.first, node.last, "for the model", text)
            case _:
                yield LineReading(node.first, node.last, _LABELS.get(node.kind, str(node.kind)), text)


_LABELS: Mapping[NodeKind, str] = {
    NodeKind.COMPLETED: "done today",
    NodeKind.REFUSED: "not read",
    NodeKind.PROBE: "not read",
}


def prompt_reading(prompt: Prompt) -> LineReading:
    gate = f"only if `{prompt.gate.command}` {_GATE_WORDS[prompt.run_if]}" if prompt.gate else "no gate"
    details = (when(prompt.schedule, "at every tick"), gate)
    return LineReading(1, 1, "prompt", f"{prompt.id}: {prompt.title}", _with_unclear(details, prompt.unclear))


_GATE_WORDS = {"success": "succeeds", "failure": "fails", "always": "has run"}


def _task_row(node: Node, task: Task, probes: set[str]) -> LineReading:
    if task.checked:
        return LineReading(
            node.first, node.last, "task, done", f"{task.id}: {task.description}", ("ticked: it does not run",)
        )
    details = (
        "required" if task.required else "optional",
        when(task.schedule, "at every tick"),
        f"done by `{task.run}`" if task.run else "done by the model",
        check_words(task, probes),
        f"up to {task.max_attempts} attempts" if task.max_attempts > 1 else "one attempt",
    )
    text = f"{task.id}: {task.description}"
    return LineReading(node.first, node.last, "task", text, _with_unclear(details, task.unclear))


def _action_row(node: Node, action: Action) -> LineReading:
    details = (
        str(action.priority),
        _what(action),
        when(action.schedule, "once"),
        *([f"after {', '.join(action.depends_on)}"] if action.depends_on else []),
        *([f"if {action.condition}"] if action.condition else []),
        *([f"up to {action.retry} attempts"] if action.retry > 1 else []),
        str(action.status),
    )
    text = f"{action.id}: {action.name}"
    return LineReading(node.first, node.last, "action", text, _with_unclear(details, action.unclear))


def _what(action: Action) -> str:
    params = action.params
    match action.type:
        case ActionType.SHELL:
            return f"runs `{params.get('command', '')}`"
        case ActionType.HTTP:
            return f"{params.get('method', 'GET')} {params.get('target') or params.get('url', '')}"
        case ActionType.FILE:
            place = params.get("path") or params.get("source") or params.get("pattern") or ""
            return f"file {params.get('operation', '')} {place}".rstrip()
        case ActionType.NOTIFY:
            return f"notifies “{params.get('message', '')}”"
        case None:
            return "type unclear"


def when(schedule: str | None, otherwise: str) -> str:
    """The schedule in words."""
    if schedule is None:
        return otherwise
    read = read_schedule(schedule)
    if isinstance(read, Problem):
        return "schedule unclear"
    words = sentence(read)
    return words[0].lower() + words[1:]


def _with_unclear(details: tuple[str, ...], unclear: str) -> tuple[str, ...]:
    return (f"DOES NOT RUN: {unclear}", *details) if unclear else details


def _frontmatter_words(document: Document) -> str:
    values = document.frontmatter.values
    return " · ".join(f"{key} {entry.value}" for key, entry in values.items() if entry.value is not None) or "empty"


def _first_words(document: Document, node: Node) -> str:
    for line in document.lines[node.first - 1 : node.last]:
        if line.text.strip():
            return line.text.strip() + (" …" if node.last > node.first else "")
    return ""


def summary(workspace: Workspace) -> str:
    """What was found, in one line: "2 tasks, 1 action; no problems"."""
    document = workspace.document
    counts = [
        (len(document.tasks), "task"),
        (len(document.actions), "action"),
        (len(workspace.prompts), "prompt"),
        (len(document.probes), "probe"),
        (1 if document.review else 0, "review"),
    ]
    items = ", ".join(counted(number, word) for number, word in counts if number)
    severities = [str(found.severity) for found in workspace.diagnostics]
    problems = [
        (severities.count("error"), "error"),
        (severities.count("warning"), "warning"),
        (severities.count("info"), "note"),
    ]
    found = ", ".join(counted(number, word) for number, word in problems if number) or "no problems"
    if document.refused:
        return f"nothing is read from this file; {found}"
    if document.format == "plain" and not items:
        items = "plain text for the model" if document.active else "nothing to do"
    return f"{items or 'nothing to do'}; {found}"


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
