"""What a forecast says about cost."""

from core.model.agent import Usage
from tray_app.cli.simulate import forecast


def test_a_forecast_is_as_good_as_what_it_is_made_from() -> None:
    assert forecast(0, Usage(1, 100, 10, usd=0.01)) == []
    assert forecast(48, None) == ["Their cost can be estimated after the first one."]
    (line,) = forecast(48, Usage(2, 1000, 100, usd=0.01))
    assert line == "Estimated from the last ones: 96 requests, 52,800 tokens, 0.48 USD."
    assert forecast(2, Usage(2, 1000, 100))[0].endswith("no price is known.")
