"""The lock among real processes: one holder, known to the others, and free the moment it dies."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.adapters import lock as lock_module
from core.adapters.lock import FileLock, HeldFileLock
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


class Contender:
    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.lock_child", str(path)],
            cwd=ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def test_of_fifty_at_once_one_holds_it_and_the_others_name_it_within_a_second(
    tmp_path: Path,
) -> None:
    contenders = [Contender(tmp_path / "lock") for _ in range(50)]
    try:
        for contender in contenders:
            contender.wait_until_ready()
        for contender in contenders:
            contender.go()
        answers = {contender.process.pid: contender.answer() for contender in contenders}
    finally:
        for contender in contenders:
            contender.end()
    holders = [pid for pid, answer in answers.items() if answer["holder"] is None]
    assert len(holders) == 1
    assert {answer["holder"] for pid, answer in answers.items() if pid not in holders} == set(
        holders
    )
    assert max(answer["seconds"] for answer in answers.values()) < 1


def test_after_kill_nine_the_next_one_has_it_at_once(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    for _ in range(5):
        contender = Contender(lock.path)
        contender.wait_until_ready()
        contender.go()
        assert contender.answer()["holder"] is None
        blocked = lock.acquire(Purpose.BEAT, NOW)
        assert isinstance(blocked, Holder)
        assert blocked.pid == contender.process.pid
        contender.end()
        assert lock.holder() is None
        held = lock.acquire(Purpose.BEAT, NOW)
        assert isinstance(held, HeldFileLock)
        held.release()


def test_a_child_process_does_not_inherit_it(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    held = lock.acquire(Purpose.BEAT, NOW)
    assert isinstance(held, HeldFileLock)
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    try:
        held.release()
        again = lock.acquire(Purpose.BEAT, NOW)
        assert isinstance(again, HeldFileLock)
        again.release()
    finally:
        child.communicate()


def test_a_file_that_was_exchanged_before_the_lock_was_ours_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    really_lock = lock_module._lock
    calls: list[int] = []

    def exchange_first(descriptor: int) -> bool:
        if not calls:
            path.unlink()
            path.touch()
        calls.append(descriptor)
        return really_lock(descriptor)

    monkeypatch.setattr(lock_module, "_lock", exchange_first)
    held = FileLock(path).acquire(Purpose.BEAT, NOW)
    assert isinstance(held, HeldFileLock)
    assert FileLock(path).acquire(Purpose.PLAN, NOW) == Holder(os.getpid(), NOW, Purpose.BEAT)
    held.release()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1, "since": "now", "purpose": ""}', "\0" * 99]
)
def test_a_free_lock_is_free_whatever_its_file_says(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lock"
    path.write_text(text)
    assert FileLock(path).holder() is None
    held = FileLock(path).acquire(Purpose.BEAT, NOW)
    assert isinstance(held, HeldFileLock)
    held.release()


def test_the_name_of_a_process_that_lives_but_holds_nothing_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text(
        json.dumps({"pid": os.getppid(), "since": NOW.isoformat(), "purpose": "long ago"})
    )
    assert FileLock(path).holder() is None


def test_a_folder_that_cannot_be_made_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    with pytest.raises(HeartbeatError, match="could not be used"):
        FileLock(tmp_path / "state" / "lock").acquire(Purpose.BEAT, NOW)
