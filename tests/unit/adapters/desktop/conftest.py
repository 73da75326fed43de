"""Programs of a desktop that only note how they were called."""

from pathlib import Path

import pytest

from core.adapters.desktop import launching
from tests.unit.adapters.desktop.stand_in_programs import Programs


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    monkeypatch.setenv("PATH", str(tmp_path))
    # On a busy machine one that ends at once must not be taken for a window that stays open.
    monkeypatch.setattr(launching, "TIMEOUT", 60.0)
    return Programs(tmp_path)
