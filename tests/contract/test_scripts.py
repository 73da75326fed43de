"""What core.ports.Scripts promises, asked of the disk and of the fake."""

import hashlib
from pathlib import Path

import pytest

from core.adapters.files.scripts import ScriptsOnDisk
from core.model.approval import Candidate
from core.ports.files import Scripts
from tests.fakes.files import FakeScripts

FILES = {
    "run.sh": "echo 1",
    "go": "echo 2",
    "data.csv": "a;b",
    "shebang": "#!/bin/sh\n",
    "sub/deep.py": "pass",
}


@pytest.fixture(params=["disk", "fake"])
def scripts(request: pytest.FixtureRequest, tmp_path: Path) -> Scripts:
    if request.param == "fake":
        return FakeScripts(FILES)
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return ScriptsOnDisk(tmp_path)


def named(scripts: Scripts, *paths: str, is_run: bool) -> list[str]:
    return [one.name for one in scripts.find([Candidate(path, is_run) for path in paths]).values()]


def test_what_looks_like_a_script_is_one_and_data_is_not(scripts: Scripts) -> None:
    paths = ("run.sh", "go", "data.csv", "shebang", "sub/deep.py", "missing.sh")
    assert named(scripts, *paths, is_run=False) == ["run.sh", "shebang", "sub/deep.py"]


def test_what_is_in_the_place_of_a_script_is_one_whatever_it_looks_like(
    scripts: Scripts,
) -> None:
    assert named(scripts, "go", "data.csv", "missing", is_run=True) == ["go", "data.csv"]


def test_one_file_under_two_names_is_one_script(scripts: Scripts) -> None:
    found = scripts.find([Candidate("run.sh", False), Candidate("./run.sh", False)])
    assert len(found) == 2
    assert len(set(found.values())) == 1


def test_two_files_differ_in_their_digest(scripts: Scripts) -> None:
    one, other = scripts.find([Candidate("run.sh", True), Candidate("go", True)]).values()
    assert one.digest != other.digest


def test_the_digest_on_disk_is_the_usual_sha256(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(b"x" * 3_000_000)
    (found,) = ScriptsOnDisk(tmp_path).find([Candidate("run.sh", False)]).values()
    assert found.digest == hashlib.sha256(b"x" * 3_000_000).hexdigest()
