"""What changes something: beats, plans, approvals, a new workspace, undo."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.bootstrap.places import assets, local_now, open_ledger, wake_resident
from core.bootstrap.reading import read_workspace, workspace_now
from core.bootstrap.worlds import _background, open_world
from core.model.errors import HeartbeatError

if TYPE_CHECKING:
    from core.engine.beat import Progress
    from core.engine.world import World
    from core.model.approval import Given, Judged
    from core.model.holder import Holder
    from core.model.plan import Plan, Planned, Wish
    from core.model.report import BeatReport
    from core.model.undo import Undone, UndoRefused
    from core.rules.simulating import Start


def make_workspace(root: Path) -> tuple[list[str], list[str]]:
    """Write the starter files that are not there yet, and approve what they execute: the names that were written, and
    those that were kept."""
    from core.adapters.starter import make_workspace
    from core.engine import approving
    from core.model.approval import ApprovedBy

    written, kept = make_workspace(root, assets())
    if written:
        world = open_world(root)
        ours = [one for one in judged(world)[0] if one.executable.file in written and one.waits]
        if ours:
            approving.approve(world, ours, ApprovedBy.INIT, world.clock.now())
    return written, kept


def judged(world: "World") -> "tuple[tuple[Judged, ...], Given]":
    """Everything that executes beside what was approved, and the approvals that count."""
    from core.engine.approving import judged_now

    given = world.approvals.proven()
    return judged_now(world, read_workspace(world.root), given.approvals), given


def approvals_waiting(root: Path) -> int:
    """How many wait for the person, due or not; the seal is not asked."""
    from core.engine.approving import judged_now

    world = open_world(root)
    return sum(one.waits for one in judged_now(world, read_workspace(root), world.approvals.noted()))


def approve(world: "World", chosen: "Sequence[Judged]") -> None:
    """The person's word for exactly what was judged."""
    from core.engine import approving
    from core.model.approval import ApprovedBy

    if chosen:
        approving.approve(world, chosen, ApprovedBy.PERSON, world.clock.now())
        _plan_anew(world)


def revoke(world: "World", keys: Collection[str]) -> None:
    world.approvals.take_back(keys)
    _plan_anew(world)


def _plan_anew(world: "World") -> None:
    """What may run has changed: say so in the plan, and let the always-on process look at it. A beat that is at work
    does the same when it ends."""
    from core.model.occurrence import BeatReason
    from core.model.plan import Wish

    plan_only(world, Wish(BeatReason.TIMER, resident_start=world.watched_since()))
    wake_resident(world.root)


def beat(world: "World", wish: "Wish") -> "BeatReport | Holder":
    from core.engine import beat as engine

    return engine.beat(world, wish)


def run_in_background(world: "World", item: str, slot: datetime) -> int:
    """A BG action in its own process."""
    from core.engine.background import run_in_background
    from core.model.holder import Holder

    held = _background(world.root, world.clock).hold(item)
    if isinstance(held, Holder):
        return 3
    with held:
        run_in_background(world, item, slot)
    return 0


def plan_only(world: "World", wish: "Wish") -> "Plan | Holder":
    from core.engine.planning import plan_only

    return plan_only(world, wish)


def run_beat(world: "World", items: Sequence[str], progress: "Progress") -> "BeatReport | Holder":
    """A beat that the person asked for."""
    from core.engine import beat as engine
    from core.model.holder import Holder
    from core.model.occurrence import BeatReason
    from core.model.plan import Wish

    done = engine.beat(world, Wish(BeatReason.PERSON, tuple(items)), progress)
    if not isinstance(done, Holder):
        wake_resident(world.root)
    return done


def first_beat(root: Path) -> None:
    """The beat of a new workspace; what came of it waits for the always-on process to tell it."""
    from core.engine import beat as engine
    from core.engine.announcing import first_words
    from core.model.holder import Holder
    from core.model.occurrence import BeatReason
    from core.model.plan import Wish

    world = open_world(root)
    done = engine.beat(world, Wish(BeatReason.STARTUP))
    if not isinstance(done, Holder):
        world.ledger.leave_message(first_words(done, root))


def plan(root: Path, at: datetime | None = None, items: Sequence[str] | None = None) -> "Plan":
    """What would run now, or at a moment; with items: in a beat that the person asks for. Nothing is written."""
    from core.engine.planning import plan_now
    from core.engine.scoring import held_to_account
    from core.model.occurrence import BeatReason
    from core.model.plan import Wish
    from core.rules.residing import wake_after

    world, workspace = held_to_account(open_world(root), read_workspace(root), workspace_now(root))
    wish = Wish(BeatReason.TIMER) if items is None else Wish(BeatReason.PERSON, tuple(items))
    planned = plan_now(world, workspace, wish, at or world.clock.now(), remember=False)
    return replace(planned, next_wake=wake_after(world.ledger.paused(), planned.next_wake, planned.now))


def batch_prompt(root: Path, at: datetime | None = None) -> str:
    """Exactly what a model would be asked now, were one set up; nothing where nothing is due for one. Gates are not
    run, so what they would print is not in it."""
    from core.engine.batch_content import batch_of
    from core.engine.planning import moment_now
    from core.engine.scoring import held_to_account
    from core.model.occurrence import BeatReason
    from core.model.plan import Wish
    from core.rules.planning import due_for_model, make_plan

    world, workspace = held_to_account(open_world(root), read_workspace(root), workspace_now(root))
    moment = moment_now(world, workspace, Wish(BeatReason.TIMER), at or world.clock.now(), remember=False)
    plan = make_plan(workspace, moment)
    items = due_for_model(workspace, plan)
    return world.agent.prompt(batch_of(world, workspace, items, {}, plan.now)) if items else ""


def simulate(root: Path, length: timedelta) -> "list[Start]":
    from core.engine.planning import foresee

    return foresee(open_world(root), read_workspace(root), length)


def known_items(root: Path, items: Sequence[str], *, listed_by: str = "heartbeat show") -> tuple[str, ...]:
    """The ids or keys that these names mean, also as the file writes them; HeartbeatError where one means none."""
    if not items:
        return ()
    from core.rules.reading.tasks import identifier_of

    known = {name for item in plan(root).items for name in (item.id, item.key)}
    meant = [name if name in known else identifier_of(name) for name in items]
    unknown = [name for name, found in zip(items, meant, strict=True) if found not in known]
    if unknown:
        raise HeartbeatError(f"There is no item {', '.join(unknown)}.", f"See the ids of {root}: {listed_by}")
    return tuple(meant)


def undo(root: Path, which: str | None) -> "Undone | UndoRefused | Holder":
    """Take back what the last action did, or that of a beat (a number) or of an item."""
    from core.engine.undoing import undo

    beat = int(which) if which and which.isdigit() else None
    return undo(open_world(root), beat, None if beat is not None else which)


def retry(root: Path, name: str) -> "Planned":
    """Let an item that failed start anew: how it is planned now. HeartbeatError where it did not fail, or is ticked."""
    from core.engine.planning import retry
    from core.model.plan import Decision

    def planned() -> "Planned":
        return next(one for one in plan(root).items if name in (one.id, one.key))

    item = planned()
    if not retry(open_ledger(root), item.id, local_now(root)):
        hint = f"To run it all the same: heartbeat run {item.id}"
        raise HeartbeatError(f"{item.id} did not fail; {item.reason}.", hint)
    item = planned()
    if item.decision is Decision.SKIP:
        raise HeartbeatError(f"{item.id} does not start anew: {item.reason}.", "Change its line in the file.")
    wake_resident(root)
    return item
