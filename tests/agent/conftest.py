"""Each test has its own computer."""

from pathlib import Path

import pytest

from tests.agent.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    return Workbench(tmp_path, monkeypatch)
