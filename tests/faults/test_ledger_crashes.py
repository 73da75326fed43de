"""kill -9 and disk errors at any moment: what was acknowledged is there, the file is sound, and
it goes on."""

import itertools
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.adapters.ledger import SqliteLedger
from core.model.occurrence import Occurrence, Outcome, State
from tests.faults.ledger_child import START, slot, write

ROOT = Path(__file__).parents[2]
ORDER = [State.CLAIMED, State.STARTED, State.FINISHED, State.VERIFIED]
WRITES = ["pwrite64", "fdatasync", "ftruncate", "unlink", "mkdir"]


def child(path: Path, item: str, count: int, *before: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, sys.executable, "-m", "tests.faults.ledger_child", str(path), item, str(count)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def strace(injection: str) -> list[str]:
    return [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=" + injection.split(":")[0],
        "-e",
        "inject=" + injection,
    ]


def acknowledged(output: str) -> dict[int, State]:
    """What was said in whole lines: a kill may cut the last one off."""
    states = {}
    for line in output.rpartition("\n")[0].splitlines():
        word, number = line.split(maxsplit=1)
        if word in list(State):
            states[int(number)] = State(word)
    return states


def assert_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not list(path.parent.glob("*.corrupt-*"))


def assert_kept(path: Path, item: str, promised: dict[int, State]) -> None:
    with closing(SqliteLedger(path)) as ledger:
        stored = {row.slot: row.state for row in ledger.occurrences.history(item=item)}
        days = ledger.scores.days(START.date(), START.date())
        verified = [row for row in ledger.occurrences.history() if row.state is State.VERIFIED]
    for number, state in promised.items():
        assert ORDER.index(stored[slot(number)]) >= ORDER.index(state)
    assert sum(day.points for day in days) == 10 * len(verified)


def test_no_acknowledged_commit_is_lost_by_kill_nine(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    promised: dict[str, dict[int, State]] = {}
    for kill in range(25):
        writer = child(path, f"run-{kill}", 1_000_000)
        assert writer.stdout is not None
        lines = list(itertools.islice(writer.stdout, 1 + 3 * kill))
        writer.kill()
        promised[f"run-{kill}"] = acknowledged("".join(lines) + writer.communicate()[0])
    assert_sound(path)
    for item, states in promised.items():
        assert states
        assert_kept(path, item, states)


@pytest.mark.slow
def test_killed_at_every_write_it_recovers_and_goes_on(tmp_path: Path) -> None:
    kills = 0
    for call in WRITES:
        for count in itertools.count(1):
            path = tmp_path / f"{call}-{count}" / "ledger.db"
            writer = child(path, "backup", 1, *strace(f"{call}:signal=KILL:when={count}"))
            output = writer.communicate()[0]
            if writer.returncode == 0:
                break
            kills += 1
            assert_kept(path, "backup", acknowledged(output))
            recover(path)
            with closing(SqliteLedger(path)) as ledger:
                write(ledger, "backup", 1)
            assert_kept(path, "backup", {1: State.VERIFIED})
            assert_sound(path)
            shutil.rmtree(path.parent)
    assert kills > 50  # the sweep really killed


def recover(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        for row in ledger.occurrences.unfinished():
            if row.state is State.STARTED:
                ledger.occurrences.finish(row, Outcome.INTERRUPTED, slot(0))
            else:
                ledger.occurrences.release(row)
        assert ledger.occurrences.unfinished() == ()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("pwrite64", "ENOSPC", "disk is full"),
        ("pwrite64", "EIO", "reported an error"),
        ("pwrite64", "EDQUOT", "disk is full"),
        ("fdatasync", "EIO", "reported an error"),
        ("openat", "EROFS", "it cannot be"),
        ("openat", "EACCES", "it cannot be"),
    ],
)
def test_a_disk_that_refuses_is_said_in_a_sentence_and_the_old_data_stay(
    tmp_path: Path, call: str, error: str, words: str
) -> None:
    path = tmp_path / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        for number in range(3):
            write(ledger, "old", number)
    refusals = 0
    for count in range(1, 12):
        only_the_ledger = ["-P", str(path), "-P", f"{path}-wal", "-P", f"{path}-shm"]
        command = strace(f"{call}:error={error}:when={count}+")
        writer = child(path, f"new-{count}", 2, *command[:1], *only_the_ledger, *command[1:])
        output, trouble = writer.communicate()
        assert "Traceback" not in trouble
        if writer.returncode == 2:
            refusals += 1
            assert words in output.splitlines()[-1]
        assert_kept(path, f"new-{count}", acknowledged(output))
        assert_kept(path, "old", dict.fromkeys(range(3), State.VERIFIED))
        assert_sound(path)
        recover(path)
    assert refusals > 0
    assert {file.name for file in tmp_path.iterdir()} <= {
        "ledger.db",
        "ledger.db-wal",
        "ledger.db-shm",
    }


def test_of_many_processes_one_has_the_slot(tmp_path: Path) -> None:
    path = tmp_path / "state" / "ledger.db"
    writers = [child(path, "backup", 3) for _ in range(8)]
    outputs = [writer.communicate() for writer in writers]
    assert [trouble for _, trouble in outputs] == [""] * 8
    claims = [
        line for output, _ in outputs for line in output.splitlines() if line.startswith("claimed")
    ]
    assert sorted(claims) == ["claimed 0", "claimed 1", "claimed 2"]
    assert_sound(path)


def test_another_process_sees_a_commit_at_once(tmp_path: Path) -> None:
    with (
        closing(SqliteLedger(tmp_path / "ledger.db")) as reader,
        closing(SqliteLedger(tmp_path / "ledger.db")) as writer,
    ):
        assert reader.occurrences.history() == ()
        claimed = writer.occurrences.claim(
            Occurrence("backup", "action", START, 1, "hourly"), START
        )
        assert reader.occurrences.history() == (claimed,)
