"""`file` actions through the installed command: every operation, what stays out of reach, and
the way back."""

import os
import time
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action, block, wait_for

OLD = b"the old\r\nbytes\x00\xff"
DAY = 86400


def file_block(identifier: str, operation: str, *lines: str) -> str:
    return block(identifier, "type: file", f"operation: {operation}", *lines)


def run(machine: Machine, *blocks: str) -> dict[str, tuple[str, str]]:
    """How each action ended, and what it said."""
    machine.write(*blocks)
    report = machine.read_json(machine.heartbeat("run", "--json"))
    return {
        one["id"]: (one["outcome"], one["result"] or one["error"] or one["reason"])
        for one in report["items"]
    }


def put(machine: Machine, name: str, data: bytes = OLD, age: float = 0) -> Path:
    path = machine.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    moment = time.time() - age
    os.utime(path, (moment, moment))
    return path


def everything_in(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder; the program's own files left out."""
    ours = ("HEARTBEAT.md", "history", ".heartbeat")
    paths = (path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in ours)
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in paths
    }


# -- the operations --------------------------------------------------------------------------------


def test_read_write_append_copy_move_mkdir_and_delete(machine: Machine) -> None:
    put(machine, "old.txt")
    put(machine, "gone.txt")
    put(machine, "from.txt")
    ended = run(
        machine,
        file_block("read", "read", "path: old.txt"),
        file_block("write", "write", "path: new/deep/note.txt", "content: on {{weekday}}: fine"),
        file_block("append", "append", "path: old.txt", "content: more"),
        file_block("copy", "copy", "source: old.txt", "destination: copies/"),
        file_block("move", "move", "source: from.txt", "destination: to.txt"),
        file_block("mkdir", "mkdir", "path: a/b"),
        file_block("delete", "delete", "path: gone.txt"),
    )
    assert ended == {
        "read": ("completed", f"{len(OLD)} bytes"),
        "write": ("completed", "OK"),
        "append": ("completed", "OK"),
        "copy": ("completed", "1 file"),
        "move": ("completed", "1 file"),
        "mkdir": ("completed", "OK"),
        "delete": ("completed", "1 file"),
    }
    found = everything_in(machine.workspace)
    note = found.pop("new/deep/note.txt")
    assert note is not None
    assert note.endswith(b"day: fine")
    assert found == {
        "a": None,
        "a/b": None,
        "copies": None,
        "copies/old.txt": OLD + b"more",
        "new": None,
        "new/deep": None,
        "old.txt": OLD + b"more",
        "to.txt": OLD,
    }


def test_what_is_not_there_is_a_failure(machine: Machine) -> None:
    (machine.workspace / "folder").mkdir()
    ended = run(
        machine,
        file_block("read", "read", "path: none.txt"),
        file_block("delete", "delete", "path: none.txt"),
        file_block("copy", "copy", "source: none.txt", "destination: to.txt"),
        file_block("move", "move", "source: none.txt", "destination: to.txt"),
        file_block("folder", "delete", "path: folder"),
        file_block("over", "write", "path: folder", "content: x"),
    )
    assert {outcome for outcome, _ in ended.values()} == {"failed"}
    assert ended["read"] == ("failed", "none.txt does not exist")
    assert ended["over"] == ("failed", "folder is a folder")
    assert everything_in(machine.workspace) == {"folder": None}


def test_a_file_keeps_its_mode_when_it_is_written_again(machine: Machine) -> None:
    put(machine, "private.txt").chmod(0o600)
    run(machine, file_block("write", "write", "path: private.txt", "content: new"))
    assert (machine.workspace / "private.txt").stat().st_mode & 0o777 == 0o600


def test_a_file_that_would_be_its_own_destination_is_left_alone(machine: Machine) -> None:
    put(machine, "sub/a.txt")
    ended = run(
        machine,
        file_block("move", "move", "source: sub/a.txt", "destination: sub/"),
        file_block("copy", "copy", "source: sub/a.txt", "destination: sub/../sub/a.txt"),
        file_block("all", "move", "pattern: sub/*.txt", "destination: sub"),
    )
    assert [ended[name][0] for name in ("move", "copy")] == ["failed"] * 2
    assert ended["all"] == ("completed", "0 files")
    assert everything_in(machine.workspace) == {"sub": None, "sub/a.txt": OLD}


