"""What is made from the source is as the source makes it now."""

from tests.made_pages import FIRST, SPEC, settings_table, spec_with_settings, stale


def test_every_page_is_as_it_is_made() -> None:
    assert stale() == [], "run: python -m tests.made_pages"


def test_a_page_that_is_not_would_be_found() -> None:
    spec = SPEC.read_text(encoding="utf-8")
    old = spec.replace("| `interval` |", "| `intervall` |")
    assert old != spec
    assert spec_with_settings(old) == spec
    assert spec.count(FIRST) == 1
    assert settings_table() in spec
