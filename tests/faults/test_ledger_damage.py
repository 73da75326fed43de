"""A damaged ledger is moved aside byte for byte, said once, and replaced by one that works."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from core.adapters.ledger import SqliteLedger
from core.adapters.ledger.schema import MIGRATIONS, migrate, version
from core.model.agent import ModelUse
from core.model.errors import HeartbeatError, LedgerDamagedError
from core.model.occurrence import BeatReason, Occurrence
from core.model.progress import Progress, TaskProgress
from core.model.trouble import TroubleKey, TroubleKind

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
BACKUP = TroubleKey(TroubleKind.GATE, "backup")
REPORT = TroubleKey(TroubleKind.GATE, "report")


def occurrence(number: int) -> Occurrence:
    return Occurrence(
        "backup", "action", NOW + number * timedelta(hours=1), 1, "because it is due " * 20
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with closing(SqliteLedger(path)) as ledger, ledger.together():
        for number in range(300):
            ledger.beats.open(BeatReason.TIMER, 1, NOW)
            ledger.occurrences.miss(occurrence(number), "because the computer was off " * 10, NOW)
        ledger.tasks.save(Progress(NOW, 3, (TaskProgress("weather"),)))
    return path


def read_everything(ledger: SqliteLedger) -> None:
    ledger.occurrences.history()
    ledger.occurrences.history(item="backup", limit=20)
    ledger.items.all()
    ledger.beats.recent(1000)
    ledger.tasks.progress()
    ledger.occurrences.unfinished()
    ledger.occurrences.waiting()


def change(path: Path, offset: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "one byte left": lambda path: path.write_bytes(path.read_bytes()[:1]),
    "half a header": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "half a page": lambda path: path.write_bytes(path.read_bytes()[:2048]),
    "one page left": lambda path: path.write_bytes(path.read_bytes()[:4096]),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "last page gone": lambda path: path.write_bytes(path.read_bytes()[:-4096]),
    "odd end": lambda path: path.write_bytes(path.read_bytes()[:-4097]),
    "garbage header": lambda path: change(path, 0, b"garbage!" * 8),
    "garbage on the first page": lambda path: change(path, 100, b"\xff" * 900),
    "zeros on the first page": lambda path: change(path, 0, bytes(4096)),
    "another kind of file": lambda path: path.write_text("# HEARTBEAT\n" * 1000),
    "all zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "garbage from the second page on": lambda path: change(
        path, 4096, b"\xa5" * (path.stat().st_size - 4096)
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_ledger_is_kept_and_replaced(
    path: Path, damage: Callable[[Path], object]
) -> None:
    damage(path)
    damaged = path.read_bytes()
    with closing(SqliteLedger(path)) as ledger:
        with suppress(
            LedgerDamagedError
        ):  # what is seen at once is fixed at once, the rest when it is met
            read_everything(ledger)
        aside = ledger.set_aside()
        assert aside is not None
        assert aside.name.startswith("ledger.db.corrupt-")
        assert aside.read_bytes() == damaged
        assert ledger.occurrences.history() == ()
        assert (
            ledger.announcements.announce(TroubleKey(TroubleKind.LEDGER), (str(aside),), NOW)
            is True
        )
        assert ledger.occurrences.claim(occurrence(0), NOW) is not None
    with closing(SqliteLedger(path)) as ledger:
        read_everything(ledger)
        assert len(ledger.occurrences.history()) == 1
        assert (
            ledger.announcements.announce(
                TroubleKey(TroubleKind.LEDGER), (str(ledger.set_aside()),), NOW
            )
            is False
        )


@pytest.mark.parametrize("seed", range(40))
def test_garbage_anywhere_ends_in_answers_or_in_a_new_ledger(path: Path, seed: int) -> None:
    random = Random(seed)
    for _ in range(3):
        change(
            path,
            random.randrange(4096, path.stat().st_size - 4096),
            random.randbytes(random.randrange(1, 4000)),
        )
    damaged = path.read_bytes()
    with closing(SqliteLedger(path)) as ledger:
        try:
            read_everything(ledger)
            ledger.occurrences.miss(occurrence(-1), "off", NOW)
        except LedgerDamagedError:
            aside = ledger.set_aside()
            assert aside is not None
            assert len(aside.read_bytes()) >= len(damaged)
            read_everything(ledger)
            ledger.occurrences.miss(occurrence(-1), "off", NOW)


def test_a_second_damage_gets_a_name_of_its_own(path: Path) -> None:
    for count in (1, 2):
        path.write_text("garbage " * 1000)
        with closing(SqliteLedger(path)) as ledger:
            ledger.occurrences.claim(occurrence(0), NOW)
        assert len(list(path.parent.glob("*.corrupt-*"))) == count


def test_an_emptied_ledger_is_kept_with_its_log(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        ledger.occurrences.claim(occurrence(-1), NOW)
        log = path.with_name("ledger.db-wal").read_bytes()
    path.write_bytes(b"")
    path.with_name("ledger.db-wal").write_bytes(log)
    with closing(SqliteLedger(path)) as ledger:
        aside = ledger.set_aside()
        assert aside is not None
        assert aside.with_name(aside.name + "-wal").read_bytes() == log


def test_damage_that_appears_while_the_ledger_is_open_is_met_too(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        assert len(ledger.occurrences.history()) == 300
        change(path, 4096, b"\xa5" * (path.stat().st_size - 4096))
        with closing(SqliteLedger(path)) as other, suppress(LedgerDamagedError):
            read_everything(other)
        assert ledger.set_aside() is not None  # it reads the new file, not the one that it had open
        assert ledger.occurrences.history() == ()


def test_a_word_that_no_program_wrote_is_damage(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE occurrence SET state = 'startled' WHERE id = 7")
    with closing(SqliteLedger(path)) as ledger:
        with pytest.raises(LedgerDamagedError):
            ledger.occurrences.history()
        assert ledger.occurrences.history() == ()


@pytest.mark.parametrize(
    ("waits_for", "details"),
    [("stopped_by", "[]"), ("model_failed", '["twice"]'), ("stopped_by", "[7]"), ("money", "7")],
)
def test_a_wait_without_what_its_sentence_needs_is_damage(
    path: Path, waits_for: str, details: str
) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE occurrence SET waits_for = ?, details = ? WHERE id = 7", (waits_for, details)
        )
    with closing(SqliteLedger(path)) as ledger:
        with pytest.raises(LedgerDamagedError):
            ledger.occurrences.history()
        assert ledger.occurrences.history() == ()


def test_a_ledger_of_a_newer_program_is_refused_and_not_touched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with closing(SqliteLedger(path)) as ledger:
        with pytest.raises(HeartbeatError, match="newer Heartbeat") as refusal:
            ledger.occurrences.history()
        assert not isinstance(refusal.value, LedgerDamagedError)
        assert refusal.value.hint
        with pytest.raises(HeartbeatError, match="newer Heartbeat"):
            ledger.requests.resume()
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.corrupt-*"))


def test_an_older_ledger_is_brought_forward_with_all_it_has(path: Path) -> None:
    next_version = [
        "ALTER TABLE beat ADD COLUMN usd REAL NOT NULL DEFAULT 0",
        "CREATE TABLE cost (usd REAL)",
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, [*MIGRATIONS, next_version])
        assert version(connection) == len(MIGRATIONS) + 1
        assert connection.execute("SELECT count(*), sum(usd) FROM beat").fetchone() == (300, 0)
        migrate(connection, [*MIGRATIONS, next_version])  # a second time finds nothing to do


def test_a_ledger_of_the_first_version_keeps_its_days_and_its_progress(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:1])
        connection.execute("INSERT INTO day_score VALUES ('2026-11-16', 10, 20, 1, 0, 0, 0)")
        connection.execute(
            "INSERT INTO task_progress VALUES ('mail', 'failed', 2, NULL, 'exit code 1')"
        )
    with closing(SqliteLedger(path)) as ledger:
        (day,) = ledger.scores.days(date(2026, 11, 16), date(2026, 11, 16))
        assert (day.points, day.feedback, day.score) == (10, 0, 10)
        (task,) = ledger.tasks.progress().tasks
        assert (task.task_id, task.attempts, task.line) == ("mail", 2, "")


def test_a_ledger_from_before_models_were_asked_learns_what_they_use(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:2])
    use = ModelUse(
        1, datetime(2026, 11, 16, tzinfo=UTC), date(2026, 11, 16), "openai", "gpt-5", ("task:mail",)
    )
    with closing(SqliteLedger(path)) as ledger:
        assert ledger.model_use.history() == ()
        ledger.model_use.keep(use)
        assert ledger.model_use.history() == (use,)


def test_a_migration_that_fails_leaves_the_old_version(path: Path) -> None:
    broken = [
        "ALTER TABLE beat ADD COLUMN usd REAL NOT NULL DEFAULT 0",
        "CREATE TABLE beat (twice INTEGER)",
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, [*MIGRATIONS, broken])
        assert version(connection) == len(MIGRATIONS)
    with closing(SqliteLedger(path)) as ledger:
        assert len(ledger.occurrences.history()) == 300


def test_reading_makes_no_file_and_writing_makes_a_private_folder(tmp_path: Path) -> None:
    path = tmp_path / "state" / "workspace" / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        read_everything(ledger)
        assert ledger.plan.note() is None
        assert ledger.requests.take_run_request() is None
        ledger.requests.resume()
        assert list(tmp_path.iterdir()) == []
        ledger.occurrences.claim(occurrence(0), NOW)
        assert len(ledger.occurrences.history()) == 1
    assert [folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)] == [
        0o700,
        0o700,
    ]


def test_what_changes_nothing_writes_nothing(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        ledger.items.see({"backup": "hourly"}, NOW)
        ledger.occurrences.skip(occurrence(400), "words", ("condition",), NOW)
        ledger.plan.set_tick_anchor(NOW)
        ledger.announcements.announce(BACKUP, ("exit", "1"), NOW)
        log = path.with_name("ledger.db-wal")
        before = (path.stat().st_mtime_ns, log.stat().st_size, log.stat().st_mtime_ns)
        read_everything(ledger)
        ledger.items.see({"backup": "hourly"}, NOW + timedelta(hours=1))
        ledger.occurrences.skip(occurrence(400), "words", ("condition",), NOW + timedelta(hours=1))
        ledger.plan.set_tick_anchor(NOW)
        ledger.announcements.announce(BACKUP, ("exit", "1"), NOW + timedelta(hours=1))
        ledger.announcements.settle(REPORT)
        ledger.requests.resume()
        assert (path.stat().st_mtime_ns, log.stat().st_size, log.stat().st_mtime_ns) == before


def test_a_ledger_deleted_while_open_starts_again(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        assert len(ledger.occurrences.history()) == 300
        for file in path.parent.iterdir():
            file.unlink()
        assert ledger.occurrences.history() == ()
        ledger.occurrences.claim(occurrence(0), NOW)
    with closing(SqliteLedger(path)) as ledger:
        assert len(ledger.occurrences.history()) == 1


def test_a_full_disk_is_said_and_the_ledger_goes_on_when_there_is_room(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        before = ledger.occurrences.history()
        pages = ledger.database._connected().execute("PRAGMA page_count").fetchone()[0]
        ledger.database._connected().execute(
            f"PRAGMA max_page_count = {pages}"
        )  # SQLite's own way to have a small disk
        for number in range(400, 600):
            claimed = None
            with suppress(HeartbeatError):
                claimed = ledger.occurrences.claim(replace(occurrence(number), why="x" * 5000), NOW)
            if claimed is None:
                break
            before = (claimed, *before)
        with pytest.raises(HeartbeatError, match="the disk is full"):
            ledger.occurrences.claim(replace(occurrence(number), why="x" * 5000), NOW)
        assert ledger.occurrences.history() == before
        ledger.database._connected().execute("PRAGMA max_page_count = 1000000")
        assert ledger.occurrences.claim(occurrence(number), NOW) is not None


def test_every_commit_waits_for_the_disk(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        connection = ledger.database._connected()
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
