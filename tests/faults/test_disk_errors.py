"""The disk fails, or the process dies, at each step of a write: the old text is intact, nothing
is left over."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = b"- **status**: PENDING\nnote\n"
DONE = TEXT.replace(b"PENDING", b"COMPLETED")
STEPS = ("write", "fsync", "rename", "renameat2", "unlink", "fchmod")


class Desk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.path = self.workspace / "HEARTBEAT.md"
        self.path.write_bytes(TEXT)

    def write(self, *options: str) -> tuple[int, list[str]]:
        """One write in a process of its own under strace: its exit code and the lines that it
        printed."""
        done = subprocess.run(
            [
                "strace",
                "-o",
                self.folder / "trace",
                *options,
                sys.executable,
                "-B",
                "-m",
                "tests.faults.one_write",
                self.folder,
            ],
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout.splitlines()

    def counts(self) -> dict[str, int]:
        """How often an undisturbed write makes each of the steps."""
        code, words = self.write("-e", "trace=" + ",".join(STEPS))
        assert (code, words) == (0, ["Written"])
        calls = re.findall(r"^(\w+)\(", (self.folder / "trace").read_text(), re.MULTILINE)
        return {step: calls.count(step) for step in STEPS}

    def names(self) -> list[str]:
        return [entry.name for entry in self.workspace.iterdir()]

    def kept(self) -> list[bytes]:
        return [
            version.read_bytes()
            for version in (self.folder / "state" / "backups").glob("HEARTBEAT.*.md")
        ]


@pytest.fixture(scope="session")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    found = Desk(tmp_path_factory.mktemp("undisturbed")).counts()
    found["write"] -= 1  # the last one tells us the ending
    return found


@pytest.mark.parametrize(
    ("step", "error"),
    [
        *[(step, error) for step in ("write", "fsync") for error in ("ENOSPC", "EIO", "EDQUOT")],
        ("rename", "EXDEV"),
        ("rename", "EIO"),
        ("renameat2", "EXDEV"),
        ("renameat2", "ENOSPC"),
        ("fchmod", "EPERM"),
    ],
)
def test_an_error_at_any_step_leaves_the_file_as_it_was(
    tmp_path: Path, counts: dict[str, int], step: str, error: str
) -> None:
    assert counts[step] > 0
    for number in range(1, counts[step] + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        desk = Desk(folder)
        code, words = desk.write("-e", f"inject={step}:error={error}:when={number}")
        assert (code, len(words), words[0]) == (0, 3, "Failed"), (number, words)
        assert "HEARTBEAT.md could not be written and is as it was" in words[1]
        assert desk.path.read_bytes() == TEXT
        assert desk.names() == ["HEARTBEAT.md"]
        assert [
            entry.name
            for entry in (folder / "state" / "backups").iterdir()
            if entry.name.endswith(".new")
        ] == []
        assert desk.write("-e", "trace=none") == (0, ["Written"])


@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_dies_at_any_step_leaves_a_whole_file_and_the_next_write_cleans_up(
    tmp_path: Path, counts: dict[str, int], step: str
) -> None:
    assert counts[step] > 0
    for number in range(1, counts[step] + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        desk = Desk(folder)
        code, _ = desk.write("-e", f"inject={step}:signal=KILL:when={number}")
        assert code == -9 or code == 128 + 9
        assert desk.path.read_bytes() in (TEXT, DONE)
        desk.path.write_bytes(TEXT + b"saved\n")
        assert desk.write("-e", "trace=none") == (0, ["Written"])
        assert desk.path.read_bytes() == DONE + b"saved\n"
        assert desk.names() == ["HEARTBEAT.md"]
        assert sorted(desk.kept()) in (sorted([TEXT, TEXT + b"saved\n"]), [TEXT + b"saved\n"])


def test_where_names_cannot_be_exchanged_the_new_version_is_renamed_over_the_old(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    assert desk.write("-e", "inject=renameat2:error=EINVAL") == (0, ["Written"])
    assert "(INJECTED)" in (tmp_path / "trace").read_text()
    assert desk.path.read_bytes() == DONE
    assert desk.names() == ["HEARTBEAT.md"]
    assert desk.kept() == [TEXT]


def test_where_there_are_no_leases_a_write_is_made_without(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("-e", "trace=fcntl")
    first = next(
        number
        for number, line in enumerate((tmp_path / "trace").read_text().splitlines(), 1)
        if "F_SETSIG" in line or "F_SETLEASE" in line
    )
    desk.path.write_bytes(TEXT)
    assert desk.write("-e", f"inject=fcntl:error=EINVAL:when={first}+") == (0, ["Written"])
    assert "(INJECTED)" in (tmp_path / "trace").read_text()
    assert desk.path.read_bytes() == DONE


def test_a_full_quota_of_file_size_is_an_error_like_any_other(tmp_path: Path) -> None:
    """Half of a text that the system would still have taken is not left behind."""
    desk = Desk(tmp_path)
    desk.path.write_bytes(TEXT + b"x" * 100_000)
    before = desk.path.read_bytes()
    done = subprocess.run(
        [
            "prlimit",
            "--fsize=65536",
            sys.executable,
            "-B",
            "-m",
            "tests.faults.one_write",
            tmp_path,
        ],
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("Failed"), done.stderr
    assert desk.path.read_bytes() == before
    assert desk.names() == ["HEARTBEAT.md"]
