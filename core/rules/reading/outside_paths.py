"""Reports file actions whose path leads out of the workspace, where only the disk shows that: an
absolute path, or one through a link. Pure: what leads where is an argument.

Such an action does not run, so nobody is asked to approve it. A path of which the text shows it
is reported by the type of action itself.
"""

from collections.abc import Callable, Sequence

from core.model.action_type import text_in
from core.model.diagnostic import Unclear
from core.model.document import Action, Document, Line
from core.model.light_dataclass import replace
from core.rules.fingerprint import what_is_written
from core.rules.printable import shown
from core.rules.reading.findings import Findings

PLACES = ("path", "source", "destination")
HINT = "Write a path inside the workspace, or use a shell action for files elsewhere."


def with_outside_paths(document: Document, is_inside: Callable[[str], bool]) -> Document:
    """The document with a finding for each such path. Nothing is asked where there is no file
    action."""
    findings = Findings()
    actions = [
        _checked(one, document.lines, is_inside, findings) if _works_on_files(one) else one
        for one in document.actions
    ]
    if not findings.found:
        return document

    found = [*document.diagnostics, *findings.sorted()]
    found.sort(key=lambda one: (one.line, one.column))
    return replace(document, actions=tuple(actions), diagnostics=tuple(found))


def _works_on_files(action: Action) -> bool:
    return not action.unclear and action.type is not None and action.type.displaces_files


def _checked(
    action: Action, lines: Sequence[Line], is_inside: Callable[[str], bool], findings: Findings
) -> Action:
    """The action, with why it does not run if one of its paths leads out."""
    unclear: Unclear | None = None
    for key in _outside(action, is_inside):
        written = text_in(action.params, key)
        words = f"`{shown(written)}` is not inside the workspace"
        findings.add(
            "HB322", *_position(lines[action.line :], key, written, action), words + ".", HINT
        )
        unclear = unclear or Unclear(words, "HB322", what_is_written(key, written))

    return replace(action, unclear=unclear) if unclear else action


def _outside(action: Action, is_inside: Callable[[str], bool]) -> list[str]:
    """The keys whose path leads out; a pattern is always one from the folder of the action."""
    written = {key: text_in(action.params, key) for key in PLACES}
    outside = [
        key
        for key, path in written.items()
        if path and "{{" not in path and "\0" not in path and not is_inside(path)
    ]
    if text_in(action.params, "pattern").startswith("/"):
        outside.append("pattern")

    return outside


def _position(lines: Sequence[Line], key: str, written: str, action: Action) -> tuple[int, int]:
    """The line and the column of a key, in the block itself or below `params`."""
    for line in lines:
        item = line.text.lstrip(" \t")[1:].lstrip(" \t")
        name = item.partition(":")[0].strip("* \t").lower()
        if name == key and written in item:
            return line.number, len(line.text) - len(item) + 1

    return action.line, 1