# -- what stays out of reach -----------------------------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path, machine: Machine) -> Path:
    """A folder next to the workspace, with a file of the person, and links to both from inside."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "mine.txt").write_bytes(OLD)
    (machine.workspace / "link").symlink_to(folder)
    (machine.workspace / "link.txt").symlink_to(folder / "mine.txt")
    put(machine, "inside.txt", b"inside")
    return folder


WAYS_OUT = [
    "{outside}/mine.txt",
    "../outside/mine.txt",
    "x/../../outside/mine.txt",
    "link/mine.txt",
    "link.txt",
]


@pytest.mark.parametrize(
    "operation", ["read", "write", "append", "delete", "move", "copy", "mkdir"]
)
def test_nothing_outside_the_workspace_is_touched(
    machine: Machine, outside: Path, operation: str
) -> None:
    """By its path, by `..`, through a link to a folder, through a link to a file: nothing is even
    tried."""
    before = everything_in(outside)
    blocks = []
    for number, way in enumerate(WAYS_OUT):
        path = way.format(outside=outside)
        more = ["content: evil"] if operation in ("write", "append") else []
        more += ["destination: stolen.txt"] if operation in ("move", "copy") else []
        key = "source" if operation in ("move", "copy") else "path"
        blocks.append(file_block(f"out{number}", operation, f"{key}: {path}", *more))
        if operation in ("move", "copy"):
            blocks.append(
                file_block(f"to{number}", operation, "source: inside.txt", f"destination: {path}")
            )
    ended = run(machine, *blocks)
    for name, (outcome, error) in ended.items():
        assert outcome == "needs_clarification", name
        assert "is not inside the workspace" in error
    assert len(ended) == len(blocks)
    assert everything_in(outside) == before
    assert (machine.workspace / "inside.txt").read_bytes() == b"inside"
    assert not (machine.workspace / "stolen.txt").exists()


def test_the_same_paths_lead_out_for_a_command(machine: Machine, outside: Path) -> None:
    """The twin: the ways out are real."""
    for number, way in enumerate(WAYS_OUT[1:]):
        (machine.workspace / "x").mkdir(exist_ok=True)
        machine.write(action(f"out{number}", f"echo {number} >> {way}"))
        machine.heartbeat("run")
    assert (outside / "mine.txt").read_bytes() == OLD + b"0\n1\n2\n3\n"


def test_a_pattern_does_not_lead_out_either(machine: Machine, outside: Path) -> None:
    ended = run(
        machine,
        file_block("up", "delete", "pattern: ../outside/*"),
        file_block("absolute", "delete", f"pattern: {outside}/*"),
        file_block("link", "delete", "pattern: link/*"),
        file_block("folder", "delete", "path: link", "pattern: *"),
        file_block("bad", "delete", "pattern: **x"),
    )
    assert ended["link"] == ("completed", "0 files")
    assert ended["up"] == ("needs_clarification", "`../outside/*` is not inside the workspace")
    assert [ended[name][0] for name in ("absolute", "folder")] == ["needs_clarification"] * 2
    assert ended["bad"][0] == "failed"
    assert everything_in(outside) == {"mine.txt": OLD}


def test_the_workspace_itself_is_not_one_of_its_files(machine: Machine) -> None:
    ended = run(
        machine, file_block("a", "delete", "path: ."), file_block("b", "mkdir", "path: sub/..")
    )
    assert {outcome for outcome, _ in ended.values()} == {"failed"}


# -- patterns and age ------------------------------------------------------------------------------


def test_a_pattern_takes_all_that_it_matches_and_older_than_only_the_old(machine: Machine) -> None:
    for name in ("logs/a.log", "logs/deep/b.log", "logs/c.txt", "d.log"):
        put(machine, name, age=8 * DAY)
    put(machine, "logs/new.log", age=DAY)
    ended = run(
        machine,
        file_block("copy", "copy", "pattern: logs/**/*.log", "older_than: 7d", "destination: kept"),
        file_block("delete", "delete", "path: logs", "pattern: **/*.log", "older_than: 7d"),
        file_block("young", "delete", "path: d.log", "older_than: 9d"),
        file_block("none", "delete", "pattern: *.nothing"),
    )
    assert ended == {
        "copy": ("completed", "2 files"),
        "delete": ("completed", "2 files"),
        "young": ("completed", "0 files"),
        "none": ("completed", "0 files"),
    }
    names = [name for name, data in everything_in(machine.workspace).items() if data is not None]
    assert sorted(names) == ["d.log", "kept/a.log", "kept/b.log", "logs/c.txt", "logs/new.log"]


# -- the way back ----------------------------------------------------------------------------------


CHANGES = {
    "write": ["path: a.txt", "content: new"],
    "write_new": ["path: new/deep/b.txt", "content: new"],
    "append": ["path: a.txt", "content: more"],
    "delete": ["path: a.txt"],
    "move": ["source: a.txt", "destination: sub/b.txt"],
    "copy": ["source: a.txt", "destination: b.txt"],
    "delete_all": ["pattern: **/*.txt"],
    "move_all": ["pattern: **/*.txt", "destination: moved"],
    "mkdir": ["path: x/y/z"],
}


@pytest.mark.parametrize("change", CHANGES)
def test_undo_puts_everything_back_byte_for_byte_and_the_status_too(
    machine: Machine, change: str
) -> None:
    put(machine, "a.txt").chmod(0o640)
    put(machine, "b.txt", b"the other")
    put(machine, "sub/c.txt", b"", age=DAY)
    before = everything_in(machine.workspace)
    modified = (machine.workspace / "sub/c.txt").stat().st_mtime_ns
    ended = run(machine, file_block("change", change.partition("_")[0], *CHANGES[change]))
    assert ended["change"][0] == "completed"
    assert everything_in(machine.workspace) != before
    assert "**status**: COMPLETED" in machine.text()
    assert machine.heartbeat("undo").code == 0
    assert everything_in(machine.workspace) == before
    assert (machine.workspace / "a.txt").stat().st_mode & 0o777 == 0o640
    assert (machine.workspace / "sub/c.txt").stat().st_mtime_ns == modified
    assert "**status**: PENDING" in machine.text()
    assert "completed_at" not in machine.text()
    assert "[x] change" not in machine.text()
    again = machine.heartbeat("undo")
    assert again.code == 2
    assert "there is nothing to undo" in again.err


def test_undo_refuses_as_a_whole_where_the_person_changed_one_of_the_files(
    machine: Machine,
) -> None:
    put(machine, "a.txt")
    put(machine, "b.txt")
    run(machine, file_block("change", "delete", "pattern: *.txt"))
    (machine.workspace / "b.txt").write_bytes(b"mine again")
    refused = machine.heartbeat("undo")
    assert refused.code == 2
    assert "b.txt has changed since; nothing was undone" in refused.err
    assert everything_in(machine.workspace) == {"b.txt": b"mine again"}
    assert "**status**: COMPLETED" in machine.text()
    (machine.workspace / "b.txt").unlink()
    assert machine.heartbeat("undo").code == 0
    assert everything_in(machine.workspace) == {"a.txt": OLD, "b.txt": OLD}


def test_a_folder_that_the_person_has_used_since_stays(machine: Machine) -> None:
    run(machine, file_block("change", "write", "path: new/a.txt", "content: x"))
    (machine.workspace / "new" / "mine.txt").write_bytes(b"mine")
    assert machine.heartbeat("undo").code == 0
    assert everything_in(machine.workspace) == {"new": None, "new/mine.txt": b"mine"}


def test_a_folder_that_was_there_before_mkdir_stays(machine: Machine) -> None:
    (machine.workspace / "mine").mkdir()
    run(machine, file_block("change", "mkdir", "path: mine"))
    assert machine.heartbeat("undo").code == 2
    assert everything_in(machine.workspace) == {"mine": None}


def test_undo_takes_an_item_or_a_whole_beat(machine: Machine) -> None:
    put(machine, "a.txt")
    put(machine, "b.txt")
    blocks = [file_block(f"change_{name}", "delete", f"path: {name}.txt") for name in "ab"]
    run(machine, *blocks)
    assert machine.heartbeat("undo", "change_a").code == 0
    assert everything_in(machine.workspace) == {"a.txt": OLD}
    machine.heartbeat("run", "change_a")
    assert machine.json("undo", "1")["undone"] == ["b.txt"]
    assert everything_in(machine.workspace) == {"b.txt": OLD}
    assert machine.heartbeat("undo", "2").code == 0
    assert everything_in(machine.workspace) == {"a.txt": OLD, "b.txt": OLD}


def test_what_was_undone_does_not_run_again_by_itself(machine: Machine) -> None:
    put(machine, "a.txt")
    run(machine, file_block("change", "delete", "path: a.txt"))
    assert machine.heartbeat("undo").code == 0
    assert machine.json("run")["items"] == []
    assert everything_in(machine.workspace) == {"a.txt": OLD}


def test_the_history_says_what_was_undone_also_after_later_runs(machine: Machine) -> None:
    put(machine, "a.txt")
    run(machine, file_block("change", "delete", "path: a.txt"), action("other", "true"))
    assert " completed  change " in machine.heartbeat("history").out
    assert machine.heartbeat("undo").code == 0
    (day,) = (machine.workspace / "history").iterdir()
    assert " change: undone" in day.read_text()
    assert " other: completed" in day.read_text()

    machine.heartbeat("run", "change")
    rows = machine.json("history")["occurrences"]
    assert [(one["id"], one["outcome"], one["undone"]) for one in rows if one["beat"]] == [
        ("change", "completed", False),
        ("other", "completed", False),
        ("change", "completed", True),
    ]
    newest, oldest = machine.heartbeat("history", "change").out.splitlines()[:2]
    assert (" completed  " in newest, " undone  " in oldest) == (True, True)
    assert "undone" in machine.heartbeat("history", "--beat", "1", "change").out
    assert "undone" not in machine.heartbeat("history", "--beat", "2").out


def fails_halfway(machine: Machine) -> str:
    """An action that moves a.txt, and cannot move b.txt: there is a folder in its place."""
    put(machine, "a.txt")
    put(machine, "b.txt")
    put(machine, "to/b.txt/mine", b"mine")
    return file_block("change", "move", "pattern: *.txt", "destination: to/")


def test_undo_of_a_failed_run_takes_its_error_back_too(machine: Machine) -> None:
    block_of_change = fails_halfway(machine)
    before = everything_in(machine.workspace)
    assert run(machine, block_of_change)["change"][0] == "failed"
    assert everything_in(machine.workspace) != before
    assert "\nstatus: error\n" in machine.text()
    assert "\nerror_count: 1\nlast_error: " in machine.text()
    assert "**status**: FAILED" in machine.text()

    assert machine.heartbeat("undo").code == 0
    assert everything_in(machine.workspace) == before
    assert "**status**: PENDING" in machine.text()
    assert "**error**" not in machine.text()
    assert "\nstatus: idle\n" in machine.text()
    assert "\nerror_count: 0\n" in machine.text()
    assert "\nlast_error: null\n" in machine.text()


def test_an_error_of_another_run_of_that_beat_stays(machine: Machine) -> None:
    run(machine, action("bad", "exit 3"), fails_halfway(machine))
    assert "last_error: 'change: " in machine.text() or 'last_error: "change: ' in machine.text()
    assert machine.heartbeat("undo").code == 0
    assert "\nstatus: error\n" in machine.text()
    assert "bad: exit code 3" in machine.text()


def test_an_error_of_a_later_beat_stays(machine: Machine) -> None:
    run(machine, fails_halfway(machine), action("bad", "exit 3"))
    machine.heartbeat("run", "bad")
    before = [line for line in machine.text().splitlines() if line.startswith("last_error")]
    assert machine.heartbeat("undo").code == 0
    assert "\nstatus: error\n" in machine.text()
    assert before[0] in machine.text()


def test_a_workspace_behind_a_link_works_the_same(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(machine.workspace)
    put(machine, "a.txt")
    machine.write(file_block("change", "delete", "path: a.txt"))
    machine.approve()
    machine.says_yes = False
    place = ("-C", str(tmp_path / "linked"))
    assert machine.heartbeat(*place, "run").code == 0
    assert everything_in(machine.workspace) == {}
    assert machine.heartbeat(*place, "undo").code == 0
    assert everything_in(machine.workspace) == {"a.txt": OLD}


def test_a_reader_sees_the_old_or_the_new_file_and_never_a_part(machine: Machine) -> None:
    text = "x" * 100_000
    put(machine, "big.txt", text.encode())
    machine.write(file_block("write", "write", "path: big.txt", f"content: {text.upper()}"))
    seen = set()
    with machine.start("run") as beat:
        while beat.process.poll() is None:
            seen.add((machine.workspace / "big.txt").read_bytes())
    wait_for(
        lambda: (machine.workspace / "big.txt").read_bytes() == text.upper().encode(),
        "the new file",
    )
    assert seen <= {text.encode(), text.upper().encode()}


def test_undo_brings_no_failure_back_that_was_over_and_the_history_keeps_both_runs(
    machine: Machine,
) -> None:
    assert run(machine, file_block("clean", "delete", "path: a.txt"))["clean"][0] == "failed"
    put(machine, "a.txt")
    assert machine.heartbeat("retry", "clean").code == 0
    assert machine.heartbeat("run").code == 0
    assert machine.heartbeat("undo", "clean").code == 0
    assert machine.heartbeat("run").code == 0  # it does not run again by itself
    assert "**status**: PENDING" in machine.text()
    assert not [word for word in ("FAILED", "**error**", "retry_count") if word in machine.text()]
    runs = machine.json("history", "clean")["occurrences"]
    assert [(one["outcome"], one["undone"]) for one in runs] == [
        ("completed", True),
        ("failed", False),
    ]
