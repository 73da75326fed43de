"""`file`: what each operation needs, what an approval of it covers, what it does, and that it can
be undone."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from core.actions.file import FILE
from core.actions.runnable import Call, Done
from core.model.action_type import Params
from core.model.approval import ReviewState
from core.model.errors import HeartbeatError
from core.model.file_work import FileWork, Operation, Undone, UndoRefused
from core.model.occurrence import Outcome
from tests.fakes.files import FakeFileWorker, FakeUndo
from tests.fakes.outside import no_secret
from tests.fakes.world import FakeWorld
from tests.unit.actions.written_action import (
    BEAT,
    NOW,
    action,
    call,
    codes,
    document,
    executables,
    reach,
    state_after_change,
)

BEFORE = {"a.log": "first", "b.log": "second", "plan.md": "the plan"}
OPERATIONS = ("read", "write", "append", "delete", "move", "copy", "mkdir")


class Ground:
    """A world with a workspace of three files, and what was displaced there."""

    def __init__(self) -> None:
        self.files = dict(BEFORE)
        self.worker = FakeFileWorker(self.files)
        self.undo = FakeUndo(self.files)
        self.world = FakeWorld(file_worker=self.worker, undo=self.undo)

    def run(self, params: Params, values: Mapping[str, str] | None = None) -> Done:
        return FILE.run(self.world, call(FILE, params, values=values))


@pytest.fixture
def ground() -> Ground:
    return Ground()


# -- how it is written -----------------------------------------------------------------------------


def test_it_takes_an_operation_and_what_it_is_done_to() -> None:
    keys = {
        "operation": "move",
        "path": "a.log",
        "source": "b.log",
        "destination": "old/",
        "pattern": "*.log",
        "content": "text",
        "older_than": "7d",
    }
    lines = "\n".join(["type: file", *(f"{key}: {value}" for key, value in keys.items())])
    assert codes(lines) == []
    assert action(lines).params == keys


def test_an_operation_alone_does_not_make_it_a_file_action() -> None:
    assert action("operation: delete\npath: a.log").type is None


@pytest.mark.parametrize(
    ("params", "missing"),
    [
        ({}, ("operation",)),
        ({"path": "a"}, ("operation",)),
        ({"operation": "read"}, ("path",)),
        ({"operation": "read", "path": "a"}, ()),
        ({"operation": "mkdir"}, ("path",)),
        ({"operation": "mkdir", "path": "a"}, ()),
        ({"operation": "write"}, ("path", "content")),
        ({"operation": "write", "path": "a"}, ("content",)),
        ({"operation": "write", "content": "x"}, ("path",)),
        ({"operation": "write", "path": "a", "content": ""}, ()),
        ({"operation": "append", "path": "a"}, ("content",)),
        ({"operation": "append", "path": "a", "content": "x"}, ()),
        ({"operation": "delete"}, ("path",)),
        ({"operation": "delete", "path": "a"}, ()),
        ({"operation": "delete", "pattern": "*.log"}, ()),
        ({"operation": "move"}, ("source", "destination")),
        ({"operation": "move", "source": "a"}, ("destination",)),
        ({"operation": "move", "destination": "b"}, ("source",)),
        ({"operation": "move", "source": "a", "destination": "b"}, ()),
        ({"operation": "copy", "path": "a", "destination": "b"}, ()),
        ({"operation": "copy", "pattern": "*.log", "destination": "b"}, ()),
        ({"operation": "copy", "pattern": "*.log"}, ("destination",)),
        ({"operation": "MOVE", "source": "a"}, ("destination",)),
    ],
)
def test_each_operation_says_what_it_cannot_be_done_without(
    params: Params, missing: tuple[str, ...]
) -> None:
    assert FILE.missing(params) == missing


def test_what_is_missing_keeps_it_from_running() -> None:
    lines = "type: file\noperation: write\npath: a.txt"
    assert codes(lines) == ["HB304"]
    assert "`content`" in str(action(lines).unclear)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_there_are_seven_operations_in_any_letter_case(operation: str) -> None:
    for word in (operation, operation.upper()):
        assert [*FILE.flaws({"operation": word})] == []


def test_another_operation_is_an_error_that_names_the_nearest_one() -> None:
    found = document("type: file\noperation: wirte\npath: a.txt")
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.line, diagnostic.severity) == ("HB309", 5, "error")
    assert diagnostic.message == "`wirte` is not an operation on a file."
    assert diagnostic.hint == "Did you mean `write`?"
    assert found.actions[0].unclear


def test_what_other_systems_call_an_operation_is_known() -> None:
    for word, meant in {"remove": "delete", "RM": "delete", "rename": "move", "cp": "copy"}.items():
        (diagnostic,) = document(f"type: file\noperation: {word}\npath: a.txt").diagnostics
        assert diagnostic.hint == f"Did you mean `{meant}`?"


def test_an_age_that_cannot_be_read_is_an_error_where_it_is_written() -> None:
    found = document("type: file\noperation: delete\npattern: *.log\nolder_than: soon")
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.line, diagnostic.severity) == ("HB320", 7, "error")
    assert diagnostic.message == "`soon` is not a duration."
    assert found.actions[0].unclear


def test_of_path_and_source_the_person_reads_the_one_that_is_used(ground: Ground) -> None:
    params = {"operation": "copy", "path": "unused.log", "source": "a.log", "destination": "b"}
    ground.run(params)
    assert [one.path for one in ground.worker.asked] == ["a.log"]
    assert FILE.summary(params) == "file copy a.log"


def test_an_operation_that_is_like_none_gets_all_of_them() -> None:
    (diagnostic,) = document("type: file\noperation: zip\npath: a.txt").diagnostics
    assert diagnostic.hint == f"Write one of: {', '.join(OPERATIONS)}."


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"operation": "write", "path": "a.txt", "content": "x"}, "file write a.txt"),
        ({"operation": "move", "source": "a", "destination": "b"}, "file move a"),
        ({"operation": "delete", "pattern": "*.log"}, "file delete *.log"),
    ],
)
def test_a_person_reads_what_it_does_to_which_file(params: Params, words: str) -> None:
    assert FILE.summary(params) == words


# -- what an approval covers -----------------------------------------------------------------------

WRITTEN = """
type: file
operation: move
path: logs
source: jobs
destination: old
pattern: *.log
content: text
older_than: 9d
timeout: 1m
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("operation: move", "operation: copy"),
        ("path: logs", "path: mail"),
        ("source: jobs", "source: mail"),
        ("source: jobs\n", ""),
        ("destination: old", "destination: mail"),
        ("pattern: *.log", "pattern: *"),
        ("content: text", "content: other"),
        ("older_than: 9d", "older_than: 0s"),
        ("older_than: 9d\n", ""),
    ],
)
def test_it_waits_again_when_what_it_does_has_changed(old: str, new: str) -> None:
    assert old in WRITTEN
    assert state_after_change(WRITTEN, WRITTEN.replace(old, new)) is ReviewState.CHANGED


