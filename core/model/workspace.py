"""A workspace as it was read at one instant."""

from pathlib import Path

from core.model.diagnostic import Diagnostic, Severity
from core.model.document import Document, Prompt
from core.model.light_dataclass import light_dataclass
from core.model.workspace_file import Snapshot


# Without `eq`, a workspace is equal to itself only: it can be the key of what is derived from it.
@light_dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    root: Path
    file: Path  # where HEARTBEAT.md is, or would be
    document: Document
    prompts: tuple[Prompt, ...]
    diagnostics: tuple[Diagnostic, ...]  # of the file, its lines and the prompt files
    # The bytes of HEARTBEAT.md, which a write starts from; None if it was not read.
    snapshot: Snapshot | None = None

    @property
    def active(self) -> bool:
        """Say whether there is anything to do."""
        return self.document.active or any(not prompt.unclear for prompt in self.prompts)

    @property
    def has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self.diagnostics)
