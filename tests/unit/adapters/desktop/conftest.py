"""Programs of a desktop that only note how they were called."""

from pathlib import Path

import pytest

from tests.unit.adapters.desktop.stand_in_programs import Programs


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    monkeypatch.setenv("PATH", str(tmp_path))
    return Programs(tmp_path)
