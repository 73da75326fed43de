"""`heartbeat key` with a real keyring (open, locked, gone, silent, keeping nothing) and a
provider on loopback."""

import os
import pty
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.keyring_service import KeyringService
from tests.e2e.machine import COMMAND, Done, Machine
from tests.key_server import GOOD_KEY, KeyServer

LONGEST = (
    5 + 7
)  # seconds: five of the keyring's, and the time of the command itself on a busy machine
NOBODY = "http://127.0.0.1:9"  # where no provider is


class Desk:
    """A person at a desktop with a keyring; every provider that can be asked is on loopback."""

    def __init__(self, machine: Machine, keyring: KeyringService) -> None:
        self.machine = machine
        self.keyring = keyring
        machine.environment |= keyring.variables
        del machine.environment["PYTHON_KEYRING_BACKEND"]
        self.provider_at("anthropic", NOBODY)

    def provider_at(self, provider: str, url: str) -> None:
        text = f'[agent]\nprovider = "{provider}"\nbase_url = "{url}"\n'
        (self.machine.config / "config.toml").write_text(text)

    def set(self, name: str, typed: str) -> Done:
        done = subprocess.run(
            [COMMAND, "key", "set", name],
            cwd=self.machine.workspace,
            env=self.machine.environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def kept(self, name: str) -> str:
        """What the keyring holds, as another program reads it."""
        words = ["secret-tool", "lookup", "service", "heartbeat", "username", name]
        return subprocess.run(
            words, env=self.machine.environment, capture_output=True, text=True
        ).stdout

    def files_with(self, text: str) -> list[Path]:
        files = [path for path in self.machine.folder.rglob("*") if path.is_file()]
        assert files
        return [path for path in files if text.encode() in path.read_bytes()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with tempfile.TemporaryDirectory(
        prefix="heartbeat-"
    ) as folder:  # a short path: the bus's socket lies in it
        keyring = KeyringService(Path(folder))
        try:
            yield Desk(Machine(tmp_path), keyring)
        finally:
            keyring.stop()


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with KeyServer() as server:
        yield server


def test_a_good_key_is_checked_with_its_provider_and_stored_in_the_keyring_alone(
    desk: Desk, server: KeyServer
) -> None:
    desk.keyring.open()
    desk.provider_at("anthropic", server.url)
    done = desk.set("anthropic", f"  {GOOD_KEY}\n")
    assert (done.code, done.err) == (0, "")
    assert done.out == "Stored anthropic (…abcd) in the keyring; anthropic accepts it.\n"
    assert [path for path, _ in server.asked] == ["/v1/models"]
    assert desk.kept("anthropic") == GOOD_KEY
    assert desk.files_with(GOOD_KEY) == []
    assert desk.machine.json("key", "list")["keys"] == [
        {"name": "anthropic", "source": "keyring", "ends_with": "…abcd"}
    ]


def test_a_key_that_the_provider_refuses_is_not_stored(desk: Desk, server: KeyServer) -> None:
    desk.keyring.open()
    desk.provider_at("openai", f"{server.url}/v1")
    done = desk.set("openai", "sk-wrong-0123456789\n")
    assert done.code == 2
    assert "openai refuses this key (status 401). Nothing was stored." in done.err
    assert server.asked[0][1]["authorization"] == "Bearer sk-wrong-0123456789"
    assert desk.kept("openai") == ""
    assert desk.machine.json("key", "list")["keys"] == []
    assert "sk-wrong" not in done.out + done.err


def test_a_provider_that_cannot_be_reached_does_not_keep_the_key_from_being_stored(
    desk: Desk,
) -> None:
    desk.keyring.open()
    done = desk.set("anthropic", GOOD_KEY)
    assert done.code == 0
    stored = (
        "Stored anthropic (…abcd) in the keyring; anthropic could not be asked whether it is good"
    )
    assert done.out.startswith(f"{stored}: no answer")
    assert desk.kept("anthropic") == GOOD_KEY


def test_any_name_can_have_a_secret_that_no_provider_is_asked_about(
    desk: Desk, server: KeyServer
) -> None:
    desk.keyring.open()
    desk.provider_at("anthropic", server.url)
    assert desk.set("my-token", "short\n").out == "Stored my-token (…) in the keyring.\n"
    assert server.asked == []
    assert desk.machine.heartbeat("key", "list").out.split() == ["my-token", "…", "keyring"]
    assert desk.machine.heartbeat("key", "delete", "my-token").out == "Deleted my-token.\n"
    assert desk.kept("my-token") == ""
    assert (
        desk.machine.heartbeat("key", "delete", "my-token").out
        == "There was no key my-token in the keyring.\n"
    )
    assert desk.machine.heartbeat("key", "list").out.startswith("There are no keys.")


def test_the_usual_variables_are_honoured_and_shown_as_such_where_the_keyring_has_none(
    desk: Desk,
) -> None:
    desk.keyring.open()
    desk.machine.environment |= {
        "ANTHROPIC_API_KEY": "sk-variable-wxyz",
        "OPENAI_API_KEY": "sk-another-1234",
    }
    desk.set("anthropic", GOOD_KEY)
    assert desk.machine.json("key", "list")["keys"] == [
        {"name": "anthropic", "source": "keyring", "ends_with": "…abcd"},
        {"name": "openai", "source": "OPENAI_API_KEY", "ends_with": "…1234"},
    ]


def test_on_a_terminal_it_asks_and_does_not_show_what_is_typed(desk: Desk) -> None:
    desk.keyring.open()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "key", "set", "my-token"],
        cwd=desk.machine.workspace,
        env=desk.machine.environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = read_until(ours, "Key for my-token: ")
    os.write(ours, b"typed-secret-9876\n")
    seen += read_until(ours, "in the keyring.")
    assert process.wait(15) == 0
    os.close(ours)
    assert desk.kept("my-token") == "typed-secret-9876"
    assert "typed-secret" not in seen


def read_until(terminal: int, words: str) -> str:
    seen, deadline = "", time.monotonic() + 30
    while words not in seen:
        assert time.monotonic() < deadline, f"waited for '{words}', saw '{seen}'"
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 4096).decode()
    return seen


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("lock", "The keyring is locked."),
        ("vanish", "There is no keyring here."),
        ("fall_silent", "The keyring does not answer; perhaps it asks for its password."),
    ],
)
def test_an_unusable_keyring_is_reported_soon_and_nothing_is_stored_anywhere(
    desk: Desk, state: str, reason: str
) -> None:
    if state == "lock":
        desk.keyring.open()  # the one that is locked has to exist
        desk.set("anthropic", "another-key-0000")
    getattr(desk.keyring, state)()
    began = time.monotonic()
    done = desk.set("anthropic", GOOD_KEY)
    assert time.monotonic() - began < LONGEST
    assert done.code == 2
    assert reason in done.err
    assert desk.files_with(GOOD_KEY) == []
    began = time.monotonic()
    listed = desk.machine.heartbeat("key", "list")
    assert time.monotonic() - began < LONGEST  # a keyring that hangs is asked once
    assert (listed.code, reason in listed.err) == (2, True)


def test_a_keyring_that_keeps_nothing_counts_as_missing(desk: Desk) -> None:
    desk.machine.environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    done = desk.set("anthropic", GOOD_KEY)
    assert (done.code, "There is no keyring here." in done.err) == (2, True)
    assert desk.files_with(GOOD_KEY) == []


@pytest.mark.parametrize(
    "words", [["set", "approval-seal"], ["delete", "approval-seal"], ["set", "a b"], ["set", ""]]
)
def test_the_programs_own_entries_and_odd_names_are_refused(desk: Desk, words: list[str]) -> None:
    done = desk.machine.heartbeat("key", *words)
    assert done.code == 2
    assert "Choose another name" in done.err or "Use letters" in done.err


@pytest.mark.parametrize("typed", ["", "\n", "   \n", "two words\x07\n"])
def test_nothing_typed_or_nonsense_is_not_stored(desk: Desk, typed: str) -> None:
    desk.keyring.open()
    assert desk.set("anthropic", typed).code == 2
    assert desk.kept("anthropic") == ""
