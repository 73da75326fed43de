"""What a run prints about the model."""

from dataclasses import replace

from core.model.agent import Usage
from core.model.occurrence import BeatReason
from core.model.report import BeatReport
from tests.stage import at
from tray_app.cli.run import receipt as run_receipt


def test_what_a_run_prints_tells_what_the_model_used() -> None:
    now = at("16 10:00")
    report = BeatReport(
        1, BeatReason.PERSON, now, now, (), None, usage=Usage(2, 1500, 150, usd=0.5)
    )
    assert "The model: 2 requests, 1,500 tokens in, 150 out, 0.50 USD." in run_receipt(report, now)
    assert not any("model" in line for line in run_receipt(replace(report, usage=None), now))
