"""Each test gets a computer of its own; some also a real keyring."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.keyring_service import KeyringService
from tests.e2e.machine import Machine
from tests.e2e.with_keyring import MachineWithKeyring


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture(scope="module")
def keyring() -> Iterator[KeyringService]:
    with tempfile.TemporaryDirectory(
        prefix="heartbeat-"
    ) as folder:  # a short path: the bus's socket lies in it
        service = KeyringService(Path(folder))
        try:
            service.open()
            yield service
        finally:
            service.stop()


@pytest.fixture
def secretive(tmp_path: Path, keyring: KeyringService) -> MachineWithKeyring:
    """A computer whose session has the keyring."""
    return MachineWithKeyring(tmp_path, keyring.variables)
