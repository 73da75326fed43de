"""`run:` tasks: done by their command, then checked as whatever else is claimed."""

from dataclasses import dataclass, field
from datetime import timedelta

from core.engine.action_types import after_command
from core.engine.planning import occurrence_of
from core.engine.verifying import Claimed, Progress, Verifier, file_changes
from core.engine.world import World
from core.model.document import Task
from core.model.evidence import Act, Claim, FileChange, Said
from core.model.item import Kind
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.process import Command, Ending
from core.model.workspace import Workspace
from core.rules.ordering import stop_reason
from core.rules.redacting import without_tokens

TIME_LIMIT = timedelta(minutes=5)
MOST_OUTPUT = 4000  # characters of a command's output in the evidence, its end


def run_tasks(
    world: World, workspace: Workspace, plan: Plan, beat: int, progress: Progress, stopped_by: str = ""
) -> list[Occurrence]:
    """What became of every `run:` task that was to run: all are done first, then all are checked."""
    tasks = {task.id: task for task in workspace.document.tasks if task.run}
    due = [item for item in plan.runs if item.kind is Kind.TASK and item.id in tasks]
    if not due:
        return []
    run = _Tasks(world, plan, beat, progress, Verifier(world, workspace, beat, plan.now, progress))
    for item in due:
        if stopped_by:
            run.hold(item, stop_reason(stopped_by))
        elif not world.cancelled.is_set():
            run.do(item, tasks[item.id])
    measured = [run.verifier.measure(one) for one in run.claimed]
    return [*run.held, *run.verifier.record(measured)]


@dataclass
class _Tasks:
    world: World
    plan: Plan
    beat: int
    progress: Progress
    verifier: Verifier
    claimed: list[Claimed] = field(default_factory=list)
    held: list[Occurrence] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.files = self.world.file_look.fingerprints()

    def hold(self, item: Planned, reason: str, outcome: Outcome = Outcome.WAITING) -> None:
        assert item.slot
        occurrence = occurrence_of(item, item.slot, self.beat)
        self.held.append(self.world.ledger.wait(occurrence, outcome, reason, self.plan.now))

    def do(self, item: Planned, task: Task) -> None:
        """Run the command, committed before its effect and after it."""
        assert item.slot
        assert task.run
        if why := self.verifier.approved.reason_to_wait(item.key):
            self.hold(item, why, Outcome.NEEDS_APPROVAL)
            return
        claimed = self.world.ledger.claim(occurrence_of(item, item.slot, self.beat), self.plan.now)
        if claimed is None:
            return
        started = self.world.ledger.start(claimed, self.verifier.now())
        self.progress(task.id, None)
        self.verifier.look_before(task)
        ending = self.world.processes.run(Command(task.run, self.world.root, TIME_LIMIT), self.world.cancelled)
        done = after_command(ending, TIME_LIMIT)
        now = self.verifier.now()
        finished = self.world.ledger.finish(started, done.outcome, now, result=done.result, error=done.error)
        act = Act(without_tokens(task.run), _shown_output(ending))
        claim = Claim(_SAID.get(done.outcome, Said.FAILED), done.result or done.error)
        self.claimed.append(Claimed(task, finished, claim, (act,), self._changes(), ending.exit_code))

    def _changes(self) -> tuple[FileChange, ...]:
        """What has changed in the workspace since the last look."""
        before, self.files = self.files, self.world.file_look.fingerprints()
        return file_changes(before, self.files)


_SAID = {Outcome.COMPLETED: Said.DONE, Outcome.FAILED: Said.FAILED, Outcome.INTERRUPTED: Said.CUT_OFF}


def _shown_output(ending: Ending) -> str:
    text = without_tokens(ending.output.strip())
    return text if len(text) <= MOST_OUTPUT else "…" + text[-MOST_OUTPUT:]
