"""Changes to a document as replaced spans: every byte outside them stays as it was."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

from core.model.change import Change, ClearCompleted, RemoveCompleted, RemoveField, SetCompleted, SetField, SetHeader
from core.model.document import Action, Document, Field, Line, NodeKind
from core.rules.reading.lines import line_end_of
from core.rules.reading.tasks import read_box
from core.rules.writing.harmless import one_line, yaml_value


class Edit(NamedTuple):
    """The characters from `start` to `end` give way to `text`."""

    start: int
    end: int
    text: str


def changed_bytes(document: Document, changes: Iterable[Change]) -> bytes:
    """The file's bytes with the changes made."""
    text = apply_edits(document.text, edits_of(document, changes))
    return (document.bom + text).encode("utf-8", "surrogateescape")


def edits_of(document: Document, changes: Iterable[Change]) -> list[Edit]:
    """The spans that these changes replace, in file order; a refused file is never written."""
    if document.refused:
        return []
    latest = {_target(change): change for change in changes}
    completed = [change for change in latest.values() if isinstance(change, SetCompleted)]
    others = [change for change in latest.values() if not isinstance(change, SetCompleted)]
    actions = {action.id: action for action in reversed(document.actions)}
    edits = [edit for change in others for edit in _edits(document, change, actions)]
    return sorted([*edits, *_set_completed(document, completed)], key=lambda edit: (edit.start, edit.end))


def _target(change: Change) -> tuple[str, ...]:
    """What the change is about: of two for the same target the later one holds."""
    match change:
        case SetField() | RemoveField():
            return ("field", change.action, change.key)
        case SetHeader():
            return ("header", change.key)
        case SetCompleted() | RemoveCompleted():
            return ("completed", change.id)
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


def inverse(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that turn the changed text back into `text`."""
    back: list[Edit] = []
    moved = 0
    for edit in edits:
        start = edit.start + moved
        back.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        moved += len(edit.text) - (edit.end - edit.start)
    return back


def _edits(document: Document, change: Change, actions: Mapping[str, Action]) -> list[Edit]:
    match change:
        case SetField():
            return _set_field(document, change, actions.get(change.action))
        case RemoveField():
            action = actions.get(change.action)
            fields = action.fields if action else ()
            lines = [document.lines[field.line - 1] for field in fields if field.key == change.key]
            return [Edit(line.start, line.end, "") for line in lines]
        case SetHeader():
            return _set_header(document, change)
        case SetCompleted():
            return _set_completed(document, [change])
        case RemoveCompleted():
            lines = [document.lines[done.line - 1] for done in document.completed if done.id == change.id]
            return [Edit(line.start, line.end, "") for line in lines]
        case ClearCompleted():
            lines = [document.lines[done.line - 1] for done in document.completed]
            return [Edit(line.start, line.end, "") for line in lines]
        case _:
            assert_never(change)


def _set_field(document: Document, change: SetField, action: Action | None) -> list[Edit]:
    if not action:
        return []
    value = one_line(change.value)
    field = next((field for field in action.fields if field.key == change.key), None)
    if field:
        return _replaced(document.text, field.start, field.end, value)
    heading = document.lines[action.line - 1]
    fields = {field.key: field for field in reversed(action.fields)}
    # After one of these lines, none of which has a list nested under it; else right after the heading.
    beside = fields.get("status") or fields.get("id") or fields.get("type")
    like = beside or (action.fields[0] if action.fields else None)
    after = document.lines[beside.line - 1] if beside else heading
    return [_line_after(document, after, f"{_lead(document, like, change.key)} {value}")]


def _lead(document: Document, like: Field | None, key: str) -> str:
    """The part of a new line before its value, written as the person wrote another line of the block."""
    if not like:
        return f"- **{key}**:"
    line = document.lines[like.line - 1]
    written = line.text[: like.start - line.start].rstrip()
    at = written.lower().find(like.key)
    return written[:at] + key + written[at + len(like.key) :]


def _set_header(document: Document, change: SetHeader) -> list[Edit]:
    front = document.frontmatter
    if not front.writable:
        return []
    value = yaml_value(change.value)
    entry = front.values.get(change.key)
    if entry is None:
        closing = document.lines[front.last_line - 1]
        return [Edit(closing.start, closing.start, f"{change.key}: {value}{line_end_of(document.text)}")]
    return _replaced(document.text, entry.start, entry.end, value) if entry.writable else []


def _replaced(text: str, start: int, end: int, value: str) -> list[Edit]:
    """Nothing where nothing changes; a space before the value where the key has none yet."""
    if text[start:end] == value:
        return []
    space = " " if value and start == end and text[start - 1 : start] not in (" ", "\t") else ""
    return [Edit(start, end, space + value)]


def _set_completed(document: Document, changes: Sequence[SetCompleted]) -> list[Edit]:
    """The lines of these ids, replaced where they stand, else added together at one place."""
    standing = {done.id: document.lines[done.line - 1] for done in document.completed}
    edits: list[Edit] = []
    new: list[str] = []
    for change in changes:
        rest = f"{one_line(change.id, 64)}: {one_line(change.result)} ({change.clock})"
        line = standing.get(change.id)
        box = read_box(line.text) if line else None
        if line and box:
            edits += _replaced(document.text, line.start + box.column, line.start + len(line.text), rest)
        else:
            new.append(f"- [x] {rest}")
    if not new:
        return edits
    heading = _completed_heading(document)
    last = _last_action_line(document)
    if document.completed:
        edits.append(_line_after(document, document.lines[document.completed[-1].line - 1], *new))
    elif heading:
        edits.append(_line_after(document, heading, *([] if _is_blank(heading) else [""]), *new))
    elif last:
        edits.append(_line_after(document, last, "", "## Completed Today", "", *new))
    return edits


def _completed_heading(document: Document) -> Line | None:
    """The line after which the section's first entry goes: the heading, or the blank line below it."""
    for node in document.nodes:
        if node.kind is NodeKind.HEADING:
            line, *below = document.lines[node.first - 1 : node.first + 1]
            if line.text.strip(" \t#").lower() == "completed today":
                return below[0] if below and _is_blank(below[0]) else line
    return None


def _is_blank(line: Line) -> bool:
    return not line.text.strip()


def _last_action_line(document: Document) -> Line | None:
    """Where the section goes: after the actions; nowhere, where an open fence would swallow it."""
    if any(found.code in ("HB601", "HB602") for found in document.diagnostics):
        return None
    nodes = [node for node in document.nodes if node.kind is NodeKind.ACTION]
    return document.lines[nodes[-1].last - 1] if nodes else None


def _line_after(document: Document, line: Line, *new: str) -> Edit:
    """New lines after this one, ending as it does; a file without a last line end keeps none."""
    end = document.text[line.start + len(line.text) : line.end]
    if end:
        return Edit(line.end, line.end, "".join(text + end for text in new))
    end = line_end_of(document.text)
    return Edit(line.end, line.end, "".join(end + text for text in new))
