"""Each test gets a person's folders of its own."""

from pathlib import Path

import pytest

from tests.sandbox.ground import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)
