"""What modules import: nothing in a circle, and nothing that only some commands need."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.measure_house import cycles_in, imports_of, read_modules

READ_A_FILE = """
import sys
from core.kinds import read_document

read_document(b"## Tasks\\n\\n- [ ] a | b | verify: cmd:test -e c\\n")
print(*sys.modules)
"""


def test_there_is_no_import_cycle_at_the_top_or_inside_functions() -> None:
    modules = read_modules(Path(__file__).parents[2])
    names = {one.name for one in modules}
    found = {one.name: list(imports_of(one, names)) for one in modules}
    assert cycles_in(found, {"top", "late"}) == "0"


def test_reading_a_file_imports_nothing_that_only_running_needs() -> None:
    """`heartbeat check` and a beat with nothing due read the file and run nothing in it."""
    done = subprocess.run(
        [sys.executable, "-c", READ_A_FILE], capture_output=True, text=True, check=True
    )
    needed_to_run = {
        "core.model.approval",
        "core.model.file_work",
        "core.model.http",
        "core.model.occurrence",
        "core.model.process",
        "core.model.report",
        "core.model.sandbox",
        "core.model.settings",
        "core.ports",
        "core.rules.approving.command_words",
        "core.rules.checking.expressions",
    }
    imported = set(done.stdout.split())

    assert "core.checks.command" in imported
    assert not imported & needed_to_run


@pytest.mark.parametrize(
    ("front", "is_imported"),
    [
        ("", False),
        ("---\\nversion: 1\\nstatus: idle\\n---\\n", False),
        ("---\\nversion: [1]\\n---\\n", True),
    ],
)
def test_simple_frontmatter_is_read_without_the_yaml_library(front: str, is_imported: bool) -> None:
    """It would add a seventh to what a beat with nothing due takes."""
    program = READ_A_FILE.replace('b"', f'b"{front}')
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    imported = {"frontmatter", "yaml"} & set(done.stdout.split())
    assert imported == ({"frontmatter", "yaml"} if is_imported else set())


def test_the_tables_of_kinds_cost_nothing_until_they_are_used() -> None:
    """`heartbeat status` imports functions that can read a file, and reads none."""
    program = "import sys, core.kinds; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert not {"core.actions", "core.checks", "core.rules"} & set(done.stdout.split())
