"""Known secrets are taken out of a text in every form in which they are commonly written."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.rules import redacting
from core.rules.redacting import (
    REDACTED,
    secrets_of_environment,
    without_secrets,
    without_values,
)

SHOWN = "{{secret:key}}"
# From 6 bytes on: the base64 form of fewer could be anything. The neighbours of a secret are
# characters that it does not contain.
SECRETS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="<>"), min_size=6, max_size=40
).filter(lambda text: text == text.strip() and len(text.splitlines()) == 1)
AROUND = st.text("<>", max_size=7)


@example("0000000%", "", "")
@example("0000000\\", "", "")
@given(SECRETS, AROUND, AROUND)
def test_in_plain_url_and_json_the_whole_of_it_is_gone(
    secret: str, before: str, after: str
) -> None:
    for form in (
        secret,
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
    ):
        assert without_secrets(before + form + after, {"key": secret}) == before + SHOWN + after


@given(SECRETS, AROUND, AROUND)
def test_in_base64_no_more_of_it_is_left_than_it_shares_with_its_neighbours(
    secret: str, before: str, after: str
) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        left = without_secrets(encode((before + secret + after).encode()).decode(), {"key": secret})
        assert SHOWN in left
        assert len(left) - len(SHOWN) <= len(encode((before + after).encode())) + 4


@pytest.mark.parametrize(
    "form", ["%c3%bc%2Fx1y2z", "\\u00FC\\/x1y2z", "%C3%BC/x1y2z", "\\u00fc/x1y2z"]
)
def test_escapes_of_any_spelling_are_known(form: str) -> None:
    assert without_secrets(f"a {form} b", {"key": "ü/x1y2z"}) == f"a {SHOWN} b"


def test_of_a_secret_of_several_lines_each_line_is_taken_out() -> None:
    secret = "-----BEGIN KEY-----\nAAAABBBBCCCC\nDDDD\n-----END KEY-----\n"
    assert without_secrets("AAAABBBBCCCC\nEND", {"key": secret}) == f"{SHOWN}\nEND"
    assert without_secrets(f"x{secret}", {"key": secret}) == f"x{SHOWN}\n"


def test_a_secret_inside_another_leaves_nothing_of_the_longer_one() -> None:
    assert (
        without_secrets("swordfish-and-more", {"a": "swordfish", "b": "swordfish-and-more"})
        == "{{secret:b}}"
    )


def test_short_secrets_are_hidden_and_empty_ones_ignored() -> None:
    assert without_secrets("pin 12.", {"pin": "12", "none": ""}) == "pin {{secret:pin}}."


def test_a_long_output_takes_no_longer_than_its_length_asks_for() -> None:
    text = "a" * 1_000_000
    assert without_secrets(text, {"key": "a" * 30 + "b"}) == text


def test_the_patterns_of_a_secret_are_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    build = redacting._character_pattern

    def counted(character: str) -> str:
        built.append(character)
        return build(character)

    monkeypatch.setattr(redacting, "_character_pattern", counted)
    secret = "a/key that no other test uses"
    for _ in range(3):
        assert without_values(f"100 % {secret} a%2Fkey", [secret]) == f"100 % {REDACTED} a%2Fkey"

    assert built == list(secret)


def test_no_pattern_is_built_for_a_text_without_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(part: str) -> None:
        raise AssertionError(part)

    monkeypatch.setattr(redacting, "_pattern", fails)
    assert without_values("it is hunter2-hunter2.", ["hunter2-hunter2"]) == f"it is {REDACTED}."


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "GH_TOKEN",
        "Db_Password",
        "DB_PASSWD",
        "APIKEY",
        "MY_BEARER",
        "SECRET_A",
    ],
)
def test_a_variable_is_secret_by_its_name(name: str) -> None:
    assert secrets_of_environment({name: "value-of-it", "PATH": "/bin"}) == ["value-of-it"]
