"""What was claimed against what was measured: once, and twice."""

import pytest

from core.model.check import Value
from core.rules.checking.claims import Agreement, agreement, agreement_of_moving

TRUE, FALSE = Agreement.TRUE, Agreement.FALSE
SILENT, ODD = Agreement.NOTHING_SAID, Agreement.NOT_COMPARABLE


@pytest.mark.parametrize(
    ("claimed", "measured", "expected"),
    [
        (5, 3, FALSE),
        (3, 3, TRUE),
        ("3", 3, TRUE),
        ("5", 3, FALSE),
        (3, 3.4, TRUE),  # rounded
        (3, 3.6, FALSE),
        (0.33, 1 / 3, TRUE),
        (0.3, 0.25, TRUE),  # as near as 0.2
        (0.2, 0.25, TRUE),
        (0.3, 0.26, TRUE),
        (13, 12.5, TRUE),
        (12, 12.5, TRUE),
        (14, 12.5, FALSE),
        (0.3, 0.1 + 0.2, TRUE),
        (0.1 + 0.2, 0.3, TRUE),
        (1e20, 10**20, TRUE),
        (1.5e-7, 0.0, FALSE),
        (float("inf"), 3, FALSE),
        (10**400, 3, FALSE),
        (3, 10**400, FALSE),
        ("9 kb", 10**400, ODD),
        (0.35, 1 / 3, FALSE),
        # in words
        ("about three", 3, SILENT),
        ("a few", 3, SILENT),
        (None, 3, SILENT),
        ("", 3, SILENT),
        ("three", 3, TRUE),
        ("nine", 3, FALSE),
        ("Nine mails.", 3, FALSE),
        ("no mails", 0, TRUE),
        ("none", 2, FALSE),
        # numbers with more around them
        ("3 mails", 3, TRUE),
        ("9 mails", 3, FALSE),
        ("=9", 3, FALSE),
        ("=3", 3, TRUE),
        ("9%", 3, ODD),
        ("9 %", 0.09, TRUE),
        ("9+", 3, ODD),
        ("9th", 3, ODD),
        ("9 more", 3, ODD),
        ("about 9", 3, ODD),
        ("about 3", 3, TRUE),
        ("9 of 12", 3, ODD),
        ("3 of 12", 3, TRUE),
        ("12 or 3", 3, ODD),
        ("1 3 5 7 9", 3, ODD),
        ("1,234", 1234, TRUE),
        ("1.234 lines", 1234, TRUE),
        ("1,234", 1.234, TRUE),
        ("1234,57", 1234.567, TRUE),
        ("1 234 567", 1234567, TRUE),
        ("1,234 lines", 5, FALSE),
        ("4 KB", 4096, TRUE),
        ("4 kB", 4000, TRUE),
        ("4 KB", 9000, FALSE),
        ("1.2 million", 1234567, TRUE),
        ("9 min", 540, TRUE),
        ("9 min", 600, ODD),
        # of another kind
        ([9], 3, ODD),
        (["a", "b", "c"], 3, TRUE),
        ({"v": 9}, 3, ODD),
        (True, 3, ODD),
        (True, 1, TRUE),
        (3, [1, 2, 3], TRUE),
        (4, [1, 2, 3], ODD),
        # booleans
        (True, False, FALSE),
        ("true", True, TRUE),
        ("yes", True, TRUE),
        ("no", True, ODD),
        ("it is up", True, SILENT),
        (1, True, TRUE),
        (0, True, ODD),
        (None, True, SILENT),
        # texts
        ("ready", "ready", TRUE),
        (" Ready", "ready", TRUE),
        ("up", "down", ODD),
        ("up and running", "up", TRUE),
        ("not up", "up", ODD),
        ("not ok", "ok", ODD),
        (None, "ok", SILENT),
        (9, "3 mails", FALSE),
        (3, "3 mails", TRUE),
        (["ok"], "ok", ODD),
        # dates and instants
        ("2026-11-18 09:00", "2026-11-18T09:00:00", TRUE),
        ("2026-11-18 09:00", "2026-11-18T09:00:42", TRUE),
        ("18 Nov 2026", "2026-11-18", TRUE),
        ("18 November 2026", "2026-11-18", TRUE),
        ("November 18, 2026", "2026-11-18T09:00:00", TRUE),
        ("18 Nov 2026, 9:00", "2026-11-18 09:00", TRUE),
        ("2026-11-18T08:00Z", "2026-11-18T09:00:00+01:00", TRUE),
        ("17 Nov 2026", "2026-11-18", FALSE),
        ("17 Nov 2026", "2026-11-18 09:00", ODD),  # in some zone it may be
        ("2026-11-18 10:00", "2026-11-18 09:00", ODD),
        ("2026-11-18 10:00", "2026-11-20 09:00", FALSE),
        ("2026-11-18T09:01Z", "2026-11-18T09:00Z", FALSE),
        ("31 Feb 2026", "2026-11-18", ODD),
        ("18 Foo 2026", "2026-11-18", ODD),
        # sizes
        ("4 KB", "4.0K", TRUE),
        (4096, "4.0K", TRUE),
        (4000, "4.0K", TRUE),
        (4, "4.0K", TRUE),
        (9, "4.0K", FALSE),
        (8, "4.0K", TRUE),
        ("9 KB", "4.0K", FALSE),
        ("4 MB", "4.0K", FALSE),
        ("3.9 GiB", "4.0G", TRUE),
        # lists and tables
        (["a"], ["a", "b"], FALSE),
        (["a", "b"], ["b", "a"], TRUE),  # as many as were found: perhaps another way to say it
        (["Ada <ada@x.org>"], ["ada@x.org"], TRUE),
        ([1, 2], [3, 4], FALSE),
        ([1, 3], [1, 2], FALSE),
        ([1.0, "2"], [2, 1], TRUE),
        (["anna"], ["dora"], FALSE),
        (["ben", "Anna B."], ["anna", "ben"], TRUE),
        ([str(number) for number in range(200)], list(range(200)), TRUE),
        ([[1, 2]], [[1, 3]], TRUE),  # not looked into
        (["18 Nov 2026"], ["2026-11-18"], TRUE),
        ("anna and ben", ["anna", "ben"], SILENT),
        ({"a": 1}, [1], ODD),
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, TRUE),
        ({"a": 1}, {"a": 2}, FALSE),
        ({"a": "all good"}, {"a": "ok"}, ODD),
        ({"b": 1}, {"a": 2}, ODD),
        ({"a": None}, {"a": 2}, SILENT),
        (3, {"a": 3}, ODD),
        (3, None, ODD),
        (None, None, TRUE),
    ],
)
def test_a_claim_is_false_only_where_it_can_be_compared_for_certain(
    claimed: Value, measured: Value, expected: Agreement
) -> None:
    assert agreement(claimed, measured) is expected


