"""The prompt files of a workspace, as the commands add and remove them. What is displaced can be brought back."""

from pathlib import Path

from core.adapters.file_operations import FileOperations
from core.model.errors import HeartbeatError
from core.model.file_work import FileFailed, FileWork, Operation
from core.ports import Clock, UndoStore
from core.rules.reading.prompts import valid_prompt_id

BY_HAND = 0  # in the place of a beat's number: the person did it


class PromptStore:
    """The port of the same name. `beat` is the one that does it."""

    def __init__(self, workspace: Path, undo: UndoStore, clock: Clock, beat: int = BY_HAND) -> None:
        self._workspace = workspace
        self._files = FileOperations(workspace)
        self._undo = undo
        self._clock = clock
        self._beat = beat

    def add(self, identifier: str, text: str, *, overwrite: bool) -> bool:
        """Write the prompt's file; True where it is new. An existing one is replaced only where that is wanted."""
        path = self._path(identifier)
        is_new = not path.exists()
        if not is_new and not overwrite:
            raise HeartbeatError(f"There is already a prompt {identifier}.", "To replace it, add --overwrite.")
        self._do(FileWork(Operation.WRITE, f"heartbeat/{identifier}.md", content=text), identifier)
        return is_new

    def remove(self, identifier: str) -> None:
        if not self._path(identifier).exists():
            raise HeartbeatError(f"There is no prompt {identifier}.", "See them: heartbeat list")
        self._do(FileWork(Operation.DELETE, f"heartbeat/{identifier}.md"), identifier)

    def _do(self, work: FileWork, identifier: str) -> None:
        done = self._files.do(work, self._undo.open(self._beat, f"prompt-{identifier}"), self._clock.now())
        if isinstance(done, FileFailed):
            raise HeartbeatError(
                f"heartbeat/{identifier}.md could not be changed: {done.reason}.", "Nothing was changed."
            )

    def _path(self, identifier: str) -> Path:
        if not valid_prompt_id(identifier):
            raise HeartbeatError(f"`{identifier}` cannot be an id.", "Use letters, digits, `_` and `-`, at most 64.")
        return self._workspace / "heartbeat" / f"{identifier}.md"
