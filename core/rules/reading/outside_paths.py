"""Reports file actions whose path leads out of the workspace, where only the disk shows that: an
absolute path, or one through a link. Pure: what leads where is an argument.

A path of which the text shows it is reported by the type of action itself.
"""

from collections.abc import Callable, Iterator

from core.model.action_type import text_in
from core.model.document import Action
from core.model.light_dataclass import replace
from core.model.workspace import Workspace
from core.rules.printable import shown
from core.rules.reading.findings import Findings

PLACES = ("path", "source", "destination")


def with_outside_paths(workspace: Workspace, is_inside: Callable[[str], bool]) -> Workspace:
    """The workspace with a finding for each such action."""
    findings = Findings()
    for action in workspace.document.actions:
        if not action.unclear and action.type and action.type.displaces_files:
            for written in _places(action):
                if not is_inside(written):
                    message = f"`{shown(written)}` is not inside the workspace, so this fails."
                    hint = "Write a path inside the workspace, or use a shell action."
                    findings.add("HB322", action.line, 1, message, hint)

    if not findings.found:
        return workspace

    found = [*workspace.diagnostics, *findings.sorted()]
    found.sort(key=lambda one: (one.file, one.line, one.column))
    return replace(workspace, diagnostics=tuple(found))


def _places(action: Action) -> Iterator[str]:
    for key in PLACES:
        written = text_in(action.params, key)
        if written and "{{" not in written and "\0" not in written:
            yield written
