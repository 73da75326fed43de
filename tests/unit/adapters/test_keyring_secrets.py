"""Which keyring is asked: the one that the person chose, or the desktop's; loading all others
would cost every beat a tenth of a second."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.desktop.keyring_service import KeyringService

PROGRAM = """
import sys
from core.adapters.keyring_secrets import KeyringSecrets
from core.model.errors import KeyringUnavailableError
try:
    print(KeyringSecrets(timeout=60).get("anthropic"))
except KeyringUnavailableError as error:
    print(error.message)
print(sorted({"keyring", "keyring.backends.macOS", "chosen"} & set(sys.modules)))
"""
CHOSEN = """
from keyring.backend import KeyringBackend
class Chosen(KeyringBackend):
    priority = 1
    def get_password(self, service, username):
        return f"the secret of {username}"
    def set_password(self, service, username, password):
        raise NotImplementedError
"""


def asked(home: Path, **variables: str) -> list[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "DBUS_", "PYTHON_KEYRING"))
    }
    environment |= {"HOME": str(home), "PYTHONPATH": f"{Path.cwd()}:{home}", **variables}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "chosen.py").write_text(CHOSEN)
    return tmp_path


def test_without_a_session_bus_nothing_is_loaded(home: Path) -> None:
    assert asked(home) == ["There is no keyring here.", "[]"]


def test_a_keyring_that_a_variable_names_is_asked(home: Path) -> None:
    words, loaded = asked(home, PYTHON_KEYRING_BACKEND="chosen.Chosen")
    assert words == "the secret of anthropic"
    assert "keyring.backends.macOS" not in loaded


def test_a_keyring_that_a_file_names_is_asked(home: Path) -> None:
    folder = home / ".config" / "python_keyring"
    folder.mkdir(parents=True)
    (folder / "keyringrc.cfg").write_text("[backend]\ndefault-keyring=chosen.Chosen\n")
    assert asked(home)[0] == "the secret of anthropic"


def test_a_bus_that_does_not_answer_is_not_a_keyring(home: Path) -> None:
    words, _ = asked(home, DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent/bus")
    assert words == "There is no keyring here."


@pytest.mark.parametrize("name", ["fail", "null"])
def test_where_the_person_chose_none_nothing_is_loaded(home: Path, name: str) -> None:
    chosen = f"keyring.backends.{name}.Keyring"
    assert asked(home, PYTHON_KEYRING_BACKEND=chosen) == ["There is no keyring here.", "[]"]


def test_reading_from_the_service_of_the_desktop_does_not_load_keyring(home: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:  # a short path for the socket
        service = KeyringService(Path(folder))
        try:
            service.open()
            assert asked(home, **service.variables) == ["None", "[]"]

            store = "import keyring; keyring.set_password('heartbeat', 'anthropic', 'sk-1')"
            subprocess.run(
                [sys.executable, "-c", store],
                env={**os.environ, **service.variables, "HOME": str(home)},
                check=True,
                timeout=60,
            )
            assert asked(home, **service.variables) == ["sk-1", "[]"]
        finally:
            service.stop()
