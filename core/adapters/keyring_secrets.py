"""The system's keyring, service `heartbeat`, and a list of the names in it. Law: no call takes
longer than 5 s, and no secret goes anywhere else.

`keyring` is imported by the first call that needs it: 20 MB and 85 ms. Left to itself, it loads
the code of every system's keyring, which starts a compiler to look for libraries: so on Linux the
desktop's own service is chosen for it, unless the person chose another. Every beat that runs
something reads from that service, so reading goes past `keyring` to the library that it uses
itself (30 ms); writing, a locked keyring and every other system are left to `keyring`.
"""

import json
import os
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.adapters.files.atomic import write_private
from core.adapters.timeouts import GaveUpError, within
from core.model.errors import KeyringUnavailableError
from core.rules.residing.session_bus import session_bus_address

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


T = TypeVar("T")

SERVICE = "heartbeat"
TIMEOUT = 4.5  # seconds: a keyring that shows a prompt answers only when the person does
FIX = "Log in to the desktop or unlock the keyring, then try again; `heartbeat doctor` checks it."
# Over ssh, the bus of the person's desktop is usually there and only not named.
FIX_WITHOUT_SESSION = (
    "Do it in your desktop session, or lead this terminal to it: export "
    "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$(id -u)/bus"
)
NO_KEYRING = "There is no keyring here."
NONE_CHOSEN = ("keyring.backends.fail.Keyring", "keyring.backends.null.Keyring")
WORDS = {"NoKeyringError": NO_KEYRING, "KeyringLocked": "The keyring is locked."}


class KeyringSecrets:
    """The `Secrets` port."""

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self._timeout = timeout

    def get(self, name: str) -> str | None:
        return self._wait_for(lambda: _read(name))

    def set(self, name: str, value: str) -> None:
        def write(keyring: "KeyringBackend") -> bool:
            keyring.set_password(SERVICE, name, value)
            return keyring.get_password(SERVICE, name) == value

        if not self._call(write):
            raise KeyringUnavailableError("The keyring did not keep what was put into it.", FIX)

    def delete(self, name: str) -> bool:
        def remove(keyring: "KeyringBackend") -> bool:
            is_there = keyring.get_password(SERVICE, name) is not None
            if is_there:
                keyring.delete_password(SERVICE, name)

            return is_there

        return self._call(remove)

    def _call(self, use: Callable[["KeyringBackend"], T]) -> T:
        return self._wait_for(lambda: use(_backend()))

    def _wait_for(self, answer: Callable[[], T]) -> T:
        """Return what the keyring answers; KeyringUnavailableError says why it does not."""
        if _is_known_to_be_missing():
            raise KeyringUnavailableError(NO_KEYRING, _fix())

        try:
            return within(self._timeout, answer)
        except GaveUpError:
            raise KeyringUnavailableError(
                "The keyring does not answer; perhaps it asks for its password.", FIX
            ) from None
        except Exception as error:  # each backend has exceptions of its own
            raise _explained(error) from error


def _is_known_to_be_missing() -> bool:
    """Whether there is surely no keyring. Asking `keyring` itself would mean to load it."""
    if _is_for_us_to_choose():
        return session_bus_address(os.environ) is None

    return "keyring" not in sys.modules and os.environ.get("PYTHON_KEYRING_BACKEND") in NONE_CHOSEN


def _is_for_us_to_choose() -> bool:
    """Whether the desktop's own service is the only keyring that can be meant: the person has
    chosen none, and KDE may have one of its own."""
    if sys.platform != "linux" or "keyring" in sys.modules:
        return False

    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return not (
        "PYTHON_KEYRING_BACKEND" in os.environ
        or "KDE" in os.environ.get("XDG_CURRENT_DESKTOP", "")
        or Path(folder, "python_keyring", "keyringrc.cfg").exists()
    )


def _read(name: str) -> str | None:
    if _is_for_us_to_choose():
        # `keyring` then says what is wrong, or asks the person for the password.
        with suppress(Exception):
            return _read_from_service_of_desktop(name)

    return _backend().get_password(SERVICE, name)


def _read_from_service_of_desktop(name: str) -> str | None:
    """What `keyring` has stored there, where it is not locked."""
    import secretstorage

    with closing(secretstorage.dbus_init()) as bus:
        collection = secretstorage.Collection(bus)
        collection.ensure_not_locked()

        for item in collection.search_items({"service": SERVICE, "username": name}):
            return item.get_secret().decode()

    return None


def _choose_service_of_desktop() -> None:
    """Where it does not answer, `keyring` chooses as it always does."""
    import keyring
    from keyring.core import load_keyring

    with suppress(RuntimeError, OSError):  # there is no such service; no such bus
        keyring.set_keyring(load_keyring("keyring.backends.SecretService.Keyring"))


def _backend() -> "KeyringBackend":
    if _is_for_us_to_choose():
        _choose_service_of_desktop()

    import keyring
    from keyring.backends import fail, null
    from keyring.errors import NoKeyringError

    backend = keyring.get_keyring()
    # null.Keyring accepts everything and keeps nothing.
    if isinstance(backend, null.Keyring | fail.Keyring):
        raise NoKeyringError

    return backend


def _explained(error: Exception) -> KeyringUnavailableError:
    kind = type(error).__name__
    words = WORDS.get(kind) or f"The keyring cannot be used: {str(error) or kind}."
    return KeyringUnavailableError(words, _fix())


def _fix() -> str:
    is_without = sys.platform == "linux" and session_bus_address(os.environ) is None
    return FIX_WITHOUT_SESSION if is_without else FIX


class KeyNamesOnDisk:
    """The `KeyNames` port: a file with a list."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[str, ...]:
        try:
            names = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return ()

        if not isinstance(names, list):
            return ()

        return tuple(sorted({name for name in names if isinstance(name, str)}))

    def add(self, name: str) -> None:
        self._write({*self.all(), name})

    def remove(self, name: str) -> None:
        self._write({*self.all()} - {name})

    def _write(self, names: set[str]) -> None:
        if names != set(self.all()):
            write_private(self._path, json.dumps(sorted(names)).encode())
