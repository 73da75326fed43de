"""Keys: where each goes, and which are known."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from core.engine.keys import KnownKey, delete_key, known_keys, set_key
from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.http import Answer
from tests.fakes.outside import FakeHttp, FakeKeyNames, FakeSecrets

KEY = "sk-ant-1234567890abcdef"


@dataclass(frozen=True)
class Place:
    """The `KeyWorld` of core/engine/keys.py."""

    secrets: FakeSecrets = field(default_factory=FakeSecrets)
    key_names: FakeKeyNames = field(default_factory=FakeKeyNames)
    http: FakeHttp = field(default_factory=FakeHttp)
    environment: Mapping[str, str] = field(default_factory=dict)


def test_a_key_is_tried_stored_and_listed_by_its_last_four_characters() -> None:
    place = Place()
    said = set_key(place, "anthropic", f" {KEY}\n", None)

    assert said.startswith("Stored anthropic (…cdef) in the keyring; anthropic ")
    assert KEY not in said
    assert place.secrets.kept == {"anthropic": KEY}
    assert len(place.http.sent) == 1
    assert known_keys(place) == ([KnownKey("anthropic", "keyring", "…cdef")], None)


def test_a_key_that_its_provider_refuses_is_not_stored() -> None:
    place = Place(http=FakeHttp(Answer(401, "")))
    with pytest.raises(HeartbeatError, match="Nothing was stored"):
        set_key(place, "anthropic", KEY, None)

    assert place.secrets.kept == {}
    assert place.key_names.all() == ()


def test_where_the_keyring_cannot_be_used_no_provider_gets_the_key() -> None:
    place = Place()
    place.secrets.trouble = "The keyring is locked."
    with pytest.raises(KeyringUnavailableError):
        set_key(place, "anthropic", KEY, None)

    assert place.http.sent == []


def test_a_secret_of_the_persons_own_is_sent_to_nobody() -> None:
    place = Place()
    assert set_key(place, "my-token", KEY, None) == "Stored my-token (…cdef) in the keyring."
    assert place.http.sent == []
    assert [one.name for one in known_keys(place)[0]] == ["my-token"]


def test_a_deleted_key_is_gone_from_the_keyring_and_the_list() -> None:
    place = Place()
    set_key(place, "my-token", KEY, None)

    assert delete_key(place, "my-token")
    assert not delete_key(place, "my-token")
    assert known_keys(place) == ([], None)


def test_a_keyring_that_fails_is_asked_once_and_the_variables_still_count() -> None:
    place = Place(environment={"OPENAI_API_KEY": KEY})
    place.key_names.add("my-token")
    place.secrets.trouble = "The keyring is locked."
    known, trouble = known_keys(place)

    assert known == [KnownKey("openai", "OPENAI_API_KEY", "…cdef")]
    assert trouble
    assert trouble.message == "The keyring is locked."
    assert place.secrets.reads == 1
