"""A workspace as it was read at one moment."""

from dataclasses import dataclass
from pathlib import Path

from core.model.diagnostic import Diagnostic, Severity
from core.model.document import Document, Prompt


@dataclass(frozen=True, slots=True)
class Workspace:
    root: Path
    file: Path  # where HEARTBEAT.md is, or would be
    document: Document
    prompts: tuple[Prompt, ...]
    diagnostics: tuple[Diagnostic, ...]  # of the file, its lines and the prompt files

    @property
    def active(self) -> bool:
        """Whether there is anything to do."""
        return self.document.active or any(not prompt.unclear for prompt in self.prompts)

    @property
    def has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self.diagnostics)
