"""A known secret is taken out of a text however the text writes it."""

import base64
import json
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from core.rules.redacting import REDACTED, SHORTEST, without_values

SECRETS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=SHORTEST, max_size=60
)
AROUND = st.binary(max_size=7)


@given(SECRETS, st.text(max_size=10), st.text(max_size=10))
def test_no_form_of_a_secret_is_left(secret: str, before: str, after: str) -> None:
    for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1], secret.encode().hex()):
        shown = without_values(f"{before}{form}{after}", [secret])
        assert form not in shown or form in REDACTED


@given(SECRETS, AROUND, AROUND)
def test_a_secret_inside_longer_base64_text_is_removed(
    secret: str, before: bytes, after: bytes
) -> None:
    whole = before + secret.encode() + after
    for coded in (base64.b64encode(whole).decode(), base64.urlsafe_b64encode(whole).decode()):
        shown = without_values(coded, [secret])
        assert REDACTED in shown
        assert len(shown.replace(REDACTED, "")) <= (len(before) + len(after)) * 4 / 3 + 12, (
            "only what stood around it"
        )


@given(st.text(max_size=SHORTEST - 1), st.text(max_size=200))
def test_what_is_too_short_for_a_key_takes_no_words_with_it(secret: str, text: str) -> None:
    assert without_values(text, [secret]) == text
