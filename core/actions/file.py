"""`file`: reads, writes, moves or removes files of the workspace; what it displaces is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from core.actions.runnable import Call, Done, RunnableType, completed, failed, unclear
from core.model.action_type import Flaw, Params, always, missing_in, runs_no_file, text_in
from core.model.diagnostic import Problem
from core.rules.printable import shown
from core.rules.timing.durations import read_duration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from core.model.file_work import Operation
    from core.ports.world import World


# Words of other systems; by its letters `remove` is nearest to `move`.
MEANT = {
    **dict.fromkeys(("remove", "rm", "unlink", "del", "erase"), "delete"),
    **dict.fromkeys(("rename", "mv"), "move"),
    "cp": "copy",
}
PLACES = ("path", "source", "destination", "pattern")  # the keys that name a place


def _operations() -> tuple[str, ...]:
    from core.model.file_work import Operation  # only files with such an action need it

    return tuple(str(one) for one in Operation)


def _operation(params: Params) -> Operation | None:
    from core.model.file_work import Operation

    word = text_in(params, "operation").lower()
    return Operation(word) if word in _operations() else None


def _missing(params: Params) -> tuple[str, ...]:
    from core.model.file_work import Operation

    if not text_in(params, "operation"):
        return ("operation",)

    operation = _operation(params)
    match operation:
        case None:
            return ()  # a flaw: there is no such operation
        case Operation.MOVE | Operation.COPY:
            has_source = params.get("path") or params.get("pattern")
            source = () if has_source else missing_in(params, "source")
            return (*source, *missing_in(params, "destination"))
        case Operation.WRITE | Operation.APPEND:
            content = () if "content" in params else ("content",)  # it may be empty
            return (*missing_in(params, "path"), *content)
        case Operation.DELETE:
            return () if params.get("pattern") else missing_in(params, "path")
        case Operation.READ | Operation.MKDIR:
            return missing_in(params, "path")
        case _:
            assert_never(operation)


def _flaws(params: Params) -> Iterator[Flaw]:
    word = text_in(params, "operation")
    if word and _operation(params) is None:
        message = f"`{shown(word)}` is not an operation on a file."
        meant = MEANT.get(word.lower())
        hint = f"Did you mean `{meant}`?" if meant else ""
        yield Flaw("HB309", "operation", message, hint, known=_operations())

    for key in PLACES:
        written = text_in(params, key)
        if written and _leaves(written):
            message = f"`{shown(written)}` is not inside the workspace."
            hint = "Write a path inside the workspace, or use a shell action for files elsewhere."
            yield Flaw("HB322", key, message, hint)

    older = _older_than(params)
    if isinstance(older, Problem):
        yield Flaw("HB320", "older_than", older.message, older.hint)


def _leaves(written: str) -> bool:
    """Whether the text alone shows that the path is outside; where an absolute one or a link leads
    is known only in the workspace."""
    depth = 0
    for part in written.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0 and not written.startswith("/"):
            return True

    return written.startswith("~")


def _older_than(params: Params) -> timedelta | Problem | None:
    written = text_in(params, "older_than")
    return read_duration(written) if written else None


def _reach(_: Params, __: bool) -> tuple[str, ...]:
    inside = "changes files inside the workspace only"
    return (f"{inside}; what it deletes or overwrites can be brought back",)


def _summary(params: Params) -> str:
    place = params.get("source") or params.get("path") or params.get("pattern") or ""
    return f"file {params.get('operation', '')} {place}".rstrip()


def _run(world: World, call: Call) -> Done:
    from core.model.file_work import FileDone, FileFailed, FileWork, Operation

    older = _older_than(call.action.params)
    if isinstance(older, Problem):
        return unclear(older.message, "older_than", call.text("older_than"))

    work = FileWork(
        operation=Operation(call.text("operation").lower()),
        path=call.filled("source" if call.text("source") else "path"),
        destination=call.filled("destination"),
        pattern=call.filled("pattern"),
        content=call.filled("content"),
        older_than=older,
    )
    undo = world.undo.open(call.beat, call.action.id)
    done = world.file_worker.do(work, undo, call.now)
    match done:
        case FileDone(result):
            return completed(result)
        case FileFailed(reason, cause):
            return failed(reason, "file", *cause)
        case _:
            assert_never(done)


FILE = RunnableType(
    name="file",
    keys=("operation", "path", "source", "destination", "pattern", "content", "older_than"),
    table_keys=(),
    command_keys=(),
    implied_by=(),
    missing=_missing,
    flaws=_flaws,
    needs_approval=always,
    candidates=runs_no_file,
    reach=_reach,
    summary=_summary,
    displaces_files=True,
    message=None,
    run=_run,
)
