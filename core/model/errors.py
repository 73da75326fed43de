"""Errors that speak to a person: what happened, and what to do about it."""

from pathlib import Path


class HeartbeatError(Exception):
    """Wrong usage, settings or input (exit code 2): a sentence, and what to do about it.

    `about` is the name of what it is about, where that tells one such error from another.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "", about: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.about = about

    @property
    def cause(self) -> tuple[str, str]:
        """Return what tells it from another error, whatever its sentence says."""
        return type(self).__name__, self.about


class LedgerDamagedError(HeartbeatError):
    """The ledger cannot be read. It was set aside, and the next use starts a new one."""


class KeyringUnavailableError(HeartbeatError):
    """The system's keyring cannot be used at the moment: there is none, it is locked, or it does
    not answer."""


class NoWorkspaceError(HeartbeatError):
    """There is no workspace yet; `folder` is where a person would look for it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"There is no workspace here or in {folder}.", "Make one in this folder: heartbeat init"
        )
        self.folder = folder


class WorkspaceAwayError(HeartbeatError):
    """The folder of a workspace that is known here is not there now: renamed, deleted, or on a disk
    that is not mounted. Nothing is made in its place. `is_empty`: something is there, and nothing
    in it can be seen."""

    def __init__(self, folder: Path, *, is_empty: bool = False) -> None:
        why = (
            "is not there: the folder is empty or cannot be entered" if is_empty else "is not there"
        )
        super().__init__(
            f"The workspace's folder {folder} {why}.",
            "Bring it back, or mount its disk: what Heartbeat knows about it is kept until then.",
        )
        self.folder = folder