@pytest.mark.parametrize(
    ("claimed", "before", "after", "expected"),
    [
        (4, 3, 5, TRUE),
        ("4 mails", 5, 3, TRUE),
        (6, 3, 5, FALSE),
        ("6 mails", 3, 5, FALSE),
        ("6%", 3, 5, ODD),
        ("a few", 3, 5, SILENT),
        (4, "3", "5", TRUE),
        (9, 3, 3, FALSE),
        ("running", "queued", "done", ODD),
        ("queued", "queued", "done", TRUE),
        ("2026-11-17", "2026-11-18", "2026-11-19", FALSE),
        ("2026-11-19", "2026-11-18", "2026-11-20", TRUE),
        ("12 KB", 4096, 8192, FALSE),
        ("6 KB", 4096, 8192, TRUE),
        (True, False, True, TRUE),
        (3, "no mails yet", 5, ODD),
        (["a", "b"], ["a"], ["a", "b", "c"], TRUE),
        (["a", "b"], ["a", "b", "c"], ["a"], TRUE),
        (["a", "d"], ["a"], ["a", "b", "c"], FALSE),
        (["a", "c"], ["a"], ["b", "c"], ODD),
        (["a"], ["a", "b"], ["a", "b"], FALSE),
        ({"unread": 5}, {"unread": 3}, {"unread": 7}, TRUE),
        ({"unread": 9}, {"unread": 3}, {"unread": 7}, FALSE),
        ({"unread": 9}, {"unread": 3}, {"unread": 3}, FALSE),
    ],
)
def test_what_moved_is_false_where_it_cannot_lie_between(
    claimed: Value, before: Value, after: Value, expected: Agreement
) -> None:
    assert agreement_of_moving(claimed, before, after) is expected
