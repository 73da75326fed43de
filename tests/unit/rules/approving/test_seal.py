"""The approvals' seal is the HMAC that everybody knows."""

import hmac

from hypothesis import given
from hypothesis import strategies as st

from core.rules.approving.seal import is_same_seal, seal_of


@given(st.binary(max_size=200), st.binary(max_size=500))
def test_it_is_the_hmac_of_the_standard_library(key: bytes, sealed: bytes) -> None:
    assert seal_of(key, sealed) == hmac.new(key, sealed, "sha256").hexdigest()


@given(st.text(), st.text())
def test_only_equal_ones_are_the_same(one: str, other: str) -> None:
    assert is_same_seal(one, one)
    assert is_same_seal(one, other) == (one == other)
