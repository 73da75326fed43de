"""Holds what executes against what the person approved: what may run, what waits, what saving alone approves."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property

from core.engine.reading import read_workspace
from core.engine.world import World
from core.model.approval import OUTSIDE, Approval, ApprovedBy, Executable, Judged, Standing
from core.model.occurrence import Outcome
from core.model.plan import Decision, Plan
from core.model.report import Notice
from core.model.workspace import Workspace
from core.rules.permitting.approval import approval_of, approved_by_saving, judge, look_at, reasons_to_wait
from core.rules.permitting.executables import executables_of

BEATS_LOOKED_AT = 10
MOST_NAMED = 20  # of what waits, in the note of a plan


def judged_now(world: World, workspace: Workspace, given: Mapping[str, Approval]) -> tuple[Judged, ...]:
    """Everything that executes, as it stands at this moment."""
    return _judged(world, executables_of(workspace, world.settings), given)


def _judged(world: World, executables: Collection[Executable], given: Mapping[str, Approval]) -> tuple[Judged, ...]:
    found = world.scripts.look({candidate for one in executables for candidate in one.candidates})
    return tuple(judge(one, found, world.approvals.place, given) for one in executables)


def approvals_summary(world: World, workspace: Workspace) -> dict[str, object]:
    """For the note of the plan: what waits for the person, and which scripts are worth watching. The seal is not
    asked: that would cost a keyring at every change of the file."""
    judged = judged_now(world, workspace, world.approvals.noted())
    scripts = {script.name for one in judged for script in one.scripts if script.digest != OUTSIDE}
    waiting = [one.executable.id for one in judged if one.waits]
    names = list(dict.fromkeys(waiting))[:MOST_NAMED]
    return {"approvals_waiting": len(waiting), "unapproved": names, "scripts": sorted(scripts)}


def does_something_new(world: World, workspace: Workspace, item: str) -> bool:
    """Whether it was changed since the person approved it: what it did before says nothing about it."""
    judged = judged_now(world, workspace, world.approvals.noted())
    return any(one.key == item and one.standing is Standing.CHANGED for one in judged)


def unapproved(world: World, workspace: Workspace, plan: Plan) -> dict[str, str]:
    """Why items that the plan would run may not; the seal is checked only where there is something to run."""
    executables = executables_of(workspace, world.settings)
    due = {item.key for item in plan.items if item.decision is Decision.RUN or item.held_as is Outcome.NEEDS_MODEL}
    concerned = due & {item for one in executables for item in one.needed_by}
    if not concerned:
        return {}
    given = world.approvals.proven()
    if given.is_locked:
        return dict.fromkeys(concerned, given.trouble)
    return reasons_to_wait(_judged(world, executables, given.approvals))


class StartCheck:
    """Asked right before each start: what ran earlier in the beat may have changed a script that this one names."""

    def __init__(self, world: World, workspace: Workspace) -> None:
        self._world = world
        self._workspace = workspace

    def reason_to_wait(self, item: str) -> str:
        """Nothing where it may start."""
        parts = self._parts.get(item)
        return reasons_to_wait(_judged(self._world, parts, self._given)).get(item, "") if parts else ""

    @cached_property
    def _parts(self) -> dict[str, list[Executable]]:
        parts: dict[str, list[Executable]] = {}
        for one in executables_of(self._workspace, self._world.settings):
            for item in one.needed_by:
                parts.setdefault(item, []).append(one)
        return parts

    @cached_property
    def _given(self) -> Mapping[str, Approval]:
        return self._world.approvals.proven().approvals


def trouble_with_approvals(world: World, plan: Plan, now: datetime) -> Iterable[Notice]:
    """What is to be told, once, where nothing is approved because the record cannot be trusted or checked."""
    if not any(item.held_as is Outcome.NEEDS_APPROVAL for item in plan.items):
        return ()
    given = world.approvals.proven()
    if not given.trouble:
        world.ledger.is_over("approvals")
        return ()
    is_news = world.ledger.tell("approvals", given.trouble, now)
    return (Notice("approvals", "Heartbeat", f"{given.trouble} {given.hint}"),) if is_news else ()


def approve(world: World, chosen: Collection[Judged], by: ApprovedBy, now: datetime) -> None:
    world.approvals.give([approval_of(one, now, by) for one in chosen])


def look(world: World, workspace: Workspace, now: datetime, *, in_beat: bool = False) -> None:
    """With `approval = "owner"`: approve what the person alone can have written since the last look, and remember what
    is here now. A beat looks before its first effect and after its last one; what changed while one is at work, also
    with its batch, may be the agent's."""
    if world.settings.approval != "owner":
        return
    judged = judged_now(world, workspace, world.approvals.proven().approvals)
    beats = world.ledger.recent_beats(BEATS_LOOKED_AT)
    is_readable = workspace.snapshot is not None and not workspace.document.refused
    since = world.watched_since() if is_readable else None  # what shows up after that was not watched
    is_alone = not in_beat and world.model_lock.holder() is None
    if is_alone and (saved := approved_by_saving(judged, world.ledger.last_look(), since, beats)):
        approve(world, saved, ApprovedBy.SAVING, now)
    world.ledger.save_look(look_at(judged, since, beats))


def look_again(world: World, now: datetime) -> None:
    """After a beat's last effect: what has changed since its first look may be the agent's, and waits."""
    if world.settings.approval == "owner":
        workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
        look(world, workspace, now, in_beat=True)
