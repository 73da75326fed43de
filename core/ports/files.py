"""The files of a workspace: those that the person writes, and what keeps them safe."""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime
    from pathlib import Path

    from core.model.approval import Candidate, Script
    from core.model.file_work import FileDone, FileFailed, FileWork, Seen, Undone, UndoRefused
    from core.model.progress import Progress
    from core.model.workspace_file import Found, Missing, Reading, Refusal, Snapshot, Writing
    from core.ports.ledger import Ledger


class WorkspaceIdentity(Protocol):
    """Which workspace this is, also after its folder was moved. Nothing is raised: a workspace or
    a state folder that cannot be written is no error."""

    def note(self) -> None:
        """Give the workspace an identity, if it has none; a new one if it is a copy. Called under
        the workspace's lock; again it changes nothing. Nothing is written to a folder that is
        empty: its disk may not be mounted."""
        ...

    def moved_from(self) -> str | None:
        """The path that the folder had before it was last moved; None: it never was."""
        ...

    def untold_move(self) -> str | None:
        """The same, until `tell_move`."""
        ...

    def tell_move(self) -> None:
        """The person has read of it."""
        ...

    def comes_along(self) -> str | None:
        """The path of the workspace whose history is read here, and comes along with the first
        use: the folder here has its identity, and may be a copy. None for all others."""
        ...

    def history_at(self) -> str | None:
        """The path of the folder that has the history which this one is expected to have: it was
        used while this one was away, or its disk is not mounted. None once `tell_history` was
        called after the first use."""
        ...

    def tell_history(self) -> None:
        """The person has read where it is."""
        ...


class WorkspaceReader(Protocol):
    """The files of a workspace that a person writes. Reading never hangs, changes nothing and
    raises nothing."""

    def find(self, folder: Path) -> Found | Missing | Refusal:
        """The folder's HEARTBEAT.md, in any letter case; the usual spellings win."""
        ...

    def read(self, path: Path, workspace: Path) -> Reading:
        """The file's bytes, at most 1 MiB; a refusal where it is not a regular file inside the
        workspace."""
        ...

    def exists(self, workspace: Path, name: str) -> bool:
        """Whether the workspace has a file or folder of this name; what lies outside of it does
        not exist."""
        ...

    def is_inside(self, workspace: Path, name: str) -> bool:
        """Whether a path, as it is written, leads to a place in the workspace, also through its
        links; nothing has to be there."""
        ...

    def folder(self, workspace: Path, name: str) -> Path | None:
        """A folder of the workspace; None if there is none of this name inside it."""
        ...

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        """The `.md` files of the folder `heartbeat`, in name order; none if there is no such
        folder."""
        ...


class WorkspaceFiles(WorkspaceReader, Protocol):
    """The same files while the person may be editing them, and a safe way to write them.

    `read` gives a file as a whole, not in the middle of a save: one that was touched in the last
    300 ms is read again until it rests."""

    def write(
        self,
        base: Snapshot,
        workspace: Path,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        """Write `add(change(base.data))` to the file that `base` was read from; a `change` of None
        means that there is nothing to change. `base` is what was read, or what the last `Written`
        holds.

        What the person has saved since then stays, line by line, also where `change` touched the
        same lines; `add` is applied after that, and adds lines of our own only. The file
        is replaced as a whole; its mode, owner, links and every unchanged byte stay. Nothing is
        written where that would change nothing. `Postponed` and `Failed` leave the file as it
        is: a file that is missing, open in an editor, or has lost half of its text is postponed.
        Each version of the person that is displaced is kept. Only the holder of the workspace's
        lock may call this."""
        ...


class FileInspector(Protocol):
    """Inspects files of the workspace for checks. Never raises, never hangs, changes nothing,
    sees nothing outside."""

    def inspect(self, name: str) -> Seen:
        """The file of this name as it is now, with its text up to 10 MiB; of a file over 256 MiB
        its size and time count as its content."""
        ...

    def fingerprints(self) -> Mapping[str, str]:
        """Name -> fingerprint of the workspace's files, at most 2000 of them; folders of tools
        and the history are left out, and of a file over 1 MiB its size and times count as its
        content."""
        ...

    def names(self, pattern: str) -> tuple[str, ...]:
        """The files whose names, from the workspace on, match a pattern with `*` and `?`, in
        order; at most 500, and those that `fingerprints` leaves out are not among them."""
        ...


class Views(Protocol):
    """Files that show what the ledger says, for people; they can be rebuilt, and nothing is
    decided by them."""

    def show(self, ledger: Ledger, now: datetime) -> None:
        """Bring them up to date; nothing is written if nothing changed. `now` is in the
        person's zone."""
        ...

    def saved_progress(self) -> Progress | None:
        """The progress that the files show, for a ledger that was lost; None if they show
        none."""
        ...


class Scripts(Protocol):
    """The files of a workspace that commands run."""

    def find(self, candidates: Collection[Candidate]) -> Mapping[Candidate, Script]:
        """Those of the candidates that are scripts, with the hash of their bytes now.
        A file that looks like data counts too if a command runs it as a script. Nothing is
        raised: a script that cannot be read whole is UNREADABLE, a link that leaves the
        workspace OUTSIDE; what never was in the workspace is not a script."""
        ...


class UndoFolder(Protocol):
    """Keeps what one action displaces, so that it can be put back."""

    def keep(self, path: Path, becomes: str | None = None) -> None:
        """Call it before a change: keeps what is there now and notes the fingerprint of what will
        be there (None: nothing). On the disk when this returns."""
        ...

    def changed(self, path: Path) -> None:
        """Call it after a change whose result was not known before: notes what is there now."""
        ...


class UndoStore(Protocol):
    """What actions displaced, newest last; the oldest are forgotten after a while."""

    def open(self, beat: int, item: str) -> UndoFolder:
        """A place for what this action is going to displace."""
        ...

    def keep_lines(self, beat: int, item: str, lines: Mapping[str, str | None]) -> None:
        """Keep what the action's lines in HEARTBEAT.md said before, with what it displaced. Does
        nothing if it displaced nothing."""
        ...

    def tidy(self, beat: int, item: str) -> None:
        """Remove what an action that was killed left half made."""
        ...

    def undo(self, beat: int | None, item: str | None) -> Undone | UndoRefused:
        """Put back what the newest action (or that of a beat or an item) displaced, byte for
        byte; refused as a whole where the person changed any of it since."""
        ...


class FileWorker(Protocol):
    """The operations of `file` actions."""

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        """Inside the workspace only, also through links and `..`. What is overwritten or deleted
        is kept first."""
        ...


class PromptStore(Protocol):
    """The prompt files of a workspace. HeartbeatError if a change is not possible; what is
    replaced can be restored."""

    def add(self, identifier: str, text: str, *, overwrite: bool) -> bool:
        """Write the prompt's file; True if it is new. An existing one is replaced only with
        `overwrite`."""
        ...

    def remove(self, identifier: str) -> None:
        """Delete the prompt's file."""
        ...
