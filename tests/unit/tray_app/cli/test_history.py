"""What `heartbeat history` and the lines of `heartbeat run` say about an ending."""

from datetime import timedelta

import click
import pytest

from core.model.check import Finding, Measurement
from core.model.evidence import Claim, Evidence, Said
from core.model.item import ItemKind
from core.model.light_dataclass import replace
from core.model.occurrence import Outcome, State, Verdict
from core.model.report import ItemReport
from core.rules.reporting.history import history_line
from tests.stage import BERLIN, at
from tests.unit.ended_occurrence import ended
from tray_app.cli.history import row
from tray_app.cli.receipt import receipt
from tray_app.cli.run import item_line
from tray_app.cli.tables import columns_of, table
from tray_app.tray.menu import beat_line, beat_mark

NOW = at("16 11:00")
GREEN = "\x1b[32m"
LIE = ended(
    "task:mail",
    0,
    result="All done!",
    verdict=Verdict.NOT_VERIFIED,
    contradiction=True,
    points=-45,
)


def as_report(verdict: Verdict | None, *, contradiction: bool = False) -> ItemReport:
    return ItemReport(
        "mail",
        ItemKind.TASK,
        Outcome.COMPLETED,
        "due",
        duration=timedelta(seconds=1),
        result="All done!",
        verdict=verdict,
        contradiction=contradiction,
        points=-15,
    )


@pytest.mark.parametrize("verdict", [Verdict.NOT_VERIFIED, Verdict.UNCLEAR, None])
def test_what_is_not_verified_is_never_green_and_never_called_completed(
    verdict: Verdict | None,
) -> None:
    one = ended("task:mail", 0, result="All done!", verdict=verdict)
    (line,) = table([row(one, NOW)], 200)
    for shown in (line, item_line(as_report(verdict)), *receipt(one, None, NOW)[:2]):
        assert GREEN not in shown
        assert "completed" not in shown

    assert "it said: “All done!”" in line
    assert "it said: “All done!”" in history_line(one, BERLIN)
    assert "completed" not in history_line(one, BERLIN)


def test_a_contradiction_is_called_one_in_every_view() -> None:
    (line,) = table([row(LIE, NOW)], 200)
    assert "contradiction -45" in line
    assert "contradiction -45" in history_line(LIE, BERLIN)
    assert "contradiction -45" in click.unstyle(receipt(LIE, None, NOW)[1])
    assert "contradiction -15" in item_line(as_report(Verdict.NOT_VERIFIED, contradiction=True))


def test_a_receipt_is_coloured_and_folded_without_showing_control_characters() -> None:
    evidence = Evidence(
        Claim(Said.DONE, "All done! " * 9),
        Measurement(Finding.FAILS, "it does not exist"),
        reason="it did nothing " * 9,
    )
    lines = receipt(LIE, evidence, NOW, columns=60)
    assert "\x1b[31mcontradiction -45\x1b[0m" in lines[1]
    assert all(line.isprintable() for line in map(click.unstyle, lines))
    assert max(map(columns_of, lines)) <= 60
    assert lines[1].lstrip().startswith("verdict")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_long_words_and_ids_do_not_push_the_columns_apart(columns: int) -> None:
    rows = [
        row(one, NOW)
        for one in (
            LIE,
            ended("action:日本語の報告", 1, Outcome.NEEDS_APPROVAL),
            ended("action:" + "deploy-to-every-machine-of-the-house", 2, error="exit code 1"),
        )
    ]
    lines = [line for line in table(rows, columns) if not line.startswith("  ")]
    assert len(lines) == len(rows)
    assert max(map(columns_of, lines)) <= columns
    starts = {
        columns_of(line[: line.index(name)])
        for line, name in zip(lines, ("mail", "日本語", "deploy"), strict=True)
    }
    assert len(starts) == 1


def test_a_beat_in_which_nothing_was_decided_does_not_look_good_in_the_menu() -> None:
    from core.model.status import RecentBeat

    assert beat_line(RecentBeat(1, NOW, 0, 0), NOW).endswith("unclear or skipped")
    assert beat_mark(RecentBeat(1, NOW, 0, 0)) == "·"


def test_recent_beats_count_promises_and_a_prompt_promises_nothing() -> None:
    from core.model.status import RecentBeat

    found = {
        beat: (beat_line(beat, NOW).partition(" · ")[2], beat_mark(beat))
        for beat in (
            RecentBeat(1, NOW, 1, 1, completed=2),
            RecentBeat(2, NOW, 1, 0, completed=2),
            RecentBeat(3, NOW, 0, 0, completed=1),
            RecentBeat(4, NOW, 0, 0, failed=1),
            RecentBeat(5, NOW, 1, 0, completed=1, failed=1),
        )
    }
    assert list(found.values()) == [
        ("1 kept, 1 not kept", "✗"),
        ("1 kept", "✓"),
        ("answered", "✓"),
        ("failed", "✗"),
        ("1 kept", "✗"),
    ]


def test_what_runs_says_since_when_and_not_why_it_started() -> None:
    running = ended("task:copy", 0, Outcome.COMPLETED)
    running = replace(running, outcome=None, state=State.STARTED)
    (line,) = table([row(running, NOW)], 200)
    assert line.endswith("copy  running since 10:00:00")


def test_all_instants_of_the_list_have_their_seconds() -> None:
    assert row(LIE, NOW)[0][0] == "Mon 16 Nov 10:00:00"


def test_a_receipt_without_evidence_gives_no_reason_for_the_start() -> None:
    skipped = ended("task:mail", 0, Outcome.SKIPPED)
    assert receipt(skipped, None, NOW)[2].strip() == "it was skipped"
