"""Compares what executes with what the person approved: what may run, what waits, and what is
approved by saving alone."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from core.engine.read import read_workspace
from core.kinds import executables_of
from core.model.approval import (
    OUTSIDE,
    Approval,
    ApprovedBy,
    Executable,
    ExecutableKind,
    Reviewed,
    ReviewState,
)
from core.model.occurrence import Outcome
from core.model.plan import Decision, Plan
from core.model.report import Notice, NoticeKind
from core.model.settings import McpServer
from core.model.trouble import TroubleKey, TroubleKind
from core.model.waiting import LOCKED, Wait, WaitReason
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.approving.approval import (
    approval_of,
    approved_by_saving,
    inspection_of,
    review,
    waits_for_approval,
)
from core.rules.approving.model_tasks import tasks_by_model

RECENT_BEATS = 10
NOT_BELIEVED = TroubleKey(TroubleKind.APPROVALS_FILE)
UNCHECKED = "its approval cannot be checked here"
MOST_NAMED = 20  # of what waits, in the note of a plan


def review_now(
    world: World, workspace: Workspace, given: Mapping[str, Approval]
) -> tuple[Reviewed, ...]:
    """Everything that executes, compared with what was approved."""
    return _review(world, _all_executables(world, workspace), given)


def _all_executables(world: World, workspace: Workspace) -> tuple[Executable, ...]:
    """What executes, and the tasks that the model added."""
    added = tasks_by_model(workspace, world.ledger.approvals.model_tasks())
    return (*executables_of(workspace, world.settings), *added)


def _review(
    world: World, executables: Collection[Executable], given: Mapping[str, Approval]
) -> tuple[Reviewed, ...]:
    found = world.scripts.find({candidate for one in executables for candidate in one.candidates})
    return tuple(review(one, found, world.approvals.place, given) for one in executables)


def approved_servers(world: World, workspace: Workspace) -> dict[str, McpServer]:
    """The MCP servers that the person has approved as they are in the settings."""
    approved = {
        one.executable.id
        for one in review_now(world, workspace, world.approvals.proven().approvals)
        if one.executable.kind is ExecutableKind.SERVER and not one.waits
    }

    return {name: one for name, one in world.settings.mcp_servers.items() if name in approved}


class ApprovalsNoted(NamedTuple):
    waiting: int
    names: tuple[str, ...]  # the ids of what waits, the first of them
    scripts: tuple[str, ...]  # worth watching


def approvals_noted(world: World, workspace: Workspace) -> ApprovalsNoted:
    """For the note of the plan: what waits for the person, and which scripts are worth watching.
    The seal is not checked: that would ask the keyring after every change of the file."""
    reviewed = review_now(world, workspace, world.approvals.noted())
    scripts = {
        script.name for one in reviewed for script in one.scripts if script.digest != OUTSIDE
    }
    waiting = [one.executable.id for one in reviewed if one.waits]
    names = list(dict.fromkeys(waiting))[:MOST_NAMED]

    return ApprovalsNoted(len(waiting), tuple(names), tuple(sorted(scripts)))


def changed_since_approved(world: World, workspace: Workspace) -> frozenset[str]:
    """The items that were changed since the person approved them: what they did before says
    nothing about them."""
    reviewed = review_now(world, workspace, world.approvals.noted())
    return frozenset(one.key for one in reviewed if one.standing is ReviewState.CHANGED)


def unapproved(world: World, workspace: Workspace, plan: Plan) -> dict[str, Wait]:
    """Why items that the plan would run may not run, by key. The seal is checked only where there
    is something to run."""
    executables = _all_executables(world, workspace)
    due = {
        item.key
        for item in plan.items
        if item.decision is Decision.RUN or item.held_as is Outcome.NEEDS_MODEL
    }

    needed = [one for one in executables if not due.isdisjoint(one.needed_by)]
    concerned = due & {item for one in needed for item in one.needed_by}
    if not concerned:
        return {}

    given = world.approvals.proven()
    if given.trouble and given.trouble.is_locked:
        # Nothing runs on a record that cannot be checked. It still tells what the person has to
        # approve from what is only unchecked here.
        unchecked = dict.fromkeys(concerned, Wait(WaitReason.UNAPPROVED, (LOCKED, UNCHECKED)))
        noted = waits_for_approval(_review(world, needed, world.approvals.noted()))
        return unchecked | {key: wait for key, wait in noted.items() if key in concerned}

    return waits_for_approval(_review(world, needed, given.approvals))


class StartCheck:
    """Asked right before each start: what ran earlier in the beat may have changed a script that
    this one names."""

    def __init__(self, world: World, workspace: Workspace) -> None:
        self._world = world
        self._workspace = workspace

    def reason_to_wait(self, item: str) -> Wait | None:
        """Why the item may not start; None if it may."""
        parts = self._parts.get(item)
        if not parts:
            return None

        return waits_for_approval(_review(self._world, parts, self._given)).get(item)

    def changed_scripts(self, item: str) -> frozenset[str]:
        """The scripts that the item names and that are not as the person approved them."""
        reviewed = _review(self._world, self._parts.get(item, ()), self._given)
        return frozenset(
            script.name
            for one in reviewed
            if one.key in self._given
            for script in {*one.scripts} ^ {*self._given[one.key].scripts}
        )

    @cached_property
    def _parts(self) -> dict[str, list[Executable]]:
        parts: dict[str, list[Executable]] = {}
        for one in _all_executables(self._world, self._workspace):
            for item in one.needed_by:
                parts.setdefault(item, []).append(one)

        return parts

    @cached_property
    def _given(self) -> Mapping[str, Approval]:
        return self._world.approvals.proven().approvals


def trouble_with_approvals(world: World, plan: Plan, now: datetime) -> Iterable[Notice]:
    """What to announce, once, where nothing counts as approved because the record cannot be
    trusted or checked."""
    if not any(item.held_as is Outcome.NEEDS_APPROVAL for item in plan.items):
        return ()

    trouble = world.approvals.proven().trouble
    if trouble is None:
        world.ledger.announcements.settle(NOT_BELIEVED)
        return ()

    is_news = world.ledger.announcements.announce(NOT_BELIEVED, trouble.cause, now)
    words = f"{trouble.problem.message} {trouble.problem.hint}"
    return (Notice(NoticeKind.APPROVALS, "Heartbeat", words),) if is_news else ()


def approve(world: World, chosen: Collection[Reviewed], by: ApprovedBy, now: datetime) -> None:
    world.approvals.give([approval_of(one, now, by) for one in chosen])


def inspect_approvals(
    world: World, workspace: Workspace, now: datetime, *, in_beat: bool = False
) -> None:
    """With `approval = "owner"`: approve what only the person can have written since the last
    inspection, and remember what is here now.

    A beat inspects before its first effect and after its last one. What changed while a beat or
    its batch was at work may be the model's.
    """
    if world.settings.approval != "owner":
        return

    reviewed = review_now(world, workspace, world.approvals.proven().approvals)
    beats = world.ledger.beats.recent(RECENT_BEATS)
    is_readable = workspace.snapshot is not None and not workspace.document.refused
    since = world.watched_since() if is_readable else None
    is_alone = not in_beat and world.model_lock.holder() is None
    if is_alone and (
        saved := approved_by_saving(
            reviewed, world.ledger.approvals.last_inspection(), since, beats
        )
    ):
        approve(world, saved, ApprovedBy.SAVING, now)

    world.ledger.approvals.save_inspection(inspection_of(reviewed, since, beats))


def inspect_approvals_after_beat(world: World, now: datetime) -> None:
    """After a beat's last effect: what has changed since its first inspection may be the model's,
    and waits."""
    if world.settings.approval == "owner":
        workspace = read_workspace(world)
        inspect_approvals(world, workspace, now, in_beat=True)
