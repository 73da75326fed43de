"""`shell`: a command line, as the person or in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from core.actions.runnable import Call, Done, RunnableType, completed, cut_off, failed
from core.model.action_type import Params, always, missing_in, no_flaws, text_in
from core.model.kinds import AS_YOU
from core.rules.timing.durations import duration_words
from core.rules.variables import as_shell, names_in

if TYPE_CHECKING:
    from datetime import timedelta

    from core.model.approval import Candidate
    from core.model.process import Ending
    from core.ports.world import World


def _missing(params: Params) -> tuple[str, ...]:
    return missing_in(params, "command")


def _candidates(params: Params) -> tuple[Candidate, ...]:
    from core.rules.approving.command_words import candidates_in  # only approvals need it

    return candidates_in(text_in(params, "command"), text_in(params, "working_dir"))


def _reach(params: Params, is_sandboxed: bool) -> tuple[str, ...]:
    place = text_in(params, "working_dir") or "the workspace"
    walls = AS_YOU
    if is_sandboxed:
        walls = "runs in the sandbox: it reaches the workspace and no network"

    if not names_in(place):
        return (f"starts in {place}", walls)

    # The folder decides which script a relative name runs.
    unknown = "that folder is known only when it runs"
    return (f"starts in {place}; {unknown}, and scripts in it are not part of the approval", walls)


def _summary(params: Params) -> str:
    return f"runs `{text_in(params, 'command')}`"


def _run(world: World, call: Call) -> Done:
    from core.model.process import Command
    from core.model.sandbox import Reach

    action = call.action
    line, variables = as_shell(call.text("command"), call.look_up)
    wanted = call.filled("working_dir")
    folder = world.files.folder(world.root, wanted) if wanted else world.root
    if folder is None:
        return failed("its working_dir is not a folder of the workspace", "working_dir", wanted)

    own = call.filled_table("env")
    command = Command(line, folder, action.timeout, {**own, **variables})
    if not action.sandbox:
        ending = world.processes.run(command, world.cancelled, call.on_line)
        return after_command(ending, action.timeout)

    state = world.sandbox.state()
    if not state.works:
        return failed(f"it asks for a sandbox, and none works here: {state.reason}", "no_sandbox")

    reach = Reach(world.root, protected=world.protected, hidden=world.hidden)
    done = world.sandbox.run(command, reach, world.cancelled, call.on_line)
    return after_command(done.ending, action.timeout)


def after_command(ending: Ending, timeout: timedelta) -> Done:
    """Say how the command ended: with its last line, or with the reason for its failure."""
    from core.model.process import How

    last = ending.last_line
    reason = f": {last}" if last else ""
    match ending.how:
        case How.EXITED if ending.exit_code == 0:
            return completed(last or "OK")
        case How.EXITED:
            error = f"exit code {ending.exit_code}{reason}"
            return failed(error, ending.how, str(ending.exit_code), last)
        case How.TIMED_OUT:
            error = f"it took longer than {duration_words(timeout)} and was stopped"
            return failed(error, ending.how, str(timeout))
        case How.CANCELLED:
            return cut_off()
        case How.COULD_NOT_START:
            return failed(f"it could not be started{reason}", ending.how, last)
        case _:
            assert_never(ending.how)


SHELL = RunnableType(
    name="shell",
    keys=("command", "working_dir", "env"),
    table_keys=("env",),
    command_keys=("command",),
    implied_by=("command",),
    missing=_missing,
    flaws=no_flaws,
    needs_approval=always,
    candidates=_candidates,
    reach=_reach,
    summary=_summary,
    displaces_files=False,
    message=None,
    run=_run,
)
