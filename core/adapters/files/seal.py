"""The key that seals the approvals of all workspaces: in the keyring or, where no keyring can be
used, in a private file.

Law: while the keyring has a key, no other key counts; a key that cannot be reached does not count
as lost.
"""

import os
from pathlib import Path

from core.adapters.files.atomic import write_private
from core.model.approval import SEAL_ENTRY, SEAL_FILE, SealFile
from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.light_dataclass import light_dataclass
from core.ports.outside import Secrets


@light_dataclass(frozen=True, slots=True)
class NoKey:
    """Why a seal cannot be checked."""

    reason: str
    hint: str
    is_locked: bool  # the key exists, but cannot be reached at the moment


class SealKeys:
    """Asks the keyring only once in the life of a process."""

    def __init__(self, secrets: Secrets, states: Path) -> None:
        self._secrets = secrets
        self._file = states / SEAL_FILE
        self._answer: str | KeyringUnavailableError | None = None
        self._asked = False

    def seal_file(self) -> SealFile | None:
        """Where the key of the next seal is, or would be; None: in the keyring."""
        answer = self._keyring()
        if isinstance(answer, KeyringUnavailableError):
            return SealFile(str(self._file), answer.message)

        return None

    def for_checking(self, in_keyring: bool) -> bytes | NoKey:
        """Return the key of a seal that was made with the key in the keyring, or in the file."""
        answer = self._keyring()
        if isinstance(
            answer, str
        ):  # also for a seal with the file's key, which moves to the keyring
            return answer.encode()

        if not in_keyring:
            gone = NoKey(f"their key, {self._file}, is gone.", "", is_locked=False)
            return self._read_file() or gone

        if answer is None:
            return NoKey("their key is no longer in the keyring.", "", is_locked=False)

        reason = f"{answer.message[:1].lower()}{answer.message[1:]}"
        return NoKey(reason, f"Nothing runs unchecked. {answer.hint}", is_locked=True)

    def for_sealing(self) -> tuple[bytes, bool]:
        """Return the key, which is made if there is none, and whether it is in the keyring."""
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
                self._answer = self._secrets.get(SEAL_ENTRY)
            except KeyringUnavailableError as error:
                self._answer = error

            self._asked = True

        return self._answer

    def _move_to_keyring(self) -> str | KeyringUnavailableError:
        """Put a key there: the one in the file, so that the seals of other workspaces still hold,
        or a new one."""
        found = self._read_file()
        key = found.decode(errors="replace") if found else _new_key()
        try:
            self._secrets.set(SEAL_ENTRY, key)
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
                f"{self._file} cannot be read: {error.strerror}.", "Check who owns that file."
            ) from error


def _new_key() -> str:
    return os.urandom(32).hex()
