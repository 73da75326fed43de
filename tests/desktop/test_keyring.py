"""The key of the seal in a real keyring: open, locked, gone, silent, or one that keeps nothing."""

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.keyring_service import KeyringService
from tests.e2e.machine import Done, Machine, action

LONGEST = 5.0  # seconds for a keyring that does not answer


class Desk:
    """A person at a desktop with a keyring, whose workspace has one action."""

    def __init__(self, machine: Machine, keyring: KeyringService) -> None:
        self.machine = machine
        self.keyring = keyring
        machine.says_yes = False
        machine.environment |= keyring.variables
        del machine.environment["PYTHON_KEYRING_BACKEND"]
        machine.write(action("one", "echo x >> trace", "schedule: every:1s"))

    @property
    def key_file(self) -> Path:
        return self.machine.states / "approval-seal.key"

    def approve(self) -> Any:
        return self.machine.json("approve", "--all")

    def run(self) -> Done:
        return self.machine.heartbeat("run", "one")

    def kept(self) -> str:
        """What the keyring holds, as another program reads it."""
        words = ["secret-tool", "lookup", "service", "heartbeat", "username", "approval-seal"]
        return subprocess.run(
            words, env=self.machine.environment, capture_output=True, text=True
        ).stdout

    def has_run(self) -> int:
        return len(self.machine.lines("trace"))


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


def test_the_key_is_in_the_keyring_and_nowhere_else(desk: Desk) -> None:
    desk.keyring.open()
    assert desk.approve()["seal"] == {"key": "keyring", "reason": None}
    key = desk.kept()
    assert len(key) == 64
    assert desk.run().code == 0
    files = [
        path
        for path in (*desk.machine.states.rglob("*"), *desk.machine.workspace.rglob("*"))
        if path.is_file()
    ]
    assert files
    assert not any(key.encode() in path.read_bytes() for path in files)
    assert not desk.key_file.exists()
    assert key not in json.dumps(desk.machine.json("approve"))


@pytest.mark.parametrize("state", ["lock", "vanish", "fall_silent"])
def test_without_the_key_everything_waits_and_nothing_is_lost(desk: Desk, state: str) -> None:
    desk.keyring.open()
    desk.approve()
    record = (desk.machine.state / "approvals.json").read_bytes()
    getattr(desk.keyring, state)()
    done = desk.run()
    assert done.code == 4
    sentence = "Your approvals cannot be checked here, and are not lost: "
    assert done.out.count(sentence) == 1
    assert "Nothing runs unchecked." in done.out
    for words in (["run", "one"], ["plan"], ["status"], ["check"]):
        again = desk.machine.heartbeat(*words)
        assert "waiting for your approval" not in again.out + again.err, words
        assert again.out.count(sentence) == (words[0] in ("run", "plan")), words
        assert desk.has_run() == 0
    assert desk.machine.json("status")["approvals_waiting"] == 0
    refused = desk.machine.heartbeat("approve", "--all")
    assert refused.code == 2
    assert "keyring" in refused.err
    assert desk.has_run() == 0
    assert not desk.key_file.exists()
    assert (desk.machine.state / "approvals.json").read_bytes() == record
    desk.keyring.open()
    assert desk.run().code == 0
    assert desk.has_run() == 1


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("vanish", "There is no keyring here."),
        ("fall_silent", "The keyring does not answer; perhaps it asks for its password."),
    ],
)
def test_without_a_usable_keyring_the_key_is_a_private_file_and_approve_says_so(
    desk: Desk, state: str, reason: str
) -> None:
    getattr(desk.keyring, state)()
    began = time.monotonic()
    answer = desk.approve()
    assert time.monotonic() - began < LONGEST + 5  # and the time of the command itself
    assert answer["seal"] == {"key": str(desk.key_file), "reason": reason}
    assert desk.key_file.stat().st_mode & 0o777 == 0o600
    done = desk.machine.heartbeat("approve")
    assert f"sealed with a key in {desk.key_file}, because: {reason}" in done.err
    assert desk.run().code == 0
    assert desk.has_run() == 1


def test_a_keyring_that_keeps_nothing_counts_as_missing(desk: Desk) -> None:
    desk.machine.environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    assert desk.approve()["seal"] == {
        "key": str(desk.key_file),
        "reason": "There is no keyring here.",
    }
    assert desk.run().code == 0


def test_a_locked_keyring_that_never_had_the_key_gives_a_file_that_moves_when_it_is_open(
    desk: Desk,
) -> None:
    desk.keyring.open()
    desk.keyring.lock()
    assert desk.approve()["seal"]["reason"] == "The keyring is locked."
    assert desk.run().code == 0
    desk.keyring.open()
    assert desk.run().code == 0
    desk.machine.write(action("one", "echo y >> trace"))
    assert desk.approve()["seal"] == {"key": "keyring", "reason": None}
    assert (desk.key_file.exists(), len(desk.kept())) == (False, 64)
    assert desk.run().code == 0
    assert desk.machine.lines("trace")[-1] == "y"


def test_a_key_file_of_somebody_else_does_not_count_while_the_keyring_has_a_key(
    desk: Desk, tmp_path: Path
) -> None:
    desk.keyring.open()
    desk.approve()
    desk.machine.heartbeat("revoke", "--all")
    desk.machine.environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    (desk.machine.state / "approvals.json").unlink()
    assert desk.approve()["approved"] == ["action:one"]  # the forger's own key, in a file
    del desk.machine.environment["PYTHON_KEYRING_BACKEND"]
    done = desk.run()
    assert done.code == 4
    assert "its seal is broken" in done.out
    assert desk.has_run() == 0


def test_a_secret_reaches_the_command_and_no_record(desk: Desk) -> None:
    desk.keyring.open()
    words = ["secret-tool", "store", "--label=x", "service", "heartbeat", "username", "my-token"]
    subprocess.run(words, env=desk.machine.environment, input=b"s3cret-value", check=True)
    desk.machine.write(
        action("one", "printf %s {{secret:my-token}} | wc -c > length; echo {{secret:my-token}}")
    )
    desk.approve()
    done = desk.run()
    assert done.code == 0, done
    assert desk.machine.lines("length") == ["12"]
    assert "s3cret-value" not in done.out + done.err + desk.machine.text()


def test_without_a_desktop_session_the_way_to_the_keyring_is_named(desk: Desk) -> None:
    desk.keyring.open()
    desk.approve()
    for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):  # as over ssh
        desk.machine.environment.pop(name)
    desk.machine.write(
        action("one", "echo x >> trace", "schedule: every:1s"), action("new", "echo x >> trace")
    )
    done = desk.machine.heartbeat("run")
    assert done.code == 4
    assert "one: its approval cannot be checked here" in done.out
    assert "new: it waits for your approval" in done.out
    assert "1 waiting for your approval" in done.out
    assert "export DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$(id -u)/bus" in done.out
    assert desk.has_run() == 0
    assert desk.machine.json("status")["approvals_waiting"] == 1
