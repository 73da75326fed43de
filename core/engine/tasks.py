"""`run:` tasks: done by their command, then checked like every other claim."""

from collections.abc import Callable
from datetime import timedelta

from core.actions.shell import after_command
from core.engine.announce import AtOnce
from core.engine.history import report_of
from core.engine.plan import occurrence_of
from core.engine.running import showing_lines
from core.engine.variables import Variables
from core.engine.verify import Claimed, Measured, Verifier, file_changes
from core.model.document import Task
from core.model.errors import HeartbeatError
from core.model.evidence import Act, Claim, FileChange, Said
from core.model.item import ItemKind
from core.model.light_dataclass import replace
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.process import Command, Ending, How
from core.model.report import TellProgress
from core.model.waiting import Wait, WaitReason
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.redacting import without_tokens
from core.rules.variables import as_shell

MOST_OUTPUT = 4000  # characters of a command's output in the evidence, its end


def run_tasks(
    world: World,
    workspace: Workspace,
    plan: Plan,
    beat: int,
    progress: TellProgress,
    variables: Variables,
    at_once: AtOnce,
    stopped_by: str | None = None,
) -> list[Occurrence]:
    """Run the planned `run:` tasks and return how they ended: first all are done, then all are
    checked."""
    tasks = {task.id: task for task in workspace.document.tasks if task.run}
    due = [item for item in plan.runs if item.kind is ItemKind.TASK and item.id in tasks]
    if not due:
        return []

    verifier = Verifier(world, workspace, beat, plan.now, progress)
    run = _Tasks(world, plan, beat, progress, verifier, variables, at_once)
    for item in due:
        if stopped_by is not None:
            run.hold(item, Wait(WaitReason.STOPPED_BY, (stopped_by,)))
        elif not world.cancelled.is_set():
            run.do(item, tasks[item.id])

    measured = [run.measured(one) for one in run.claimed]
    return [*run.held, *run.verifier.record(measured)]


class _Tasks:
    def __init__(
        self,
        world: World,
        plan: Plan,
        beat: int,
        progress: TellProgress,
        verifier: Verifier,
        variables: Variables,
        at_once: AtOnce,
    ) -> None:
        self.world = world
        self.plan = plan
        self.beat = beat
        self.progress = progress
        self.verifier = verifier
        self.variables = variables
        self.at_once = at_once  # announces what failed

        self.claimed: list[Claimed] = []
        self.held: list[Occurrence] = []
        self.files = world.file_inspector.fingerprints()

    def hold(self, item: Planned, wait: Wait, outcome: Outcome = Outcome.WAITING) -> None:
        assert item.slot
        occurrence = occurrence_of(item, item.slot, self.beat)
        self.held.append(
            self.world.ledger.occurrences.wait(occurrence, outcome, wait, self.plan.now)
        )

    def do(self, item: Planned, task: Task) -> None:
        """Run the command, committed before its effect and after it."""
        assert item.slot
        assert task.run
        if wait := self.verifier.approved.reason_to_wait(item.key):
            self.hold(item, wait, Outcome.NEEDS_APPROVAL)
            return

        claimed = self.world.ledger.occurrences.claim(
            occurrence_of(item, item.slot, self.beat), self.plan.now
        )
        if claimed is None:
            return

        started = self.world.ledger.occurrences.start(claimed, self.verifier.now())
        self.progress(task.id, None)
        self.verifier.prepare(task)
        with showing_lines(self.world, started.item, self.variables) as show:
            ending = self._run(task.run, task.timeout, show)

        done = after_command(ending, task.timeout)
        # What printed nothing has said nothing, so nothing is shown as its claim.
        result = self.variables.as_record(done.result) if ending.last_line else ""
        error = self.variables.as_record(done.error)
        finished = self.world.ledger.occurrences.finish(
            started,
            done.outcome,
            self.verifier.now(),
            result=result,
            error=error,
            cause=self.variables.as_records(done.cause),
        )
        if done.outcome is Outcome.FAILED:
            self.at_once(
                report_of(finished),
                self.verifier.now(),
                attempts_used_up=task.max_attempts if self.verifier.is_last_attempt(task) else 0,
            )

        act = Act(without_tokens(task.run), _shown(self.variables.without_secrets(ending.output)))
        claim = Claim(_SAID.get(done.outcome, Said.FAILED), result or error)
        self.claimed.append(
            Claimed(task, finished, claim, (act,), self._changes(), ending.exit_code)
        )

    def _run(self, line: str, timeout: timedelta, show: Callable[[str], None]) -> Ending:
        try:
            line, variables = as_shell(line, self.variables.look_up)
        except HeartbeatError as error:  # a secret that the keyring does not give
            return Ending(How.COULD_NOT_START, None, error.message, timedelta())

        command = Command(line, self.world.root, timeout, variables)
        return self.world.processes.run(command, self.world.cancelled, show)

    def measured(self, one: Claimed) -> Measured:
        """The measurement, without the secrets that a check may have printed."""
        measured = self.verifier.measure(one)
        hide = self.variables.without_secrets
        found = measured.measurement
        values = {
            name: hide(value) if isinstance(value, str) else value
            for name, value in found.values.items()
        }

        facts = tuple(hide(one) for one in found.found)
        hidden = replace(found, words=hide(found.words), values=values, found=facts)
        return replace(measured, measurement=hidden)

    def _changes(self) -> tuple[FileChange, ...]:
        """What has changed in the workspace since the last call."""
        before, self.files = self.files, self.world.file_inspector.fingerprints()
        return file_changes(before, self.files)


_SAID = {
    Outcome.COMPLETED: Said.DONE,
    Outcome.FAILED: Said.FAILED,
    Outcome.INTERRUPTED: Said.CUT_OFF,
}


def _shown(output: str) -> str:
    text = without_tokens(output.strip())
    return text if len(text) <= MOST_OUTPUT else "…" + text[-MOST_OUTPUT:]
