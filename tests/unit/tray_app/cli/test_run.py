"""What a run prints about the model, and about who is at work already."""

from dataclasses import replace

import pytest

from core.model.agent import Usage
from core.model.holder import BUSY, Holder, Purpose
from core.model.occurrence import BeatReason
from core.model.report import BeatReport
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
