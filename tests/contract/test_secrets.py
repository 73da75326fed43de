"""What core.ports.Secrets promises, asked of a real keyring service and of the fake."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import keyring.core
import pytest
from keyring.backends import SecretService

from core.adapters import keyring_secrets
from core.adapters.keyring_secrets import KeyringSecrets
from core.ports.outside import Secrets
from tests.desktop.keyring_service import KeyringService
from tests.fakes.outside import FakeSecrets


@pytest.fixture(scope="module")
def service() -> Iterator[KeyringService]:
    with tempfile.TemporaryDirectory(
        prefix="heartbeat-"
    ) as folder:  # a short path: the bus's socket lies in it
        service = KeyringService(Path(folder))
        try:
            service.open()
            yield service
        finally:
            service.stop()


@pytest.fixture(params=["keyring", "read past keyring", "fake"])
def secrets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Secrets]:
    if request.param == "fake":
        yield FakeSecrets()
        return
    service: KeyringService = request.getfixturevalue("service")
    for name, value in service.variables.items():
        monkeypatch.setenv(name, value)
    # keyring chooses once per process, and had no bus then
    monkeypatch.setattr(keyring.core, "_keyring_backend", SecretService.Keyring())  # type: ignore[no-untyped-call]
    if request.param == "read past keyring":
        monkeypatch.setattr(keyring_secrets, "_is_for_us_to_choose", lambda: True)

    made = KeyringSecrets(timeout=60)
    yield made
    for name in ("one", "two"):
        made.delete(name)


def test_what_was_never_kept_is_not_there(secrets: Secrets) -> None:
    assert secrets.get("one") is None
    assert secrets.delete("one") is False


def test_what_is_kept_is_read_again_by_its_name(secrets: Secrets) -> None:
    secrets.set("one", "first")
    secrets.set("two", "Ünïcode \N{KEY} and \n lines")
    assert (secrets.get("one"), secrets.get("two")) == ("first", "Ünïcode \N{KEY} and \n lines")


def test_a_new_value_replaces_the_old_one(secrets: Secrets) -> None:
    secrets.set("one", "first")
    secrets.set("one", "second")
    assert secrets.get("one") == "second"


def test_what_is_deleted_is_gone(secrets: Secrets) -> None:
    secrets.set("one", "first")
    assert secrets.delete("one") is True
    assert secrets.get("one") is None
