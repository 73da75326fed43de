"""Schedule expressions: each kind as a value, its one normal form, its sentence; every mistake
with its fix."""

from datetime import UTC, datetime, time, timedelta

import pytest

from core.model.diagnostic import Problem
from core.model.schedule import WEEKDAYS, WEEKENDS
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import Schedule
from core.rules.timing.words import At, Cron, Daily, Every, Hourly, Monthly, Startup, Yearly

NINE = time(9)

READ: list[tuple[str, Schedule, str, str]] = [
    ("every:30s", Every(timedelta(seconds=30)), "every:30s", "Every 30 seconds"),
    ("every:5m", Every(timedelta(minutes=5)), "every:5m", "Every 5 minutes"),
    ("every:2h", Every(timedelta(hours=2)), "every:2h", "Every 2 hours"),
    ("every:90m", Every(timedelta(minutes=90)), "every:1h30m", "Every 90 minutes"),
    ("every:24h", Every(timedelta(days=1)), "every:1d", "Every day"),
    ("every:1s", Every(timedelta(seconds=1)), "every:1s", "Every second"),
    ("hourly", Hourly(), "hourly", "Every hour, on the hour"),
    ("daily:09:00", Daily(NINE), "daily:09:00", "Every day at 09:00"),
    ("weekdays:09:00", Daily(NINE, WEEKDAYS), "weekdays:09:00", "Every weekday at 09:00"),
    (
        "weekends:09:00",
        Daily(NINE, WEEKENDS),
        "weekends:09:00",
        "Every Saturday and Sunday at 09:00",
    ),
    (
        "weekly:thu,mon:09:00",
        Daily(NINE, frozenset({0, 3})),
        "weekly:mon,thu:09:00",
        "Every Monday and Thursday at 09:00",
    ),
    (
        "weekly:mon,tue,wed,thu,fri:09:00",
        Daily(NINE, WEEKDAYS),
        "weekdays:09:00",
        "Every weekday at 09:00",
    ),
    ("monthly:1:09:00", Monthly(NINE, 1), "monthly:1:09:00", "On day 1 of every month at 09:00"),
    (
        "monthly:last:09:00",
        Monthly(NINE, None),
        "monthly:last:09:00",
        "On the last day of every month at 09:00",
    ),
    (
        "yearly:12-24:09:00",
        Yearly(NINE, 12, 24),
        "yearly:12-24:09:00",
        "Every year on 24 December at 09:00",
    ),
    (
        "cron:'*/5 * * * *'",
        Cron("*/5 * * * *"),
        "cron:'*/5 * * * *'",
        "Every fifth minute of every hour",
    ),
    ('cron:"0 9 * * mon"', Cron("0 9 * * MON"), "cron:'0 9 * * MON'", "At 09:00 on Monday"),
    (
        "cron:0 9  1 * *",
        Cron("0 9 1 * *"),
        "cron:'0 9 1 * *'",
        "At 09:00 on the first day of every month",
    ),
    (
        "at:2026-01-15T14:00:00Z",
        At(datetime(2026, 1, 15, 14, tzinfo=UTC)),
        "at:2026-01-15T14:00:00Z",
        "Once, on 15 January 2026 at 14:00 UTC",
    ),
    (
        "at:2026-01-15T14:00",
        At(datetime(2026, 1, 15, 14)),  # noqa: DTZ001 - in the file's zone
        "at:2026-01-15T14:00:00",
        "Once, on 15 January 2026 at 14:00",
    ),
    ("startup", Startup(), "startup", "At every start of Heartbeat"),
    ("  Daily: 09:00 ", Daily(NINE), "daily:09:00", "Every day at 09:00"),
]


