"""What happened, as the ledger has it: the history, receipts, what a model used, and the score with
the person's feedback."""

from collections.abc import Sequence
from datetime import date

from core.engine.account import differences, score_now, todays_movers
from core.engine.history import history_of, receipts_of, use_of
from core.model.agent import ModelUse, Usage
from core.model.evidence import Evidence
from core.model.ledger import DayScore
from core.model.light_dataclass import replace
from core.model.occurrence import Occurrence, Outcome, Verdict
from core.model.score import Mover, Score
from core.rules.budgeting import RECENT, average_use
from core.rules.scoring.days import THUMBS_DOWN, THUMBS_UP
from core.services import Services
from core.usecases.planning import plan
from core.usecases.reading import workspace_now
from core.usecases.workspaces import shows_level


def history(
    services: Services,
    item: str | None,
    day: date | None = None,
    outcome: Outcome | None = None,
    limit: int = 20,
    verdict: Verdict | None = None,
) -> Sequence[Occurrence]:
    """What happened, newest first."""
    return history_of(services.ledger, item, day, outcome, verdict, limit)


def receipts(
    services: Services, item: str | None, beat: int
) -> list[tuple[Occurrence, Evidence | None]]:
    """What a beat recorded, with the evidence."""
    return receipts_of(services.ledger, item, beat)


def model_use(services: Services, beat: int) -> ModelUse | None:
    """What the batch of a beat used; None if it had none."""
    return use_of(services.ledger, beat)


def average_batch(services: Services) -> Usage | None:
    """What a batch used lately, on average; None if none ever ran."""
    return average_use(services.ledger.model_use.history(limit=RECENT))


def last_beat(services: Services) -> int:
    """The number of the newest beat; 0 before the first."""
    beats = services.ledger.beats.recent(1)
    return beats[0].number if beats else 0


def score(services: Services) -> tuple[Score, list[Mover]]:
    """The score, and what moved it today, biggest first."""
    now = workspace_now(services)
    found = score_now(services.ledger, now)
    shown = found if shows_level(services) else replace(found, level=None)

    return shown, todays_movers(services.ledger, now.date())


def score_differences(services: Services) -> list[tuple[DayScore, DayScore]]:
    """The days whose stored sums differ from their verdicts: as stored, and as recomputed."""
    today = workspace_now(services).date()
    return differences(services.ledger, today, services.settings.history_days)


def give_feedback(services: Services, item: str | None, *, is_up: bool) -> tuple[int, int]:
    """Record the person's thumb for an item or the day. Return its points, and the day's score
    with them."""
    now = workspace_now(services)
    points = THUMBS_UP if is_up else THUMBS_DOWN
    services.ledger.scores.give_feedback(_key_of(services, item) if item else "", points, now)

    return points, score_now(services.ledger, now).today.score


def _key_of(services: Services, item: str) -> str:
    return next((one.key for one in plan(services).items if item in (one.id, one.key)), "")
