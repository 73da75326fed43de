"""Adds and removes the prompt files of a workspace. What is replaced or removed can be brought
back."""

from pathlib import Path

from core.adapters.files.operations import FileOperations
from core.model.errors import HeartbeatError
from core.model.file_work import FileFailed, FileWork, Operation
from core.model.item import LONGEST_ID
from core.ports.files import UndoStore
from core.ports.waiting import Clock
from core.rules.reading.prompts import valid_prompt_id

BY_HAND = 0  # in the place of a beat's number: the person made the change


class PromptStore:
    """The port of the same name. `beat` is the number of the beat that makes the changes."""

    def __init__(self, workspace: Path, undo: UndoStore, clock: Clock, beat: int = BY_HAND) -> None:
        self._workspace = workspace
        self._files = FileOperations(workspace)
        self._undo = undo
        self._clock = clock
        self._beat = beat

    def add(self, identifier: str, text: str, *, overwrite: bool) -> bool:
        """Write the prompt's file and return whether it is new. An existing one is replaced only
        with `overwrite`."""
        path = self._path(identifier)
        is_new = not path.exists()
        if not is_new and not overwrite:
            raise HeartbeatError(
                f"There is already a prompt {identifier}.", "To replace it, add --overwrite."
            )

        self._do(FileWork(Operation.WRITE, f"heartbeat/{identifier}.md", content=text), identifier)
        return is_new

    def remove(self, identifier: str) -> None:
        if not self._path(identifier).exists():
            raise HeartbeatError(f"There is no prompt {identifier}.", "See them: heartbeat list")

        self._do(FileWork(Operation.DELETE, f"heartbeat/{identifier}.md"), identifier)

    def _do(self, work: FileWork, identifier: str) -> None:
        undo = self._undo.open(self._beat, f"prompt-{identifier}")
        done = self._files.do(work, undo, self._clock.now())
        if isinstance(done, FileFailed):
            raise HeartbeatError(
                f"heartbeat/{identifier}.md could not be changed: {done.reason}.",
                "Nothing was changed.",
            )

    def _path(self, identifier: str) -> Path:
        if not valid_prompt_id(identifier):
            raise HeartbeatError(
                f"`{identifier}` cannot be an id.",
                f"Use letters, digits, `_` and `-`, at most {LONGEST_ID}.",
            )

        return self._workspace / "heartbeat" / f"{identifier}.md"
