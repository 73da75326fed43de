"""The system's keyring, service `heartbeat`. Law: no call takes longer than 5 s, and no secret goes anywhere else.

`keyring` is imported by the first call: 17 MB and 0.1 s that the always-on process must not pay.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from core.adapters.patience import GaveUpError, within
from core.model.errors import KeyringUnavailableError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE = "heartbeat"
LIMIT = 4.5  # seconds: a keyring that shows a prompt answers only when the person does
MEND = "Log in to the desktop or unlock the keyring, then try again; `heartbeat doctor` looks at it."
WORDS = {"NoKeyringError": "There is no keyring here.", "KeyringLocked": "The keyring is locked."}


class KeyringSecrets:
    """The `Secrets` port."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit

    def get(self, name: str) -> str | None:
        return self._call(lambda keyring: keyring.get_password(SERVICE, name))

    def set(self, name: str, value: str) -> None:
        def write(keyring: "KeyringBackend") -> bool:
            keyring.set_password(SERVICE, name, value)
            return keyring.get_password(SERVICE, name) == value

        if not self._call(write):
            raise KeyringUnavailableError("The keyring did not keep what was put into it.", MEND)

    def delete(self, name: str) -> bool:
        def remove(keyring: "KeyringBackend") -> bool:
            is_there = keyring.get_password(SERVICE, name) is not None
            if is_there:
                keyring.delete_password(SERVICE, name)
            return is_there

        return self._call(remove)

    def _call(self, use: Callable[["KeyringBackend"], T]) -> T:
        """What the keyring answers, or why it does not."""
        try:
            return within(self._limit, lambda: use(_backend()))
        except GaveUpError:
            raise KeyringUnavailableError(
                "The keyring does not answer; perhaps it asks for its password.", MEND
            ) from None
        except Exception as error:  # each backend has exceptions of its own
            raise _explained(error) from error


def _backend() -> "KeyringBackend":
    import keyring
    from keyring.backends import fail, null
    from keyring.errors import NoKeyringError

    backend = keyring.get_keyring()
    if isinstance(backend, null.Keyring | fail.Keyring):  # the first says yes to everything and keeps nothing
        raise NoKeyringError
    return backend


def _explained(error: Exception) -> KeyringUnavailableError:
    words = WORDS.get(type(error).__name__) or f"The keyring cannot be used: {str(error) or type(error).__name__}."
    return KeyringUnavailableError(words, MEND)