def test_it_stays_approved_when_only_its_schedule_has_changed() -> None:
    after = WRITTEN.replace("timeout: 1m", "schedule: daily:09:00")
    assert state_after_change(WRITTEN, after) is ReviewState.APPROVED


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_needs_an_approval_and_runs_no_command(operation: str) -> None:
    (one,) = executables(WRITTEN.replace("operation: move", f"operation: {operation}"))
    assert (one.commands, one.candidates) == ((), ())


def test_a_person_is_told_that_it_stays_inside_and_can_be_undone() -> None:
    assert reach(WRITTEN) == (
        "changes files inside the workspace only; what it deletes or overwrites can be brought back",
    )


# -- what it does ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "result", "after"),
    [
        (
            {"operation": "write", "path": "new.md", "content": "x"},
            "OK",
            {**BEFORE, "new.md": "x"},
        ),
        (
            {"operation": "WRITE", "path": "plan.md", "content": ""},
            "OK",
            {**BEFORE, "plan.md": ""},
        ),
        (
            {"operation": "append", "path": "a.log", "content": "!"},
            "OK",
            {**BEFORE, "a.log": "first!"},
        ),
        (
            {"operation": "delete", "path": "a.log"},
            "1 file",
            {"b.log": "second", "plan.md": "the plan"},
        ),
        ({"operation": "delete", "pattern": "*.log"}, "2 files", {"plan.md": "the plan"}),
        (
            {"operation": "move", "source": "a.log", "destination": "old.log"},
            "1 file",
            {"b.log": "second", "plan.md": "the plan", "old.log": "first"},
        ),
        (
            {"operation": "move", "path": "a.log", "destination": "old.log"},
            "1 file",
            {"b.log": "second", "plan.md": "the plan", "old.log": "first"},
        ),
        (
            {"operation": "copy", "pattern": "*.log", "destination": "old"},
            "2 files",
            {**BEFORE, "old/a.log": "first", "old/b.log": "second"},
        ),
    ],
)
def test_it_is_done_and_undone_as_the_step_of_its_beat_and_action(
    ground: Ground, params: Params, result: str, after: Mapping[str, str]
) -> None:
    assert ground.run(params) == Done(Outcome.COMPLETED, result)
    assert ground.files == after

    assert isinstance(ground.undo.undo(BEAT + 1, "a"), UndoRefused)
    assert isinstance(ground.undo.undo(BEAT, "other"), UndoRefused)
    assert isinstance(ground.undo.undo(BEAT, "a"), Undone)
    assert ground.files == BEFORE


