"""The doctor advises to install only what is not there."""

from pathlib import Path

import pytest

from core.adapters import doctor


def test_a_keyring_that_is_installed_is_not_advised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(doctor, "KEYRINGS", ("my-keyring",))
    assert doctor.keyring_fix("Unlock it.").startswith("sudo apt-get install")
    program = tmp_path / "my-keyring"
    program.touch(mode=0o700)
    assert doctor.keyring_fix("Unlock it.") == "Unlock it."
