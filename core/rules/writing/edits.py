"""Changes to a document as replaced spans. Every byte outside of them stays as it was."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

from core.model.change import (
    Change,
    ClearCompleted,
    RemoveCompleted,
    RemoveField,
    RemoveVerdict,
    SetCompleted,
    SetField,
    SetHeader,
    SetVerdict,
)
from core.model.document import Action, Completed, Document, Field, Line, NodeKind, Task
from core.rules.printable import one_line
from core.rules.reading.blocks import line_end_of
from core.rules.reading.sections import COMPLETED
from core.rules.reading.strict_yaml import resolve
from core.rules.reading.tasks import read_box
from core.rules.reading.verdict_lines import is_verdict_line, verdict_line
from core.rules.writing.completed_lines import completed_words, sameness


class Edit(NamedTuple):
    """Replace the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def changed_bytes(document: Document, changes: Iterable[Change]) -> bytes:
    """Return the file's bytes with the changes made."""
    text = apply_edits(document.text, edits_of(document, changes))
    return (document.bom + text).encode("utf-8", "surrogateescape")


def edits_of(document: Document, changes: Iterable[Change]) -> list[Edit]:
    """Return the spans that these changes replace, in file order; none of a refused file."""
    if document.refused:
        return []

    latest = {_target(change): change for change in changes}
    completed = [change for change in latest.values() if isinstance(change, SetCompleted)]
    verdicts = [change for change in latest.values() if isinstance(change, SetVerdict)]
    others = [
        change for change in latest.values() if not isinstance(change, SetCompleted | SetVerdict)
    ]
    actions = {action.id: action for action in reversed(document.actions)}

    edits: list[Edit] = []
    for change in others:
        edits += _edits(document, change, actions)

    edits += _set_verdicts(document, verdicts)
    edits += _set_completed(document, completed)
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def _target(change: Change) -> tuple[str, ...]:
    """Return what the change is about: of two changes of the same target the later one holds."""
    match change:
        case SetField() | RemoveField():
            return ("field", change.action, change.key)
        case SetHeader():
            return ("frontmatter", change.key)
        case SetCompleted() | RemoveCompleted():
            return ("completed", change.id)
        case SetVerdict() | RemoveVerdict():
            return ("verdict", change.task)
        case ClearCompleted():
            return ("clear",)
        case _:
            assert_never(change)


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    position = 0
    for edit in edits:
        pieces += [text[position : edit.start], edit.text]
        position = max(position, edit.end)

    return "".join([*pieces, text[position:]])


def _edits(document: Document, change: Change, actions: Mapping[str, Action]) -> list[Edit]:
    match change:
        case SetField():
            return _set_field(document, change, actions.get(change.action))
        case RemoveField():
            action = actions.get(change.action)
            fields = action.fields if action else ()
            return _removed(document, [one.line for one in fields if one.key == change.key])
        case SetHeader():
            return _set_header(document, change)
        case SetCompleted():
            return _set_completed(document, [change])
        case RemoveCompleted() | ClearCompleted():
            return _remove_completed(document, change)
        case SetVerdict() | RemoveVerdict():
            return _change_verdict(document, change)
        case _:
            assert_never(change)


def _removed(document: Document, numbers: Sequence[int]) -> list[Edit]:
    """Remove the lines of these numbers."""
    lines = [document.lines[number - 1] for number in numbers]
    return [Edit(line.start, line.end, "") for line in lines]


# -- the lines of an action ------------------------------------------------------------------------


def _set_field(document: Document, change: SetField, action: Action | None) -> list[Edit]:
    if not action:
        return []

    value = one_line(change.value)
    field = next((field for field in action.fields if field.key == change.key), None)
    if field:
        return _replaced(document.text, field.start, field.end, value)

    # The new line goes after one of these, none of which has a list nested under it; or else right
    # after the heading.
    fields = {field.key: field for field in reversed(action.fields)}
    neighbour = fields.get("status") or fields.get("id") or fields.get("type")
    after = document.lines[(neighbour.line if neighbour else action.line) - 1]

    model = neighbour or (action.fields[0] if action.fields else None)
    return [_line_after(document, after, f"{_lead(document, model, change.key)} {value}")]


def _lead(document: Document, model: Field | None, key: str) -> str:
    """Return the part of a new line before its value, written like another line of the block."""
    if not model:
        return f"- **{key}**:"

    line = document.lines[model.line - 1]
    written = line.text[: model.start - line.start].rstrip()
    at = written.lower().find(model.key)

    return written[:at] + key + written[at + len(model.key) :]


# -- the frontmatter -------------------------------------------------------------------------------


def _set_header(document: Document, change: SetHeader) -> list[Edit]:
    front = document.frontmatter
    if not front.writable:
        return []

    value = yaml_value(change.value)
    entry = front.values.get(change.key)
    if entry is None:
        closing = document.lines[front.last_line - 1]
        line = f"{change.key}: {value}{line_end_of(document.text)}"
        return [Edit(closing.start, closing.start, line)]

    if not entry.writable:
        return []

    return _replaced(document.text, entry.start, entry.end, value)


