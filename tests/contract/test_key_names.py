"""What KeyNames promises, asked of the file and of the fake."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.adapters.keyring_secrets import KeyNamesOnDisk
from core.ports.outside import KeyNames
from tests.fakes.outside import FakeKeyNames

NAMES: dict[str, Callable[[Path], KeyNames]] = {
    "fake": lambda _: FakeKeyNames(),
    "file": lambda folder: KeyNamesOnDisk(folder / "state" / "key-names.json"),
}


@pytest.fixture(params=NAMES)
def names(request: pytest.FixtureRequest, tmp_path: Path) -> KeyNames:
    return NAMES[request.param](tmp_path)


def test_at_first_there_are_none(names: KeyNames) -> None:
    assert names.all() == ()


def test_each_name_is_there_once_and_in_order(names: KeyNames) -> None:
    for name in ("openai", "anthropic", "Schlüssel", "openai"):
        names.add(name)

    assert names.all() == ("Schlüssel", "anthropic", "openai")


def test_a_removed_name_is_gone_and_the_others_stay(names: KeyNames) -> None:
    names.add("anthropic")
    names.add("openai")
    names.remove("openai")
    assert names.all() == ("anthropic",)


def test_removing_an_unknown_name_changes_nothing(names: KeyNames) -> None:
    names.remove("anthropic")
    assert names.all() == ()


def test_they_outlive_the_process(tmp_path: Path) -> None:
    NAMES["file"](tmp_path).add("anthropic")
    assert NAMES["file"](tmp_path).all() == ("anthropic",)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"3", b'{"a": 1}', b"\xff", b"[1, null]", b"[" * 100_000],
    ids=lambda content: repr(content[:20]),
)
def test_what_cannot_be_read_counts_as_none_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key-names.json"
    path.write_bytes(content)
    names = KeyNamesOnDisk(path)

    assert names.all() == ()
    names.add("anthropic")
    assert names.all() == ("anthropic",)


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / "key-names.json"
    KeyNamesOnDisk(path).add("anthropic")
    assert path.stat().st_mode & 0o777 == 0o600