def test_reading_changes_nothing_and_says_how_much_there_is(ground: Ground) -> None:
    assert ground.run({"operation": "read", "path": "plan.md"}) == Done(
        Outcome.COMPLETED, "8 bytes"
    )
    assert ground.files == BEFORE


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_operation_is_asked_for_by_its_own_name(ground: Ground, operation: str) -> None:
    ground.run({"operation": operation, "path": "a.log", "destination": "x", "content": "y"})
    assert [one.operation for one in ground.worker.asked] == [Operation(operation)]


def test_everything_that_is_written_reaches_the_work_with_the_values_of_variables(
    ground: Ground,
) -> None:
    params = {
        "operation": "copy",
        "source": "logs-{{date}}",
        "destination": "old-{{date}}",
        "pattern": "{{date}}-*.log",
        "content": "on {{date}}",
        "older_than": "1d12h",
    }
    ground.run(params, values={"date": "16"})
    assert ground.worker.asked == [
        FileWork(
            Operation.COPY,
            path="logs-16",
            destination="old-16",
            pattern="16-*.log",
            content="on 16",
            older_than=timedelta(hours=36),
        )
    ]


def test_without_older_than_the_age_of_a_file_does_not_matter(ground: Ground) -> None:
    ground.run({"operation": "delete", "pattern": "*.log"})
    assert [one.older_than for one in ground.worker.asked] == [None]


# -- how it fails ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "error", "cause"),
    [
        (
            {"operation": "delete", "path": "none.md"},
            "none.md does not exist",
            ("file", "not_there", "none.md"),
        ),
        (
            {"operation": "read", "path": "none.md"},
            "none.md does not exist",
            ("file", "not_there", "none.md"),
        ),
        (
            {"operation": "write", "path": "../out.md", "content": "x"},
            "../out.md is not inside the workspace",
            ("file", "outside", "../out.md"),
        ),
        (
            {"operation": "copy", "source": "a.log", "destination": "/tmp/a.log"},
            "/tmp/a.log is not inside the workspace",
            ("file", "outside", "/tmp/a.log"),
        ),
    ],
)
def test_it_failed_when_the_file_is_missing_or_outside_the_workspace(
    ground: Ground, params: Params, error: str, cause: tuple[str, ...]
) -> None:
    assert ground.run(params) == Done(Outcome.FAILED, "", error, cause)
    assert ground.files == BEFORE
    assert isinstance(ground.undo.undo(None, None), UndoRefused)


@pytest.mark.parametrize("written", ["soon", "7", "7 days", "-1d"])
def test_an_age_that_cannot_be_read_touches_nothing_and_asks_the_person(
    ground: Ground, written: str
) -> None:
    done = ground.run({"operation": "delete", "pattern": "*", "older_than": written})

    assert done.outcome is Outcome.NEEDS_CLARIFICATION
    assert done.error == f"`{written}` is not a duration."
    assert done.cause == ("older_than", written)
    assert (ground.worker.asked, ground.undo.folders) == ([], [])


@pytest.mark.parametrize("key", ["path", "content"])
def test_nothing_is_touched_when_the_keyring_does_not_give_a_secret(
    ground: Ground, key: str
) -> None:
    params = {"operation": "write", "path": "plan.md", "content": "x", key: "{{secret:pin}}"}
    with pytest.raises(HeartbeatError):
        FILE.run(ground.world, Call(call(FILE, params).action, BEAT, NOW, no_secret))

    assert ground.files == BEFORE


@pytest.mark.parametrize(
    "place",
    [
        "path: ../x",
        "path: a/../../x",
        "path: ~/x",
        "path: a/b/../../../x",
        "path: ..\\\\x",
        "path: ..",
    ],
)
def test_a_path_that_leaves_the_workspace_is_told_and_does_not_run(place: str) -> None:
    found = document(f"type: file\noperation: read\n{place}")
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.severity) == ("HB322", "error")
    assert found.actions[0].unclear


@pytest.mark.parametrize("key", ["source", "destination", "path", "pattern"])
def test_every_key_that_names_a_place_is_looked_at(key: str) -> None:
    places = {"source": "a", "destination": "b", key: "../x"}
    lines = "\n".join(f"{name}: {value}" for name, value in places.items())
    found = document(f"type: file\noperation: move\n{lines}")
    assert "HB322" in [one.code for one in found.diagnostics]


@pytest.mark.parametrize("place", ["a/../b", "./a", "...", "a..b", "/somewhere/else"])
def test_a_path_of_which_the_text_alone_does_not_show_it_is_not_told(place: str) -> None:
    assert document(f"type: file\noperation: read\npath: {place}").diagnostics == ()
