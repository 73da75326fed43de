"""Errors that speak to a person: what happened, and what to do about it."""

from pathlib import Path


class HeartbeatError(Exception):
    """Wrong usage, config or input (exit code 2): a sentence, and the way out."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class LedgerDamagedError(HeartbeatError):
    """The ledger could not be read any further: it was set aside, and the next use starts a new one."""


class KeyringUnavailableError(HeartbeatError):
    """The system's keyring cannot be used at the moment: there is none, it is locked, or it does not answer."""


class NoWorkspaceError(HeartbeatError):
    """There is no workspace yet; `folder` is where a person would look for it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"There is no workspace here or in {folder}.", "Make one in this folder: heartbeat init")
        self.folder = folder
