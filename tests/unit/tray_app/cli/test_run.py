"""What a run prints about the model, and about who is at work already."""

from dataclasses import replace

import pytest

from core.model.agent import Usage
from core.model.holder import BUSY, Holder, Purpose
from core.model.item import ItemKind
from core.model.occurrence import BeatReason, Outcome
from core.model.report import BeatReport, ItemReport, Notice, NoticeKind
from tests.stage import at
from tray_app.cli.run import AT_WORK, busy
from tray_app.cli.run import receipt as run_receipt


def test_what_a_run_prints_tells_what_the_model_used() -> None:
    now = at("16 10:00")
    report = BeatReport(
        1, BeatReason.PERSON, now, now, (), None, usage=Usage(2, 1500, 150, usd=0.5)
    )
    assert "The model: 2 requests, 1,500 tokens in, 150 out, 0.50 USD." in run_receipt(report, now)
    assert not any("model" in line for line in run_receipt(replace(report, usage=None), now))


def test_whoever_holds_the_lock_is_named_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert set(AT_WORK) == {*Purpose, None}
    assert busy(Holder(4711, None, Purpose.MEMORY), (), wants_json=False) == BUSY
    assert capsys.readouterr().err == (
        "heartbeat: The model is writing in the workspace (pid 4711).\n  Try again when it is done.\n"
    )


def test_a_beat_that_only_skipped_says_so() -> None:
    now = at("16 10:00")
    skipped = ItemReport("look", ItemKind.PROMPT, Outcome.SKIPPED, "its gate says no")
    lines = run_receipt(BeatReport(3, BeatReason.PERSON, now, now, (skipped,), None), now)
    assert "Beat 3 (person): 1 skipped, 0 s." in lines


def test_what_waits_for_an_approval_is_counted_once() -> None:
    now = at("16 10:00")
    waits = ItemReport("one", ItemKind.ACTION, Outcome.NEEDS_APPROVAL, "you have not approved it")
    notice = Notice(NoticeKind.APPROVAL, "2 waiting for your approval", "one, two: see")
    report = BeatReport(None, BeatReason.PERSON, now, now, (waits,), None)
    assert len([line for line in run_receipt(report, now) if "for your approval" in line]) == 1
    told = run_receipt(replace(report, notices=(notice,)), now)
    assert [line for line in told if "for your approval" in line] == [
        "2 waiting for your approval: one, two: see"
    ]
