"""`heartbeat next`: the pinned JSON, the words, and wrong input."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tray_app.cli.main import cli

HEARTBEAT = Path(sys.executable).with_name("heartbeat")


def ask(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["--json", "next", *words], catch_exceptions=False)
    assert done.exit_code == 0
    answer = json.loads(done.output)
    assert isinstance(answer, dict)
    return answer


def words_of(*words: str) -> list[str]:
    done = CliRunner().invoke(cli, ["next", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output.splitlines()


def test_the_answer_has_the_pinned_keys() -> None:
    answer = ask(
        "weekdays:09:00", "--now", "2026-11-16T02:48:00", "--tz", "Europe/Berlin", "-n", "2"
    )
    assert answer["expression"] == "weekdays:09:00"
    assert answer["normalized"] == "weekdays:09:00"
    assert answer["timezone"] == "Europe/Berlin"
    assert (answer["due"], answer["slot"]) == (False, None)
    assert answer["occurrences"] == ["2026-11-16T09:00:00+01:00", "2026-11-17T09:00:00+01:00"]


def test_the_words_are_a_sentence_and_a_short_list() -> None:
    lines = words_of(
        "weekdays:09:00", "--now", "2026-11-16T02:48:00", "--tz", "Europe/Berlin", "-n", "2"
    )
    assert lines == [
        "Every weekday at 09:00. Next: Mon 16 Nov 09:00 (in 6 h 12 min)",
        "      Tue 17 Nov 09:00 (in 1 d 6 h)",
    ]


def test_a_line_says_where_a_clock_change_moves_it() -> None:
    lines = words_of(
        "daily:02:30", "--now", "2027-03-27T12:00:00", "--tz", "Europe/Berlin", "-n", "1"
    )
    assert lines[0].endswith("Next: Sun 28 Mar 03:00 (in 14 h)")
    assert "The clock skips this time" in lines[1]


def test_the_system_zone_and_clock_are_used_where_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    answer = ask("hourly")
    assert answer["timezone"] == "Asia/Kolkata"
    assert all(slot.endswith(":00:00+05:30") for slot in answer["occurrences"])
    assert len(answer["occurrences"]) == 5


@pytest.mark.parametrize(
    ("words", "slot", "following"),
    [
        # never ran
        ("every:5m", "2026-11-16T10:00:00+00:00", "2026-11-16T10:05:00+00:00"),
        ("daily:09:00", None, "2026-11-17T09:00:00+00:00"),
        (
            "daily:09:00 --first-seen 2026-11-16T08:00Z",
            "2026-11-16T09:00:00+00:00",
            "2026-11-17T09:00:00+00:00",
        ),
        ("daily:09:00 --first-seen 2026-11-16T09:30Z", None, "2026-11-17T09:00:00+00:00"),
        # ran before
        (
            "daily:09:00 --last 2026-11-01T09:00Z",
            "2026-11-16T09:00:00+00:00",
            "2026-11-17T09:00:00+00:00",
        ),
        ("daily:09:00 --last 2026-11-16T09:00:03Z", None, "2026-11-17T09:00:00+00:00"),
        ("every:1h --last 2026-11-16T09:30Z", None, "2026-11-16T10:30:00+00:00"),
        # due: `every:` counts its next from now
        (
            "every:1h --last 2026-11-16T08:59:50Z",
            "2026-11-16T09:59:50+00:00",
            "2026-11-16T11:00:00+00:00",
        ),
        # a last start ahead of now holds up to 3 h; for `every:` it counts as now
        ("hourly --last 2026-11-16T12:59Z", None, "2026-11-16T13:00:00+00:00"),
        ("hourly --last 2026-11-16T13:01Z", None, "2026-11-16T11:00:00+00:00"),
        ("every:1h --last 2026-11-16T12:59Z", None, "2026-11-16T11:00:00+00:00"),
        # once ever
        ("at:2026-11-16T09:00Z --first-seen 2026-11-16T08:00Z", "2026-11-16T09:00:00+00:00", None),
        ("at:2026-11-16T09:00Z", None, None),
        ("at:2026-11-16T09:00Z --last 2026-11-16T09:00:01Z", None, None),
        ("at:2026-11-16T09:00Z --last 2026-11-16T08:00Z", "2026-11-16T09:00:00+00:00", None),
        ("at:2026-11-16T11:00Z", None, "2026-11-16T11:00:00+00:00"),
        ("startup", None, None),
        # it ran at 09:00 in Tokyo; the same date in UTC has had its run
        ("daily:09:00 --last 2026-11-16T09:00:00+09:00", None, "2026-11-17T09:00:00+00:00"),
        (
            "daily:09:00 --last 2026-11-16T00:00:00Z",
            "2026-11-16T09:00:00+00:00",
            "2026-11-17T09:00:00+00:00",
        ),
    ],
)
def test_due_and_next_follow_from_the_times_that_are_given(
    words: str, slot: str | None, following: str | None
) -> None:
    answer = ask(*words.split(), "--now", "2026-11-16T10:00:00Z", "--tz", "UTC")
    assert answer["slot"] == slot
    assert answer["due"] == (slot is not None)
    assert next(iter(answer["occurrences"]), None) == following


def test_a_last_start_in_utc_is_an_instant_and_says_nothing_about_the_place() -> None:
    """10:00 UTC was 02:00 in Los Angeles: before that day's slot."""
    words = (
        "daily:09:00 --last 2026-11-16T10:00:00Z --now 2026-11-16T17:00:10Z --tz "
        "America/Los_Angeles"
    )
    assert ask(*words.split())["slot"] == "2026-11-16T09:00:00-08:00"


