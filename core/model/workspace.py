"""A workspace as it was read at one moment."""

from dataclasses import dataclass
from pathlib import Path

from core.model.diagnostic import Diagnostic, Severity
from core.model.document import Document, Prompt
from core.model.workspace_file import Snapshot


@dataclass(frozen=True, slots=True, eq=False)  # one reading is itself alone: what is worked out of it can be kept by it
class Workspace:
    root: Path
    file: Path  # where HEARTBEAT.md is, or would be
    document: Document
    prompts: tuple[Prompt, ...]
    diagnostics: tuple[Diagnostic, ...]  # of the file, its lines and the prompt files
    snapshot: Snapshot | None = None  # the bytes of HEARTBEAT.md, the base of a write; None: it was not read

    @property
    def active(self) -> bool:
        """Whether there is anything to do."""
        return self.document.active or any(not prompt.unclear for prompt in self.prompts)

    @property
    def has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self.diagnostics)
