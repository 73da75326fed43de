"""What tells one measurement from another."""

from core.model.check import Finding, Measurement


def test_the_part_of_a_long_value_that_nobody_is_shown_makes_no_other_measurement() -> None:
    first = Measurement(Finding.FAILS, "", {"table": "a" * 100 + "1"})
    second = Measurement(Finding.FAILS, "", {"table": "a" * 100 + "2"})
    assert first.data == second.data
    assert len(first.data[1]) < 100


def test_another_value_makes_another_measurement() -> None:
    assert (
        Measurement(Finding.FAILS, "", {"mails": 3}).data
        != Measurement(Finding.FAILS, "", {"mails": 4}).data
    )