@pytest.mark.parametrize(
    ("text", "schedule", "normal", "words"), READ, ids=[row[0] for row in READ]
)
def test_each_kind_is_read(text: str, schedule: Schedule, normal: str, words: str) -> None:
    assert read_schedule(text) == schedule
    assert schedule.text() == normal
    assert read_schedule(normal) == schedule
    assert schedule.sentence() == words


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("every:5 m", "every:5m"),
        ("daily:2:00", "daily:02:00"),
        ("week days:09:00", "weekdays:09:00"),
        ("daily:24:00", "daily:00:00"),
        ("daily:9pm", "daily:21:00"),
        ("daily at 9:30 pm", "daily:21:30"),
        ("daily:0900", "daily:09:00"),
        ("dayly:09:00", "daily:09:00"),
        ("evry 5 minutes", "every:5m"),
        ("every:1.5h", "every:1h30m"),
        ("5m", "every:5m"),
        ("09:00", "daily:09:00"),
        ("monday:9:00", "weekly:mon:09:00"),
        ("weekly:Monday, thu:9:00", "weekly:mon,thu:09:00"),
        ("weekly:fri-mon:09:00", "weekly:fri,sat,sun,mon:09:00"),
        ("weekly:09:00", "weekly:mon:09:00"),
        ("weekly:mon", "weekly:mon:09:00"),
        ("monthly:09:00", "monthly:1:09:00"),
        ("monthly:1st:09:00", "monthly:1:09:00"),
        ("yearly:24.12.:09:00", "yearly:12-24:09:00"),
        ("yearly:2-9:09:00", "yearly:02-09:09:00"),
        ("hourly:30", "cron:'30 * * * *'"),
        ("@hourly", "hourly"),
        ("start up", "startup"),
        ("*/5 * * * *", "cron:'*/5 * * * *'"),
        ("cron '0 9 * * 1'", "cron:'0 9 * * 1'"),
        ("at:2026-01-15 14:00", "at:2026-01-15T14:00"),
        ("at:2026-01-15", "at:2026-01-15T09:00:00"),
        ("2026-01-15 14:00", "at:2026-01-15T14:00"),
        ("`every:5m`", "every:5m"),
    ],
)
def test_a_mistake_gets_the_exact_fix(text: str, fix: str) -> None:
    problem = read_schedule(text)
    assert isinstance(problem, Problem)
    assert problem.hint == f"Write `{fix}`."


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("every monday 9:00", "weekly:mon:09:00"),
        ("every Friday at 17:30", "weekly:fri:17:30"),
        ("every tue", "weekly:tue:09:00"),
        ("every day", "daily:09:00"),
        ("every day 7:15", "daily:07:15"),
        ("every weekday", "weekdays:09:00"),
        ("every 5 minutes", "every:5m"),
    ],
)
def test_every_with_a_day_is_no_length_of_time(text: str, fix: str) -> None:
    problem = read_schedule(text)
    assert isinstance(problem, Problem)
    assert problem.hint == f"Write `{fix}`."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("daily:25:00", "Hours go from 00 to 23"),
        ("daily:12:60", "minutes from 00 to 59"),
        ("daily", "Write it like `daily:09:00`"),
        ("@daily", "Did you mean `daily:09:00`?"),
        ("every:0s", "Write `every:1s` or longer"),
        ("every:90", "Add the unit: `90s`"),
        ("monthly:32:09:00", "a day from 1 to 31"),
        ("yearly:02-30:09:00", "from 02-01 to 02-29"),
        ("yearly:00-01:09:00", "Write it like `yearly:12-24:09:00`"),
        ("cron:'* * * *'", "five fields, and here are 4"),
        ("cron:@daily", "five fields, and here is 1"),
        ("cron:'0 * * * * *'", "five fields, and here are 6"),
        ("cron:'61 * * * *'", "The minute of `61 * * * *` is not valid"),
        (
            "cron:'0 0 31 2 *'",
            "`0 0 31 2 *` never occurs. Check its day, month and weekday together.",
        ),
        ("cron:'0 0 32 2 *'", "The day-of-month of `0 0 32 2 *` is not valid"),
        ("cron:'0 0 */16 * 1#2'", "never occurs"),
        (f"cron:'{'9' * 150} * * * *'", "is not valid"),
        ("at:tomorrow", "Write it as `2026-01-15T14:00:00Z`"),
        ("at:9999-01-01T00:00:00Z", "Years go from 1970 to 2999"),
        ("banana", "Write one of: `every:5m`"),
        ("", "The schedule is empty"),
        ("x" * 10_000, "too long"),
        ("daily:٠٩:٠٠", "is not a time of day"),
    ],
)
def test_what_has_no_single_fix_says_what_is_possible(text: str, said: str) -> None:
    problem = read_schedule(text)
    assert isinstance(problem, Problem)
    assert said in f"{problem.message} {problem.hint}"


@pytest.mark.parametrize(
    ("text", "offer"),
    [
        ("monthly:29:09:00", "`monthly:last:09:00`"),
        ("monthly:31:18:30", "`monthly:last:18:30`"),
        ("yearly:02-29:09:05", "`cron:'5 9 L 2 *'`"),
    ],
)
def test_a_day_missing_in_some_months_gets_advice(text: str, offer: str) -> None:
    schedule = read_schedule(text)
    assert not isinstance(schedule, Problem)
    tip = schedule.advice()
    assert tip is not None
    assert offer in tip
    assert not isinstance(read_schedule(offer.strip("`")), Problem)


@pytest.mark.parametrize(
    "text", ["monthly:28:09:00", "monthly:last:09:00", "yearly:01-31:09:00", "daily:09:00"]
)
def test_a_day_in_every_month_gets_no_advice(text: str) -> None:
    schedule = read_schedule(text)
    assert not isinstance(schedule, Problem)
    assert schedule.advice() is None
