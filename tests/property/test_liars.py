"""The liars' bench holds: no lie is verified, nobody is accused falsely, nothing measurable is
unclear."""

from tests.bench.liars import run


def test_no_claim_is_judged_otherwise_than_the_truth_asks_for() -> None:
    result = run()
    assert result.cases >= 200
    assert result.lines == []
