"""How every line of a workspace was read, in a person's words. Pure."""

from collections.abc import Iterator
from typing import NamedTuple, assert_never

from core.kinds import check_words
from core.model.diagnostic import Problem, Unclear
from core.model.document import Action, Document, Node, NodeKind, Prompt, RunIf, Task
from core.model.workspace import Workspace
from core.rules.timing.expressions import read_schedule
from tray_app.cli.words import counted


class LineReading(NamedTuple):
    first: int
    last: int
    label: str
    text: str
    details: tuple[str, ...] = ()


def line_readings(document: Document) -> Iterator[LineReading]:
    """One row for each node but the blank lines."""
    tasks = {task.line: task for task in document.tasks}
    actions = {action.line: action for action in document.actions}
    probes = {probe.line: probe for probe in document.probes}
    names = {probe.name for probe in document.probes}

    for node in document.nodes:
        if node.kind is NodeKind.BLANK:
            continue
        if node.kind is NodeKind.TASK:
            yield _task_row(node, tasks[node.first], names)
        elif node.kind is NodeKind.ACTION and node.first in actions:
            yield _action_row(node, actions[node.first])
        elif node.kind is NodeKind.PROBE and node.first in probes:
            probe = probes[node.first]
            yield LineReading(node.first, node.last, "probe", f"{probe.name}: {probe.command}")
        elif node.kind is NodeKind.FRONTMATTER:
            words = _frontmatter_words(document)
            yield LineReading(node.first, node.last, "frontmatter", words)
        else:
            words = _first_words(document, node)
            yield LineReading(node.first, node.last, _label(node.kind), words)


def _label(kind: NodeKind) -> str:
    """What a row is called that is not read as an item."""
    match kind:
        case NodeKind.PLAIN:
            return "for the model"
        case NodeKind.COMPLETED:
            return "done today"
        case NodeKind.VERDICT:
            return "last verdict"
        case NodeKind.REFUSED | NodeKind.PROBE:
            return "not read"
        case (
            NodeKind.ACTION
            | NodeKind.BLANK
            | NodeKind.CONTEXT
            | NodeKind.DETAILS
            | NodeKind.FRONTMATTER
            | NodeKind.HEADING
            | NodeKind.INACTIVE
            | NodeKind.REVIEW
            | NodeKind.TASK
        ):
            return str(kind)
        case _:
            assert_never(kind)


def prompt_reading(prompt: Prompt) -> LineReading:
    gate = "no gate"
    if prompt.gate:
        gate = f"only if `{prompt.gate.command}` {_GATE_WORDS[prompt.run_if]}"

    details = (when(prompt.schedule, "at every tick"), gate)
    return LineReading(
        1, 1, "prompt", f"{prompt.id}: {prompt.title}", _with_unclear(details, prompt.unclear)
    )


_GATE_WORDS = {RunIf.SUCCESS: "succeeds", RunIf.FAILURE: "fails", RunIf.ALWAYS: "has run"}


def _task_row(node: Node, task: Task, probes: set[str]) -> LineReading:
    if task.checked:
        return LineReading(
            node.first,
            node.last,
            "task, done",
            f"{task.id}: {task.description}",
            ("ticked: it does not run",),
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
        action.type.summary(action.params) if action.type else "type unclear",
        when(action.schedule, "once"),
        *([f"after {', '.join(action.depends_on)}"] if action.depends_on else []),
        *([f"if {action.condition}"] if action.condition else []),
        *([f"up to {action.retry} attempts"] if action.retry > 1 else []),
        str(action.status),
    )
    text = f"{action.id}: {action.name}"
    return LineReading(
        node.first, node.last, "action", text, _with_unclear(details, action.unclear)
    )


def when(schedule: str | None, otherwise: str) -> str:
    """The schedule in words."""
    if schedule is None:
        return otherwise

    read = read_schedule(schedule)
    if isinstance(read, Problem):
        return "schedule unclear"

    words = read.sentence()
    return words[0].lower() + words[1:]


def _with_unclear(details: tuple[str, ...], unclear: Unclear | None) -> tuple[str, ...]:
    return (f"DOES NOT RUN: {unclear}", *details) if unclear else details


def _frontmatter_words(document: Document) -> str:
    values = document.frontmatter.values
    words = [f"{key} {entry.value}" for key, entry in values.items() if entry.value is not None]

    return " · ".join(words) or "empty"


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
    if document.is_plain_item:
        items = ", ".join(filter(None, ("plain text for the model", items)))

    return f"{items or 'nothing to do'}; {found}"