def test_every_goes_on_from_its_next() -> None:
    answer = ask(
        "every:1h",
        "--last",
        "2026-11-16T09:30Z",
        "--now",
        "2026-11-16T10:00Z",
        "--tz",
        "UTC",
        "-n",
        "3",
    )
    assert [slot[11:16] for slot in answer["occurrences"]] == ["10:30", "11:30", "12:30"]


def test_a_list_that_reaches_the_end_of_the_calendar_ends_there() -> None:
    answer = ask("every:36500d", "-n", "1000", "--now", "2026-11-16T10:00Z", "--tz", "UTC")
    assert 50 < len(answer["occurrences"]) < 100


def test_a_due_schedule_says_why() -> None:
    lines = words_of(
        "daily:09:00",
        "--last",
        "2026-11-10T09:00",
        "--now",
        "2026-11-16T10:00",
        "--tz",
        "Europe/Berlin",
    )
    assert lines[0] == "Every day at 09:00. Due now: missed at Mon 16 Nov 09:00, caught up now."
    assert lines[1] == "Next: Tue 17 Nov 09:00 (in 23 h)"


def test_nothing_to_come_says_why() -> None:
    lines = words_of("at:2020-01-01T00:00:00Z", "--now", "2026-11-16T10:00", "--tz", "UTC")
    assert "No next run: Wed 1 Jan 2020 00:00 had already passed" in lines[0]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["daily:2:00"], "Write `daily:02:00`."),
        (["hourly", "--tz", "Europe/Berln"], "Did you mean `Europe/Berlin`?"),
        (["hourly", "--now", "2026-11-16 10:00"], "Write `2026-11-16T10:00`."),
        (["hourly", "--last", "yesterday"], "2026-01-15T14:00:00Z"),
        (["hourly", "-n", "0"], "--help"),
    ],
)
def test_what_cannot_be_read_is_wrong_usage_with_the_fix(words: list[str], hint: str) -> None:
    done = subprocess.run([HEARTBEAT, "--json", "next", *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert hint in json.loads(done.stdout)["error"]["hint"]


def test_cron_is_not_imported_for_a_schedule_without_it() -> None:
    code = (
        "import sys; from core.rules.timing import due, expressions; "
        "expressions.read_schedule('daily:09:00'); "
    )
    code += (
        "sys.exit(sum(name in sys.modules for name in ('cronsim', 'difflib', 'asyncio', 'click')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
