"""An approvals file that cannot be trusted approves nothing, says why, and is kept; a key out of
reach breaks none."""

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.adapters.files.approvals import ApprovalsOnDisk
from core.adapters.files.seal import SealKeys
from core.adapters.ledger import SqliteLedger
from core.model.approval import (
    APPROVALS_FILE,
    SEAL_ENTRY,
    SEAL_FILE,
    Approval,
    ApprovedBy,
    SealFile,
)
from core.model.errors import HeartbeatError
from tests.fakes.outside import FakeSecrets

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
ONE = Approval("action:one", "aa", (("command", "ls"),), (), NOW, ApprovedBy.PERSON)
TWO = replace(ONE, key="action:two")


class Place:
    """A state folder, its ledger and the keyring of the person."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.file = state / APPROVALS_FILE
        self.secrets = FakeSecrets()
        self.ledger = SqliteLedger()

    def approvals(self) -> ApprovalsOnDisk:
        """As another process sees them."""
        return ApprovalsOnDisk(
            self.state, "/w", SealKeys(self.secrets, self.state.parent), self.ledger
        )

    @property
    def key_file(self) -> Path:
        return self.state.parent / SEAL_FILE

    def edit(self, change: Callable[[dict[str, Any]], None]) -> None:
        content = json.loads(self.file.read_text())
        change(content)
        self.file.write_text(json.dumps(content))

    def set_aside(self) -> list[Path]:
        return sorted(self.state.glob(f"{APPROVALS_FILE}.not-trusted-*"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "state")
    place.approvals().give([ONE])
    return place


def add_two(content: dict[str, Any]) -> None:
    content["approved"]["action:two"] = content["approved"]["action:one"]


def change_digest(content: dict[str, Any]) -> None:
    content["approved"]["action:one"]["digest"] = "bb"


@pytest.mark.parametrize(
    "change",
    [
        add_two,
        change_digest,
        lambda content: content.update(number=99),
        lambda content: content.update(key="file"),
        lambda content: content.update(version=2),
        lambda content: content.update(seal="00"),
        lambda content: content.update(seal=None),
        lambda content: content.pop("seal"),
        lambda content: content.pop("approved"),
        lambda content: content["approved"].update({"action:two": {}}),
    ],
)
def test_whatever_is_changed_in_it_nothing_of_it_counts(
    place: Place, change: Callable[[dict[str, Any]], None]
) -> None:
    place.edit(change)
    given = place.approvals().proven()
    assert given.approvals == {}
    assert given.trouble
    assert "approvals" in given.trouble.problem.message
    assert "heartbeat approve" in given.trouble.problem.hint
    assert not given.trouble.is_locked


@pytest.mark.parametrize(
    "garbage", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe\x00", b"[" * 100_000, b"{}"]
)
def test_garbage_approves_nothing_and_is_not_a_crash(place: Place, garbage: bytes) -> None:
    place.file.write_bytes(garbage)
    assert place.approvals().noted() == {}
    given = place.approvals().proven()
    assert (given.approvals, bool(given.trouble)) == ({}, True)


def test_reading_it_changes_nothing_and_the_next_approval_keeps_it_aside(place: Place) -> None:
    place.edit(add_two)
    distrusted = place.file.read_bytes()
    place.approvals().proven()
    assert (place.file.read_bytes(), place.set_aside()) == (distrusted, [])
    place.approvals().give([TWO])
    assert place.approvals().proven().approvals == {TWO.key: TWO}
    assert [path.read_bytes() for path in place.set_aside()] == [distrusted]


def test_a_second_one_is_kept_next_to_the_first(place: Place) -> None:
    for _ in range(2):
        place.file.write_bytes(b"{")
        os.utime(place.file, (1_700_000_000, 1_700_000_000))
        place.approvals().give([ONE])
    assert len(place.set_aside()) == 2


def test_an_older_copy_does_not_bring_back_what_was_revoked(place: Place) -> None:
    place.approvals().give([TWO])
    older = place.file.read_bytes()
    place.approvals().take_back([TWO.key])
    place.file.write_bytes(older)
    given = place.approvals().proven()
    assert given.approvals == {}
    assert given.trouble
    assert "older copy" in given.trouble.problem.message
    place.approvals().give([ONE])
    place.file.write_bytes(older)
    assert place.approvals().proven().approvals == {}


def test_a_file_that_is_gone_is_reported(place: Place) -> None:
    place.file.unlink()
    given = place.approvals().proven()
    assert given.trouble
    assert (given.approvals, "is gone" in given.trouble.problem.message) == ({}, True)
    place.approvals().give([TWO])
    assert place.approvals().proven().approvals == {TWO.key: TWO}


def test_a_crash_between_the_file_and_the_ledger_loses_nothing(place: Place) -> None:
    place.ledger.approvals.set_number(0)
    assert place.approvals().proven().approvals == {ONE.key: ONE}
    place.approvals().give([TWO])
    assert place.approvals().proven().approvals == {ONE.key: ONE, TWO.key: TWO}


# The key


def test_a_locked_keyring_approves_nothing_for_the_moment_and_nothing_is_broken(
    place: Place,
) -> None:
    before = place.file.read_bytes()
    place.secrets.trouble = "The keyring is locked."
    given = place.approvals().proven()
    assert given.trouble
    assert (given.approvals, given.trouble.is_locked) == ({}, True)
    assert "the keyring is locked." in given.trouble.problem.message
    with pytest.raises(HeartbeatError, match="locked"):
        place.approvals().give([TWO])
    with pytest.raises(HeartbeatError, match="locked"):
        place.approvals().take_back([ONE.key])
    assert (place.file.read_bytes(), place.set_aside()) == (before, [])
    assert not place.key_file.exists()
    place.secrets.trouble = ""
    assert place.approvals().proven().approvals == {ONE.key: ONE}


def test_a_key_that_is_gone_from_the_keyring_means_that_nothing_is_approved(place: Place) -> None:
    place.secrets.delete(SEAL_ENTRY)
    given = place.approvals().proven()
    assert given.trouble
    assert (given.approvals, given.trouble.is_locked) == ({}, False)
    place.approvals().give([TWO])
    assert place.approvals().proven().approvals == {TWO.key: TWO}


def test_while_the_keyring_has_a_key_one_in_a_file_does_not_count(
    place: Place, tmp_path: Path
) -> None:
    other = Place(tmp_path / "other" / "state")
    other.secrets.trouble = "There is none."
    other.approvals().give([ONE, TWO])
    shutil.copy(other.file, place.file)
    shutil.copy(other.key_file, place.key_file)
    given = place.approvals().proven()
    assert given.approvals == {}
    assert given.trouble
    assert "its seal is broken" in given.trouble.problem.message


def test_without_a_keyring_the_key_is_a_private_file_and_it_is_said(tmp_path: Path) -> None:
    place = Place(tmp_path / "state")
    place.secrets.trouble = "There is no keyring here."
    approvals = place.approvals()
    approvals.give([ONE])
    assert approvals.seal_file() == SealFile(str(place.key_file), "There is no keyring here.")
    for path in (place.key_file, place.file):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert place.approvals().proven().approvals == {ONE.key: ONE}


def test_once_there_is_a_keyring_the_next_approval_moves_the_key_there(tmp_path: Path) -> None:
    place = Place(tmp_path / "state")
    place.secrets.trouble = "There is no keyring here."
    place.approvals().give([ONE])
    place.secrets.trouble = ""
    assert place.approvals().proven().approvals == {ONE.key: ONE}
    place.approvals().give([TWO])
    assert place.approvals().proven().approvals == {ONE.key: ONE, TWO.key: TWO}
    assert not place.key_file.exists()
    assert place.approvals().seal_file() is None
    assert SEAL_ENTRY in place.secrets.kept


def test_a_key_that_moves_to_the_keyring_leaves_no_other_workspace_behind(tmp_path: Path) -> None:
    one = Place(tmp_path / "one")
    other = Place(tmp_path / "other")
    other.secrets = one.secrets
    one.secrets.trouble = "There is no keyring here."
    one.approvals().give([ONE])
    other.approvals().give([ONE])
    one.secrets.trouble = ""
    one.approvals().give([TWO])
    assert other.approvals().proven().approvals == {ONE.key: ONE}


def test_a_key_file_that_is_gone_means_that_nothing_is_approved(tmp_path: Path) -> None:
    place = Place(tmp_path / "state")
    place.secrets.trouble = "There is no keyring here."
    place.approvals().give([ONE])
    place.key_file.unlink()
    given = place.approvals().proven()
    assert given.trouble
    assert (given.approvals, given.trouble.is_locked) == ({}, False)


def test_the_keyring_is_asked_once_per_process(place: Place) -> None:
    approvals = place.approvals()
    place.secrets.reads = 0
    for _ in range(3):
        approvals.proven()
    approvals.give([TWO])
    approvals.seal_file()
    assert place.secrets.reads == 1


def test_counting_what_waits_asks_no_keyring(place: Place) -> None:
    place.secrets.reads = 0
    assert place.approvals().noted() == {ONE.key: ONE}
    assert place.secrets.reads == 0


# The disk


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_refuses_leaves_the_old_approvals(
    place: Place, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted((path.name, path.read_bytes()) for path in place.state.iterdir())

    def refuse(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(HeartbeatError, match=os.strerror(number)):
        place.approvals().give([TWO])
    monkeypatch.undo()
    assert sorted((path.name, path.read_bytes()) for path in place.state.iterdir()) == before
    assert place.approvals().proven().approvals == {ONE.key: ONE}
