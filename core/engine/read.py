"""Reads a workspace: its HEARTBEAT.md and its prompt files, with all that is wrong with them.

Law: `heartbeat check` needs only this and the rules, so this imports no port at run time.
"""

from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from core.kinds import read_document
from core.model.diagnostic import Diagnostic
from core.model.document import Document, Prompt
from core.model.workspace import Workspace
from core.model.workspace_file import Found, Missing, Refusal, RefusalKind, Snapshot
from core.rules.printable import shown
from core.rules.reading import outside_paths
from core.rules.reading.document import refused_document
from core.rules.reading.findings import Findings
from core.rules.reading.prompts import read_prompt

if TYPE_CHECKING:
    from core.ports.files import WorkspaceReader
    from core.ports.world import World

REFUSAL_CODES = {
    RefusalKind.TOO_LARGE: "HB001",
    RefusalKind.NOT_REGULAR: "HB004",
    RefusalKind.OUTSIDE_LINK: "HB005",
    RefusalKind.UNREADABLE: "HB006",
}


def read_workspace(world: "World") -> Workspace:
    """The workspace as it is now, as a beat reads it."""
    return read_folder(world.files, world.root, world.settings.heartbeat_file)


def read_folder(
    files: "WorkspaceReader", root: Path, heartbeat_file: str | None = None
) -> Workspace:
    """The workspace in this folder. A missing file has no items and a refused one runs nothing;
    the prompts are read in any case."""
    findings = Findings()
    snapshot: Snapshot | None = None
    found: Found | Missing | Refusal
    found = Found(root / heartbeat_file) if heartbeat_file else files.find(root)

    match found:
        case Found(path, others):
            for name in others:
                message = (
                    f"{shown(name)} is here too, next to {path.name}; only {path.name} is read."
                )
                findings.add("HB008", 0, 1, message, "Keep one of the two.")

            document, snapshot = _document(
                files, path, root, findings, is_named=heartbeat_file is not None
            )
            document = with_outside_paths(document, files, root)
        case Missing(path):
            message = "There is no HEARTBEAT.md here, so nothing runs from it."
            findings.add("HB007", 0, 1, message, "Run: heartbeat init")
            document = read_document(b"")
        case Refusal():
            path = root / "HEARTBEAT.md"
            document = _refused(found, findings)
        case _:
            assert_never(found)

    prompts, prompt_findings = read_prompts(files, root)
    everything = (*findings.sorted(), *document.diagnostics, *prompt_findings)
    return Workspace(root, path, document, prompts, everything, snapshot)


def _document(
    files: "WorkspaceReader", path: Path, root: Path, findings: Findings, *, is_named: bool
) -> tuple[Document, Snapshot | None]:
    match files.read(path, root):
        case Snapshot() as snapshot:
            return read_document(snapshot.data), snapshot
        case Missing():
            message, hint = _why_missing(path.relative_to(root).as_posix(), is_named=is_named)
            findings.add("HB007", 0, 1, message, hint)
            return read_document(b""), None
        case Refusal() as refusal:
            return _refused(refusal, findings), None


def _why_missing(name: str, *, is_named: bool) -> tuple[str, str]:
    """Why a file that was found, or that config.json names, is not there, and what to do."""
    if is_named:
        message = f"There is no {name} here, which config.json names as the file to read."
        return message, "Create it, or change `heartbeatFile` in config.json."

    message = f"{name} is a link to a file that is not there, so nothing runs from it."
    return message, "Correct the link, or put the file there."


def with_outside_paths(document: Document, files: "WorkspaceReader", root: Path) -> Document:
    """The document with what only the disk shows: where a file action leads out of the
    workspace. Without file actions nothing is looked at."""
    return outside_paths.with_outside_paths(document, lambda name: files.is_inside(root, name))


def _refused(refusal: Refusal, findings: Findings) -> Document:
    findings.add(REFUSAL_CODES[refusal.kind], 0, 1, refusal.message, refusal.hint)
    return refused_document(b"", ())


def read_prompts(
    files: "WorkspaceReader", root: Path
) -> tuple[tuple[Prompt, ...], tuple[Diagnostic, ...]]:
    """The prompts of the folder `heartbeat`, sorted by title and then id."""
    prompts: list[Prompt] = []
    diagnostics: list[Diagnostic] = []
    for path in files.prompt_files(root):
        match files.read(path, root):
            case Snapshot() as snapshot:
                read = read_prompt(path.stem, snapshot.data)
                diagnostics += read.diagnostics
                if read.prompt:
                    prompts.append(read.prompt)
            case Refusal() as refusal:
                findings = Findings(f"heartbeat/{path.name}")
                findings.add(REFUSAL_CODES[refusal.kind], 0, 1, refusal.message, refusal.hint)
                diagnostics += findings.sorted()
            case Missing():
                pass  # it was removed after the folder was listed

    prompts.sort(key=lambda prompt: (prompt.title, prompt.id))
    return tuple(prompts), tuple(diagnostics)


def read_prompt_file(files: "WorkspaceReader", path: Path) -> Workspace:
    """One prompt file alone, as `heartbeat check FILE` reads it."""
    root = path.parent.parent
    empty = read_document(b"")
    match files.read(path, root):
        case Snapshot() as snapshot:
            read = read_prompt(path.stem, snapshot.data)
            prompts = (read.prompt,) if read.prompt else ()
            return Workspace(root, path, empty, prompts, read.diagnostics)
        case Refusal() as refusal:
            findings = Findings(f"heartbeat/{path.name}")
            findings.add(REFUSAL_CODES[refusal.kind], 0, 1, refusal.message, refusal.hint)
            return Workspace(root, path, refused_document(b"", ()), (), findings.sorted())
        case Missing():
            return Workspace(root, path, empty, (), ())
