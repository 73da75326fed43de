"""What one batch says to the model: what is due, what it should know, and what failed last time."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from core.engine.account import todays_score
from core.model.agent import Batch, BatchPrompt, BatchTask
from core.model.document import Format
from core.model.gate import GateResult
from core.model.item import PLAIN_ID, REVIEW_ID, ItemKind, item_key
from core.model.occurrence import Outcome, Verdict
from core.model.plan import Planned
from core.model.progress import TaskStatus
from core.model.status import TodaysScore
from core.model.workspace import Workspace
from core.model.workspace_file import Snapshot
from core.ports.world import World
from core.rules.approving.control_names import MEMORY_FILE
from core.rules.checking.progress import at_start, line_marks
from core.rules.printable import one_line
from core.rules.reading.sections import PATTERNS, PENDING, memory_section
from core.rules.reporting.delivering import is_delivered
from core.rules.reporting.session import session_summary

DAY = timedelta(days=1)
LOOKED_AT = 200  # occurrences among which each item's last ending is looked for
TRIES_LOOKED_AT = 5
LONGEST_FAILURE = 300


def batch_of(
    world: World,
    workspace: Workspace,
    items: Collection[Planned],
    gates: Mapping[str, GateResult],
    now: datetime,
) -> Batch:
    """Everything for these items, in one request."""
    document = workspace.document
    keys = {item.key for item in items}
    kinds = {item.kind for item in items}
    is_plain = item_key(ItemKind.PLAIN, PLAIN_ID) in keys
    has_review = item_key(ItemKind.REVIEW, REVIEW_ID) in keys
    memory = _memory(world)

    return Batch(
        now=now,
        context="" if document.format is Format.PLAIN else document.context,
        patterns=memory_section(memory, PATTERNS),
        pending=memory_section(memory, PENDING),
        session=_session(world, workspace, now),
        tasks=_tasks(world, workspace, keys),
        prompts=_prompts(workspace, keys, gates),
        plain=document.context if is_plain else "",
        is_kept=is_plain and not is_delivered(kinds, document.context, world.settings.deliver),
        review=(document.review or "") if has_review else "",
        delivered=_delivered(world, now) if has_review else (),
        score=score_line(
            todays_score(world.ledger, now),
            shows_level=world.settings.accountability.consequences,
        ),
    )


def _memory(world: World) -> str:
    read = world.files.read(world.root / MEMORY_FILE, world.root)
    return read.data.decode(errors="replace") if isinstance(read, Snapshot) else ""


def _session(world: World, workspace: Workspace, now: datetime) -> str:
    tasks = {item_key(ItemKind.TASK, task.id) for task in workspace.document.tasks if not task.run}
    prompts = {item_key(ItemKind.PROMPT, prompt.id) for prompt in workspace.prompts}
    others = {item_key(ItemKind.PLAIN, PLAIN_ID), item_key(ItemKind.REVIEW, REVIEW_ID)}
    past = world.ledger.occurrences.history(limit=LOOKED_AT)
    zone = now.tzinfo
    assert zone

    return session_summary(past, tasks | prompts | others, world.settings.session.max_tokens, zone)


def _tasks(world: World, workspace: Workspace, keys: Collection[str]) -> tuple[BatchTask, ...]:
    due = [task for task in workspace.document.tasks if item_key(ItemKind.TASK, task.id) in keys]
    marks = line_marks(workspace.document) if due else {}
    known = {one.task_id: one for one in world.ledger.tasks.progress().tasks}
    found: list[BatchTask] = []

    for task in due:
        before = at_start(task, marks[task.id], known.get(task.id))
        failed = before.attempts > 0 or known.get(task.id, before).status is TaskStatus.FAILED
        failure = _last_failure(world, item_key(ItemKind.TASK, task.id)) if failed else None
        found.append(
            BatchTask(task.id, task.description, task.required, task.verify, failure, task.details)
        )

    return tuple(found)


def _last_failure(world: World, key: str) -> str | None:
    """What went wrong last time, as it was measured; None if it went well."""
    for one in world.ledger.occurrences.history(item=key, limit=TRIES_LOOKED_AT):
        if one.finished is None or one.outcome is Outcome.WAITING:
            continue

        evidence = world.ledger.evidence.of(key, one.beat)
        if one.verdict in (Verdict.NOT_VERIFIED, Verdict.UNCLEAR) and evidence:
            return one_line(f"{evidence.reason}: {evidence.measurement.words}", LONGEST_FAILURE)

        return one_line(one.error, LONGEST_FAILURE) or None

    return None


def _prompts(
    workspace: Workspace, keys: Collection[str], gates: Mapping[str, GateResult]
) -> tuple[BatchPrompt, ...]:
    """By title, then id, as they were read."""
    due = [prompt for prompt in workspace.prompts if item_key(ItemKind.PROMPT, prompt.id) in keys]
    return tuple(
        BatchPrompt(
            one.id, one.title, one.body, gate.output if gate else "", gate.message if gate else ""
        )
        for one, gate in ((prompt, gates.get(prompt.id)) for prompt in due)
    )


def _delivered(world: World, now: datetime) -> tuple[str, ...]:
    return tuple(
        text
        for instant, text in world.ledger.announcements.current().delivered
        if now - DAY < instant <= now
    )


def score_line(score: TodaysScore, *, shows_level: bool) -> str:
    level = f", {score.level}" if score.level and shows_level else ""
    return f"{score.today} of {score.target} points today{level}; streak {score.streak}"
