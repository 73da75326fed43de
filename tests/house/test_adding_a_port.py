"""A new port is its contract, its adapter, a line in `World` and a property of the services. These
tests write one into a copy of the source: the engine gets it, made once, and a part that is
forgotten is named."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2]

CONTRACT = '''

class Bell(Protocol):
    """Rings where the person hears it."""

    def ring(self) -> str: ...
'''

ADAPTER = """
class Doorbell:
    made = 0

    def __init__(self) -> None:
        Doorbell.made += 1

    def ring(self) -> str:
        return "ding"
"""

FAKE = """

class FakeBell:
    def ring(self) -> str:
        return "ding, in a test"
"""

IMPORT = "    from core.ports.outside import Bell\n"

LINE_IN_WORLD = """\
    @property
    def bell(self) -> Bell: ...

"""

PROPERTY = """\
    @lazy
    def bell(self) -> "Bell":
        from core.adapters.bell import Doorbell

        return Doorbell()

"""

ENGINE = """
from core.ports.world import World


def announce(world: World) -> str:
    return world.bell.ring()
"""

USE = """
from pathlib import Path

import core
from core.adapters.bell import Doorbell
from core.engine.ringing import announce
from core.model.settings import Settings
from core.services import Services

services = Services(Path())
assert Doorbell.made == 0
print(announce(services), announce(services.with_settings(Settings())), Doorbell.made)
print(core.__file__)
"""

JOINED = """
from core.engine.ringing import announce
from core.services import Services
from tests.fakes.world import FakeWorld


def ring_both(services: Services, fakes: FakeWorld) -> None:
    announce(services)
    announce(fakes)
"""


@dataclass(frozen=True)
class Copy:
    """A copy of the source, in which a newcomer makes the edits of docs/adding."""

    root: Path

    def insert(self, path: str, before: str, text: str) -> None:
        file = self.root / path
        source = file.read_text(encoding="utf-8")
        assert before in source, f"{path} has no {before!r}"
        file.write_text(source.replace(before, text + before, 1), encoding="utf-8")

    def add(self, path: str, text: str) -> None:
        with (self.root / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=self.root, capture_output=True, text=True, check=False
        )

    def checked(self) -> str:
        """What mypy says about the places where services and fakes are given to the engine."""
        places = ["core/engine/ringing.py", "core/services.py", "tests/fakes/world.py"]
        places += [str(one) for one in (self.root / "core" / "ports").glob("*.py")]
        # Only these: every other module is skipped, which leaves seconds of minutes.
        words = [
            "--config-file=",
            "--follow-imports=skip",
            "--no-error-summary",
            "--no-incremental",
        ]
        return self.run("-m", "mypy", *words, "joined.py", *places).stdout


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """With the contract, the adapter and the place that uses the port."""
    shutil.copytree(SOURCE / "core", tmp_path / "core", ignore=shutil.ignore_patterns("*.pyc"))
    fakes = tmp_path / "tests" / "fakes"
    shutil.copytree(SOURCE / "tests" / "fakes", fakes, ignore=shutil.ignore_patterns("*.pyc"))
    (tmp_path / "tests" / "__init__.py").touch()

    made = Copy(tmp_path)
    made.add("core/ports/outside.py", CONTRACT)
    made.add("core/adapters/bell.py", ADAPTER)
    made.add("core/engine/ringing.py", ENGINE)
    made.add("joined.py", JOINED)
    return made


def give_it_a_line_in_world(copy: Copy) -> None:
    copy.insert("core/ports/world.py", "    from core.ports.processes", IMPORT)
    copy.insert("core/ports/world.py", "    @property\n    def http(self)", LINE_IN_WORLD)


def give_it_a_property(copy: Copy) -> None:
    copy.insert("core/services.py", "    from core.ports.processes", IMPORT)
    copy.insert("core/services.py", '    @lazy\n    def http(self) -> "Http"', PROPERTY)


def give_the_fakes_one(copy: Copy) -> None:
    copy.add("tests/fakes/outside.py", FAKE)
    imports = f"{IMPORT.lstrip()}from tests.fakes.outside import FakeBell\n"
    copy.insert("tests/fakes/world.py", "from core.ports.processes", imports)
    line = "    bell: Bell = field(default_factory=FakeBell)\n"
    copy.insert("tests/fakes/world.py", "    http: Http = ", line)


def test_the_engine_gets_it_from_the_services_and_it_is_made_once(copy: Copy) -> None:
    give_it_a_line_in_world(copy)
    give_it_a_property(copy)
    done = copy.run("-c", USE)
    assert done.returncode == 0, done.stderr
    (rang, where) = done.stdout.splitlines()
    assert rang == "ding ding 1"
    assert Path(where).is_relative_to(copy.root), "the copy was used"


def test_with_all_its_parts_it_type_checks(copy: Copy) -> None:
    give_it_a_line_in_world(copy)
    give_it_a_property(copy)
    give_the_fakes_one(copy)
    assert copy.checked() == ""


def test_a_port_without_its_property_or_its_fake_is_named(copy: Copy) -> None:
    give_it_a_line_in_world(copy)
    said = copy.checked()
    assert '"Services" is missing following "World" protocol member' in said
    assert '"FakeWorld" is missing following "World" protocol member' in said
    assert said.count("    bell") == 2, said


def test_a_port_without_its_line_in_world_is_named(copy: Copy) -> None:
    give_it_a_property(copy)
    give_the_fakes_one(copy)
    assert '"World" has no attribute "bell"' in copy.checked()
