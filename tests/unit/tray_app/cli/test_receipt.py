"""What a receipt says about the model."""

from core.model.agent import ModelUse, Usage
from tests.stage import at
from tests.unit.ended_occurrence import ended
from tray_app.cli.receipt import receipt


def test_a_receipt_tells_an_items_share_of_its_batch() -> None:
    one = ended("task:mail", 0)
    use = ModelUse(
        1,
        one.slot,
        at("16 10:00").date(),
        "anthropic",
        "haiku",
        ("task:mail", "task:tidy"),
        Usage(1, 900, 90),
    )
    lines = receipt(one, None, at("16 11:00"), use)
    assert lines[-2:] == [
        "  model     anthropic haiku",
        "            its share of 2: 1 request, 450 tokens in, 45 out, no price is known",
    ]
    assert receipt(ended("task:run", 0), None, at("16 11:00"), use)[-1] != lines[-1]
