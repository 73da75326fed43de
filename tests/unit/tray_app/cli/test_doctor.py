"""What `heartbeat doctor` prints, in narrow terminals too."""

import click
import pytest

from core.model.diagnostic import Diagnosis, Health
from tray_app.cli.doctor import line


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_what_was_found_and_how_to_mend_it_are_wrapped(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    found = Diagnosis("model", Health.PROBLEM, "no answer came " * 9, "check the address " * 9)
    lines = click.unstyle(line(found)).splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[0].startswith("✗ model")
    assert sum("→ check" in one for one in lines) == 1
    assert " ".join(lines).count("answer") == 9