def yaml_value(value: str | int | None) -> str:
    """Return a frontmatter value as it is written: in quotes unless it reads back as the same."""
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)

    words = one_line(value)
    return words if _reads_back(words) else json.dumps(words, ensure_ascii=False)


def _reads_back(words: str) -> bool:
    """Say whether YAML reads these words, without quotes, as the same text."""
    bare = "".join(one for one in words if one not in "-:.+_")
    if not (bare.isascii() and bare.isalnum()):
        return False

    return words[0].isalnum() and words[-1] != ":" and resolve(words) == words


# -- the line under a task -------------------------------------------------------------------------


def _set_verdicts(document: Document, changes: Sequence[SetVerdict]) -> list[Edit]:
    tasks = {task.id: task for task in document.tasks} if changes else {}
    edits: list[Edit] = []
    for change in changes:
        task = tasks.get(change.task)
        edits += _set_verdict(document, change, task) if task else []

    return edits


def _change_verdict(document: Document, change: SetVerdict | RemoveVerdict) -> list[Edit]:
    if isinstance(change, SetVerdict):
        return _set_verdicts(document, [change])

    return _remove_verdict(document, change)


def _set_verdict(document: Document, change: SetVerdict, task: Task) -> list[Edit]:
    line, *below = document.lines[task.line - 1 : task.line + 1]
    words = verdict_line(line.text, change.word, change.points, change.local)
    if below and is_verdict_line(below[0].text):
        return _replaced(document.text, below[0].start, below[0].start + len(below[0].text), words)

    return [_line_after(document, line, words)]


def _remove_verdict(document: Document, change: RemoveVerdict) -> list[Edit]:
    below = next((task.line + 1 for task in document.tasks if task.id == change.task), 0)
    if not 0 < below <= len(document.lines):
        return []

    text = document.lines[below - 1].text
    is_that_line = is_verdict_line(text) and text.strip(" \t") == change.words
    return _removed(document, [below]) if is_that_line else []


# -- completed today -------------------------------------------------------------------------------


def _set_completed(document: Document, changes: Sequence[SetCompleted]) -> list[Edit]:
    """Replace the lines of these ids where they are; add the new ones together at one place."""
    edits: list[Edit] = []
    new: list[str] = []

    for change in changes:
        rest = completed_words(change.id, change.result, change.clock)
        own = _own(document, change.own | {sameness(rest)})
        line = next((document.lines[one.line - 1] for one in own if one.id == change.id), None)
        box = read_box(line.text) if line else None

        if line and box:
            start = line.start + box.column
            edits += _replaced(document.text, start, line.start + len(line.text), rest)
        else:
            new.append(f"- [x] {rest}")

    if new:
        edits += _added_completed(document, new)

    return edits


def _remove_completed(document: Document, change: RemoveCompleted | ClearCompleted) -> list[Edit]:
    own = _own(document, change.own)
    if isinstance(change, RemoveCompleted):
        own = [done for done in own if done.id == change.id]

    return _removed(document, [done.line for done in own])


def _own(document: Document, own: frozenset[str]) -> list[Completed]:
    """Return the lines that the program wrote."""
    return [done for done in document.completed if sameness(done.words) in own]


def _added_completed(document: Document, new: list[str]) -> list[Edit]:
    if document.completed:
        last = document.lines[document.completed[-1].line - 1]
        return [_line_after(document, last, *new)]

    if heading := _completed_heading(document):
        gap = [] if _is_blank(heading) else [""]
        return [_line_after(document, heading, *gap, *new)]

    if last_action := _last_action_line(document):
        return [_line_after(document, last_action, "", f"## {COMPLETED}", "", *new)]

    return []


def _completed_heading(document: Document) -> Line | None:
    """Return the line that the section's first entry goes after: the heading, or the blank line
    below it."""
    for node in document.nodes:
        if node.kind is not NodeKind.HEADING:
            continue

        line, *below = document.lines[node.first - 1 : node.first + 1]
        if line.text.strip(" \t#").lower() == COMPLETED.lower():
            return below[0] if below and _is_blank(below[0]) else line

    return None


def _is_blank(line: Line) -> bool:
    return not line.text.strip()


def _last_action_line(document: Document) -> Line | None:
    """Return the line that a new section goes after; None if an open fence or comment would
    swallow the section."""
    if any(found.code in ("HB601", "HB602") for found in document.diagnostics):
        return None

    nodes = [node for node in document.nodes if node.kind is NodeKind.ACTION]
    return document.lines[nodes[-1].last - 1] if nodes else None


# -- spans -----------------------------------------------------------------------------------------


def _replaced(text: str, start: int, end: int, value: str) -> list[Edit]:
    """Replace a value where it changes, with a space before it where the key has none yet."""
    if text[start:end] == value:
        return []

    needs_space = value and start == end and text[start - 1 : start] not in (" ", "\t")
    return [Edit(start, end, f" {value}" if needs_space else value)]


def _line_after(document: Document, line: Line, *new: str) -> Edit:
    """Add lines after this one, with its line end; a file without a last line end keeps none."""
    end = document.text[line.start + len(line.text) : line.end]
    if end:
        return Edit(line.end, line.end, "".join(text + end for text in new))

    end = line_end_of(document.text)
    return Edit(line.end, line.end, "".join(end + text for text in new))
