"""What each type of action does: `shell`, `http`, `file`, `notify`. Every ending is a value."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import assert_never

from core.engine.world import World
from core.model.diagnostic import Problem
from core.model.document import Action, ActionType
from core.model.file_work import FileDone, FileFailed, FileWork, Operation
from core.model.http import NoAnswer, Request
from core.model.occurrence import Outcome
from core.model.process import Command, Ending, How
from core.model.report import Notice
from core.model.sandbox import Reach
from core.rules.timing.durations import duration_words, read_duration
from core.rules.variables import as_shell, filled

DESKTOP = "desktop"
URGENCIES = ("low", "normal", "critical")


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended, in words that may still hold secrets and be of any length: Variables.as_record makes them fit."""

    outcome: Outcome
    result: str = ""
    error: str = ""


CUT_OFF = Done(Outcome.INTERRUPTED, error="it was ended before it was done")


LookUp = Callable[[str], str]  # the value of a variable such as `date`


def do(world: World, action: Action, beat: int, now: datetime, look_up: LookUp) -> Done:
    """Do what the action says."""
    match action.type:
        case ActionType.SHELL:
            return _shell(world, action, look_up)
        case ActionType.HTTP:
            return _http(world, action, look_up)
        case ActionType.FILE:
            return _file(world, action, beat, now, look_up)
        case ActionType.NOTIFY:
            problem = world.messenger.send(channel_of(action), notice_of(action, look_up), urgency_of(action))
            return Done(Outcome.FAILED, error=problem) if problem else Done(Outcome.COMPLETED, "OK")
        case None:
            return Done(Outcome.NEEDS_CLARIFICATION, error="its type is unclear")
        case _:
            assert_never(action.type)


def channel_of(action: Action) -> str:
    return _text(action, "channel") or DESKTOP


def urgency_of(action: Action) -> str:
    word = _text(action, "urgency").lower()
    return word if word in URGENCIES else "normal"


def notice_of(action: Action, look_up: LookUp) -> Notice:
    title = filled(_text(action, "title"), look_up) or action.name
    return Notice("action", title, filled(_text(action, "message"), look_up))


def _text(action: Action, key: str) -> str:
    value = action.params.get(key, "")
    return value if isinstance(value, str) else ""


def _table(action: Action, key: str) -> dict[str, str]:
    value = action.params.get(key, {})
    return {} if isinstance(value, str) else dict(value)


def _shell(world: World, action: Action, look_up: LookUp) -> Done:
    line, variables = as_shell(_text(action, "command"), look_up)
    wanted = filled(_text(action, "working_dir"), look_up)
    folder = world.files.folder(world.root, wanted) if wanted else world.root
    if folder is None:
        return Done(Outcome.FAILED, error="its working_dir is not a folder of the workspace")
    own = {name: filled(value, look_up) for name, value in _table(action, "env").items()}
    command = Command(line, folder, action.timeout, {**own, **variables})
    if not action.sandbox:
        return after_command(world.processes.run(command, world.cancelled), action.timeout)
    state = world.sandbox.state()
    if not state.works:
        return Done(Outcome.FAILED, error=f"it asks for a sandbox, and none works here: {state.reason}")
    reach = Reach(world.root, protected=world.protected, hidden=world.hidden)
    return after_command(world.sandbox.run(command, reach, world.cancelled).ending, action.timeout)


def after_command(ending: Ending, timeout: timedelta) -> Done:
    """The last line where it went well, the reason where it did not."""
    last = ending.last_line
    match ending.how:
        case How.EXITED if ending.exit_code == 0:
            return Done(Outcome.COMPLETED, last or "OK")
        case How.EXITED:
            return Done(Outcome.FAILED, error=f"exit code {ending.exit_code}" + (f": {last}" if last else ""))
        case How.TIMED_OUT:
            return Done(Outcome.FAILED, error=f"it took longer than {duration_words(timeout)} and was ended")
        case How.CANCELLED:
            return CUT_OFF
        case How.COULD_NOT_START:
            return Done(Outcome.FAILED, error="it could not be started" + (f": {last}" if last else ""))
        case _:
            assert_never(ending.how)


def _http(world: World, action: Action, look_up: LookUp) -> Done:
    url = filled(_text(action, "target") or _text(action, "url"), look_up)
    headers = {name: filled(value, look_up) for name, value in _table(action, "headers").items()}
    method = _text(action, "method").upper() or "GET"
    request = Request(method, url, headers, filled(_text(action, "body"), look_up), action.timeout)
    answer = world.http.send(request, world.cancelled)
    if isinstance(answer, NoAnswer):
        return CUT_OFF if world.cancelled.is_set() else Done(Outcome.FAILED, error=answer.reason)
    expected = _text(action, "expect_status")
    is_fine = str(answer.status) == expected.strip() if expected else 200 <= answer.status < 300
    if not is_fine:
        return Done(Outcome.FAILED, error=f"it answered {answer.status}" + (f", not {expected}" if expected else ""))
    wanted = filled(_text(action, "expect_body"), look_up)
    if wanted and wanted not in answer.body:
        return Done(Outcome.FAILED, error=f"the answer lacks “{_text(action, 'expect_body')}”")
    return Done(Outcome.COMPLETED, f"OK ({answer.status})")


def _file(world: World, action: Action, beat: int, now: datetime, look_up: LookUp) -> Done:
    older = read_duration(_text(action, "older_than")) if action.params.get("older_than") else None
    if isinstance(older, Problem):
        return Done(Outcome.NEEDS_CLARIFICATION, error=older.message)
    work = FileWork(
        operation=Operation(_text(action, "operation").lower()),
        path=filled(_text(action, "source") or _text(action, "path"), look_up),
        destination=filled(_text(action, "destination"), look_up),
        pattern=filled(_text(action, "pattern"), look_up),
        content=filled(_text(action, "content"), look_up),
        older_than=older,
    )
    match world.file_worker.do(work, world.undo.open(beat, action.id), now):
        case FileDone(result):
            return Done(Outcome.COMPLETED, result)
        case FileFailed(reason):
            return Done(Outcome.FAILED, error=reason)
