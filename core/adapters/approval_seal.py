"""The key that seals the approvals of all workspaces: in the keyring or, where none can be used, in a private file.

Law: while the keyring has a key, no other one counts; a key that cannot be reached is not taken for one that is lost.
"""

import os
from pathlib import Path

from core.adapters.private_file import write_private
from core.model.approval import SealHome
from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.value import dataclass
from core.ports import Secrets

NAME = "approval-seal"  # of the keyring's entry
FILE = "approval-seal.key"


@dataclass(frozen=True, slots=True)
class NoKey:
    """Why a seal cannot be checked."""

    reason: str
    hint: str
    is_locked: bool  # it is there, and cannot be reached at the moment


class SealKeys:
    """Asks the keyring once in the life of a process: later answers are the first one's."""

    def __init__(self, secrets: Secrets, states: Path) -> None:
        self._secrets = secrets
        self._file = states / FILE
        self._answer: str | KeyringUnavailableError | None = None
        self._asked = False

    def home(self) -> SealHome:
        """Where the next seal's key is, or would be."""
        answer = self._keyring()
        return SealHome(str(self._file), answer.message) if isinstance(answer, KeyringUnavailableError) else SealHome()

    def for_checking(self, in_keyring: bool) -> bytes | NoKey:
        """The key of a seal that was made with a key in the keyring, or in the file."""
        match self._keyring():
            case str(key):
                return key.encode()  # also for a seal with the key of the file: that key moves to the keyring
            case KeyringUnavailableError() as error if in_keyring:
                return NoKey(f"their key is in the keyring. {error.message}", error.hint, is_locked=True)
            case None if in_keyring:
                return NoKey("their key is no longer in the keyring.", "", is_locked=False)
        return self._read_file() or NoKey(f"their key, {self._file}, is gone.", "", is_locked=False)

    def for_sealing(self) -> tuple[bytes, bool]:
        """A key, made where there is none, and whether it is in the keyring."""
        answer = self._keyring()
        if answer is None:
            answer = self._move_to_keyring()
        if isinstance(answer, str):
            self._file.unlink(missing_ok=True)
            return answer.encode(), True
        key = self._read_file()
        if key is None:
            key = _new_key().encode()
            write_private(self._file, key)
        return key, False

    def _keyring(self) -> str | KeyringUnavailableError | None:
        if not self._asked:
            try:
                self._answer = self._secrets.get(NAME)
            except KeyringUnavailableError as error:
                self._answer = error
            self._asked = True
        return self._answer

    def _move_to_keyring(self) -> str | KeyringUnavailableError:
        """Put the key there: the file's, so that what other workspaces sealed with it stays sealed, or a new one."""
        found = self._read_file()
        key = found.decode(errors="replace") if found else _new_key()
        try:
            self._secrets.set(NAME, key)
            self._answer = key
        except KeyringUnavailableError as error:
            self._answer = error
            return error
        return key

    def _read_file(self) -> bytes | None:
        try:
            return self._file.read_bytes() or None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HeartbeatError(
                f"{self._file} cannot be read: {error.strerror}.", "Look at who owns that file."
            ) from error


def _new_key() -> str:
    return os.urandom(32).hex()
