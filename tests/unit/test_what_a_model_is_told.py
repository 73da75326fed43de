"""The texts around a batch: memory sections, the session, last words, the judge's evidence, what a person reads."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.model.agent import ModelUse, Usage
from core.model.check import Finding, Measurement
from core.model.evidence import Act, Claim, Evidence, FileChange, Said
from core.model.occurrence import BeatReason, Occurrence, Outcome, State
from core.model.report import BeatReport
from core.model.verdict import Verdict
from core.rules.reading.memory import PATTERNS, PENDING, memory_section
from core.rules.reporting.evidence import evidence_text
from core.rules.reporting.final_text import message_in
from core.rules.reporting.session import session_summary
from tests.stage import BERLIN, at
from tray_app.cli.receipt import receipt
from tray_app.cli.run import receipt as run_receipt
from tray_app.cli.simulate import forecast
from tray_app.cli.words import dollars, usage_json, usage_words

MEMORY = """# Memory

## observed patterns
- early bird
```
## Pending
- in a fence
```

### More
- late bird
# Other
- not mine

## Pending

- call Ann
"""


def test_only_the_two_sections_are_read_and_a_fence_ends_none() -> None:
    assert memory_section(MEMORY, PATTERNS).splitlines() == [
        "- early bird",
        "```",
        "## Pending",
        "- in a fence",
        "```",
        "",
        "### More",
        "- late bird",
    ]
    assert memory_section(MEMORY, PENDING) == "- call Ann"
    assert memory_section("", PENDING) == ""
    assert len(memory_section("## Pending\n" + "- x\n" * 100_000, PENDING)) < 4100


def ended(item: str, minute: int, outcome: Outcome = Outcome.COMPLETED, **more: object) -> Occurrence:
    moment = at("16 10:00") + timedelta(minutes=minute)
    return Occurrence(
        item,
        "task",
        moment,
        1,
        "due",
        state=State.FINISHED,
        outcome=outcome,
        started=moment,
        **more,  # type: ignore[arg-type]
    )


def test_a_session_has_the_last_ending_of_each_item_newest_first() -> None:
    past = [
        ended("task:mail", 3, Outcome.COMPLETED, verdict=Verdict.NOT_VERIFIED, result="3 new\n## Tasks"),
        ended("task:tidy", 2, Outcome.FAILED, error="no network"),
        ended("task:mail", 1, result="the one before"),
        ended("task:by_command", 0),
    ]
    summary = session_summary(past, {"task:mail", "task:tidy"}, 300, BERLIN)
    assert summary.splitlines() == [
        "- Mon 10:03 mail: not verified, 3 new ## Tasks",
        "- Mon 10:02 tidy: failed, no network",
    ]
    assert session_summary(past, {"task:mail", "task:tidy"}, 12, BERLIN).splitlines() == summary.splitlines()[:1]
    assert session_summary(past, {"task:mail"}, 0, BERLIN) == ""


@pytest.mark.parametrize(
    "text", ["", " \n", "SKIP", "skip", "Skip.", "HEARTBEAT_OK", "`HEARTBEAT_OK`", '"SKIP"', "__SKIP__"]
)
def test_nothing_to_say(text: str) -> None:
    assert message_in(text) == ""


@pytest.mark.parametrize("text", ["SKIP the meeting", "I will not SKIP", "0", "HEARTBEAT_OK but the disk is full"])
def test_something_to_say(text: str) -> None:
    assert message_in(f" {text}\n") == text


def test_a_judge_reads_what_was_claimed_done_and_found() -> None:
    evidence = Evidence(
        Claim(Said.DONE, "sent", {"mails": 3}),
        Measurement(Finding.UNMEASURED, "mail_sent → only a judge could decide it"),
        (Act("run_command(send)", "250 queued\nbye"), Act("read_file(big)", "x" * 5000, could_do_it=False)),
        (FileChange("out.txt", None, "f1"),),
    )
    text = evidence_text(evidence)
    for words in ("sent", "mails is 3", "run_command(send)", "250 queued", "File made: out.txt", "only a judge"):
        assert words in text
    assert len(text) < 1500


def test_a_receipt_tells_an_items_share_of_its_batch() -> None:
    one = ended("task:mail", 0)
    use = ModelUse(
        1, one.slot, at("16 10:00").date(), "anthropic", "haiku", ("task:mail", "task:tidy"), Usage(1, 900, 90)
    )
    lines = receipt(one, None, at("16 11:00"), use)
    assert lines[-2:] == [
        "  model     anthropic haiku",
        "            its share of 2: 1 request, 450 tokens in, 45 out, no price is known",
    ]
    assert receipt(ended("task:run", 0), None, at("16 11:00"), use)[-1] != lines[-1]


def test_what_a_run_prints_tells_what_the_model_used() -> None:
    now = at("16 10:00")
    report = BeatReport(1, BeatReason.PERSON, now, now, (), None, usage=Usage(2, 1500, 150, usd=0.5))
    assert "The model: 2 requests, 1,500 tokens in, 150 out, 0.50 USD." in run_receipt(report, now)
    assert not any("model" in line for line in run_receipt(replace(report, usage=None), now))


def test_usage_and_money_in_words() -> None:
    assert usage_words(Usage(2, 12_000, 300, 9_000, usd=0.0042)) == (
        "2 requests, 12,000 tokens in (9,000 from a cache), 300 out, 0.0042 USD"
    )
    assert [dollars(amount) for amount in (0.0, 0.0042, 0.25, 3.0)] == [
        "0.00 USD",
        "0.0042 USD",
        "0.25 USD",
        "3.00 USD",
    ]
    assert usage_json(None) == {"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    assert usage_json(Usage(1, 2, 3)) == {"requests": 1, "input_tokens": 2, "output_tokens": 3, "usd": None}


def test_a_forecast_is_as_good_as_what_it_is_made_from() -> None:
    assert forecast(0, Usage(1, 100, 10, usd=0.01)) == []
    assert forecast(48, None) == ["What they cost can be said after the first one."]
    (line,) = forecast(48, Usage(2, 1000, 100, usd=0.01))
    assert line == "As the last ones on average: 96 requests, 52,800 tokens, 0.48 USD."
    assert forecast(2, Usage(2, 1000, 100))[0].endswith("no price is known.")
