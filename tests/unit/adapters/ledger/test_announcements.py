"""What earlier versions kept of a trouble: a sentence, or data as one text."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.ledger import SqliteLedger
from core.model.announcements import Announced
from core.model.trouble import TroubleKey, TroubleKind

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
KEPT_BEFORE = {
    "told": {
        "failure:action:backup": ["exit code 1: no space", "backup failed", True],
        "score_drop": ["2026-11-16 20 2026-11-16 08:00:00+00:00", "30 points lost", False],
        "budget": ["2026-11-16 warn", "80% of today's money is used", False],
        "model": ["model", "No language model", False],
    },
    "held": {},
    "sent": [],
    "snoozed": {},
}


def ledger_of_before(path: Path) -> SqliteLedger:
    with closing(SqliteLedger(path)) as ledger:
        ledger.plan.set_tick_anchor(NOW)

    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "INSERT INTO note VALUES (?, ?)", ("announcements", json.dumps(KEPT_BEFORE))
        )
        database.execute("INSERT INTO told VALUES ('child', 'The beat ended.', 0)")

    return SqliteLedger(path)


def test_a_sentence_is_read_as_unknown_and_data_as_data(tmp_path: Path) -> None:
    with closing(ledger_of_before(tmp_path / "ledger.db")) as ledger:
        assert ledger.announcements.current().announced == {
            TroubleKey(TroubleKind.FAILURE, "action:backup"): Announced(None, "backup failed"),
            TroubleKey(TroubleKind.SCORE_DROP): Announced(
                ("2026-11-16", "20", "2026-11-16 08:00:00+00:00"), "30 points lost", False
            ),
            TroubleKey(TroubleKind.BUDGET): Announced(
                ("2026-11-16", "warn"), "80% of today's money is used", False
            ),
            TroubleKey(TroubleKind.MODEL): Announced(("model",), "No language model", False),
        }


def test_a_trouble_that_was_kept_as_a_sentence_is_not_announced_again(tmp_path: Path) -> None:
    with closing(ledger_of_before(tmp_path / "ledger.db")) as ledger:
        announcements = ledger.announcements
        assert announcements.announce(TroubleKey(TroubleKind.CHILD), ("beat", "1"), NOW) is False
        assert announcements.announce(TroubleKey(TroubleKind.CHILD), ("beat", "1"), NOW) is False
        assert announcements.announce(TroubleKey(TroubleKind.CHILD), ("beat", "2"), NOW) is True
        assert announcements.settle(TroubleKey(TroubleKind.CHILD)) is True
