"""What goes to a language model in one batch, and what comes back. Frozen values, no IO."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum

from core.model.diagnostic import Problem
from core.model.evidence import Act, Claim, Judgement
from core.model.light_dataclass import field, light_dataclass

EVERYTHING = "*"  # in the place of ids, which have no such character


@light_dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that would be asked."""

    provider: str  # anthropic, openai, openai-compatible, ollama, claude-code, codex or gemini
    model: str
    reason: str  # why this one: `it is in config.toml`, `the keyring has a key for it` …
    base_url: str = ""


@light_dataclass(frozen=True, slots=True)
class NoModel:
    """No model can be asked; the person can change that."""

    reason: str
    hint: str


@light_dataclass(frozen=True, slots=True)
class BatchTask:
    id: str
    description: str
    required: bool
    hint: str = ""  # how it will be checked
    last_failure: str | None = None  # what went wrong last time; None: nothing did
    details: str = ""  # the lines under it in the file


@light_dataclass(frozen=True, slots=True)
class BatchPrompt:
    id: str
    title: str
    body: str
    gate_output: str = ""
    message: str = ""  # in place of a gate's output: which permission its gate lacked


@light_dataclass(frozen=True, slots=True)
class Batch:
    """All that one request says.

    Parts that stay the same come first, parts that change (the time, what is due, the score) last.
    """

    now: datetime  # in the person's zone
    context: str = ""
    patterns: str = ""  # the two sections of the memory file
    pending: str = ""
    session: str = ""  # what to remember of earlier beats, bounded
    tasks: tuple[BatchTask, ...] = ()
    prompts: tuple[BatchPrompt, ...] = ()  # by title, then id
    plain: str = ""  # the plain file, verbatim
    is_kept: bool = False  # the last message goes into the history, and not to the person
    review: str = ""  # the review's prompt
    delivered: tuple[str, ...] = ()  # what the person was told in the last 24 hours; for the review
    score: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.tasks or self.prompts or self.plain or self.review)

    @property
    def only_review(self) -> bool:
        return bool(self.review) and not (self.tasks or self.prompts or self.plain)


@light_dataclass(frozen=True, slots=True)
class Limits:
    """What one batch may use; checked before each request."""

    requests: int
    tokens: int
    time: timedelta
    usd: float | None = None  # what is left of the day's money; None: no price is known


@light_dataclass(frozen=True, slots=True)
class Usage:
    requests: int = 0
    input_tokens: int = 0  # all of them, those from a cache too
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    usd: float | None = None  # None: no price is known
    cache_write_hour_tokens: int = 0  # of cache_write_tokens, those that are kept for an hour

    def __add__(self, other: "Usage") -> "Usage":
        known = [one.usd for one in (self, other) if one.usd is not None]
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            sum(known) if known else None,
            self.cache_write_hour_tokens + other.cache_write_hour_tokens,
        )


class BatchEnding(StrEnum):
    """The ledger keeps these words, so they stay."""

    FINISHED = "finished"  # the model had its last word
    UNREACHABLE = "unreachable"  # refused, no answer, or no answer that can be read
    OUT_OF_BUDGET = "out of budget"
    CANCELLED = "cancelled"


@light_dataclass(frozen=True, slots=True)
class BatchResult:
    """What the model did. Where it did not finish, what it had reported before still counts."""

    ending: BatchEnding
    reports: Mapping[str, Claim] = field(default_factory=dict)  # by task id, of the batch only
    acts: tuple[Act, ...] = ()  # every tool call, in order, capped and without secrets
    text: str = ""  # its last words, for the person
    review: str | None = None  # what `report_review` said; None: it was not called
    # The ids that `heartbeat_run` asked for, right after this beat, or EVERYTHING.
    wants_run: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    problem: Problem | None = None  # for the person, where it did not finish: what happened
    retry_after: timedelta | None = None  # what the provider asked for
    # The tool servers that were to start, by name: why one did not; empty if it did.
    servers: Mapping[str, str] = field(default_factory=dict)


@light_dataclass(frozen=True, slots=True)
class Question:
    """One task for the judge, which gets the evidence and none of the agent's own reasoning."""

    task_id: str
    description: str
    hint: str
    evidence: str  # claim, tool calls with their results, files changed: as text
    details: str = ""  # further lines of the person about the task


@light_dataclass(frozen=True, slots=True)
class JudgeResult:
    judgements: Mapping[str, Judgement] = field(
        default_factory=dict
    )  # by task id; a task without one is unclear
    usage: Usage = field(default_factory=Usage)
    problem: Problem | None = None  # why tasks have no judgement


@light_dataclass(frozen=True, slots=True)
class ModelUse:
    """What one beat's batch used, with its judge; each of its items had an equal share."""

    beat: int
    started: datetime
    day: date  # the person's calendar day then: its money counts there
    provider: str
    model: str
    items: tuple[str, ...]  # their keys
    usage: Usage = field(default_factory=Usage)
    ending: BatchEnding | None = None  # None: it is not over, or its process was killed
    finished: datetime | None = None
    problem: str | None = None  # why it did not finish, on one line
    retry_after: timedelta | None = None  # what the provider asked for
