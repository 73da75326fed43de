"""What every command answers with `--json`, as models: docs/schemas/answers is made of them, and
the tests compare what the commands really say with both.

Law: no command imports this at run time. The answers are plain dictionaries, because pydantic takes
longer to import than most commands take in all. A key that is not declared here fails a test.

Durations are in seconds, instants are ISO 8601 with an offset, and what is not there is null.
"""

from datetime import date
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, RootModel

from core.model.approval import ApprovedBy, ExecutableKind, ReviewState
from core.model.check import Finding
from core.model.diagnostic import Health, Severity
from core.model.document import ActionStatus, Format, Priority, RunIf
from core.model.evidence import Said
from core.model.item import ItemKind
from core.model.occurrence import BeatReason, Outcome, Verdict
from core.model.plan import Decision
from core.model.process import How
from core.model.report import NoticeKind
from core.model.score import Level
from core.model.status import WorkspaceState

CalendarDay = date
Seconds = float
Dollars = float | None  # null: no price is known
Share = float | None  # kept promises of those that were due, from 0 to 1; null: none was due


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


# -- what several answers have ---------------------------------------------------------------------


class ModelUse(Answer):
    requests: int
    input_tokens: int
    output_tokens: int
    usd: Dollars


class Gate(Answer):
    command: str
    cwd: str | None
    timeout: Seconds
    env: dict[str, str]
    permissions: list[str]
    allowedDomains: list[str]  # noqa: N815 - as it is written in the file


class Prompt(Answer):
    id: str
    title: str
    schedule: str | None
    run_if: RunIf
    gate: Gate | None


class Occurrence(Answer):
    beat: int
    id: str
    kind: ItemKind
    slot: AwareDatetime
    started: AwareDatetime | None
    finished: AwareDatetime | None
    outcome: Outcome | None
    reason: str
    verdict: Verdict | None
    contradiction: bool
    check_fails: bool = Field(description="It was skipped, and its check fails.")
    self_reported: bool = Field(description="Measured from what the model itself wrote.")
    ruling: str | None = Field(description="Why it got its verdict, where points do not say it.")
    points: int
    result: str | None
    error: str | None
    undone: bool = Field(description="What it did to files was taken back: heartbeat undo.")


# -- one per command -------------------------------------------------------------------------------


class ErrorWords(Answer):
    message: str
    hint: str


class Error(Answer):
    """Wrong usage, settings or input, or another beat holds the lock: exit code 1, 2 or 3."""

    error: ErrorWords


class Init(Answer):
    workspace: str
    written: list[str]
    kept: list[str]


class Diagnostic(Answer):
    line: int = Field(ge=0, description="From 1; 0 is the file as a whole.")
    column: int = Field(ge=0)
    severity: Severity
    code: str = Field(pattern=r"^HB\d{3}$")
    message: str
    hint: str
    file: str


class Check(Answer):
    file: str
    format: Format
    diagnostics: list[Diagnostic]
    active: bool


class CheckExplain(Answer):
    code: str = Field(pattern=r"^HB\d{3}$")
    severity: Severity
    title: str
    meaning: str
    example: str
    mend: str


class HelpTopic(Answer):
    name: str
    words: str


class Help(Answer):
    name: str | None  # of the topic, the command or the code
    text: str | None
    topics: list[HelpTopic]  # all of them, where none was named


class ShownTask(Answer):
    id: str
    description: str
    required: bool
    verify: str
    max_attempts: int = Field(ge=1, le=100)
    checked: bool
    schedule: str | None
    run: str | None
    details: str = Field(description="The lines indented under the task.")
    line: int
    timeout: Seconds


class ShownAction(Answer):
    id: str
    name: str
    priority: Priority
    type: str | None
    status: ActionStatus
    schedule: str | None
    retry: int
    timeout: Seconds
    depends_on: list[str]
    condition: str | None
    params: dict[str, str | dict[str, str]]
    line: int


class ShownProbe(Answer):
    name: str
    command: str
    line: int


class Show(Answer):
    frontmatter: dict[str, Any]
    context: str
    tasks: list[ShownTask]
    actions: list[ShownAction]
    prompts: list[Prompt]
    probes: list[ShownProbe]
    review: str | None
    format: Format
    active: bool


class List(Answer):
    prompts: list[Prompt]


class Add(Answer):
    id: str
    file: str
    new: bool


class Remove(Answer):
    id: str
    removed: bool


class Next(Answer):
    expression: str
    normalized: str
    timezone: str
    due: bool
    slot: AwareDatetime | None
    occurrences: list[AwareDatetime]
    sentence: str
    reason: str


class PlannedItem(Answer):
    id: str
    kind: ItemKind
    decision: Decision
    reason: str
    slot: AwareDatetime | None
    next: AwareDatetime | None


class Plan(Answer):
    now: AwareDatetime
    items: list[PlannedItem]
    next_wake: AwareDatetime | None


class PlanPrompt(Answer):
    prompt: str | None


class Start(Answer):
    at: AwareDatetime
    id: str
    kind: ItemKind
    needs_model: bool


class Simulate(Answer):
    hours: float
    starts: list[Start]
    model_calls: int
    model: ModelUse | None


class RunItem(Answer):
    id: str
    kind: ItemKind
    outcome: Outcome
    verdict: Verdict | None
    contradiction: bool
    check_fails: bool = Field(description="It was skipped, and its check fails.")
    self_reported: bool = Field(description="Measured from what the model itself wrote.")
    ruling: str | None = Field(description="Why it got its verdict, where points do not say it.")
    points: int
    attempts: int
    duration: Seconds | None
    result: str | None
    error: str | None
    reason: str


class RunScore(Answer):
    today: int
    target: int
    delta: int
    kept: Share
    kept_count: int
    due_count: int


class Notification(Answer):
    kind: NoticeKind
    title: str
    message: str


class Run(Answer):
    beat: int | None
    reason: BeatReason
    started: AwareDatetime
    finished: AwareDatetime
    items: list[RunItem]
    in_background: list[str] = Field(description="The ids of what it started and is not over.")
    model: ModelUse
    score: RunScore
    notifications: list[Notification]


class History(Answer):
    occurrences: list[Occurrence]


class Claim(Answer):
    said: Said
    result: str
    facts: dict[str, Any]


class Measurement(Answer):
    finding: Finding
    words: str
    values: dict[str, Any]


class Act(Answer):
    what: str
    output: str
    could_do_it: bool


class FileChange(Answer):
    path: str
    before: str | None
    after: str | None


class Judgement(Answer):
    verdict: Verdict
    contradiction: bool
    quote: str
    reason: str


class Evidence(Answer):
    claim: Claim
    measurement: Measurement
    acts: list[Act]
    files: list[FileChange]
    judgement: Judgement | None
    verdict: Verdict | None
    contradiction: bool
    points: int
    reason: str


class Receipt(Occurrence):
    evidence: Evidence | None


class HistoryBeat(Answer):
    occurrences: list[Receipt]
    model: ModelUse


class StatusScore(Answer):
    today: int
    target: int
    streak: int
    level: Level | None
    kept: Share
    kept_count: int
    due_count: int


class ModelToday(Answer):
    provider: str | None
    model: str | None
    requests_today: int
    usd_today: Dollars
    key_from: str | None
    problem: str | None = Field(description="Why it gave no answer the last time.")


class RunningItem(Answer):
    id: str
    since: AwareDatetime
    last_line: str | None  # of what it has printed so far


class Running(Answer):
    beat: int | None  # null also where items run in the background, without a beat
    since: AwareDatetime
    items: list[RunningItem]


class Status(Answer):
    workspace: str
    state: WorkspaceState
    paused: bool
    paused_until: AwareDatetime | None
    enabled: bool
    run_by: str | None
    moved_from: str | None  # until the person has read of it
    last_beat: AwareDatetime | None
    next_beat: AwareDatetime | None
    score: StatusScore
    approvals_waiting: int
    model: ModelToday
    running: Running | None


class Day(Answer):
    date: CalendarDay
    score: int
    target: int
    reached: bool
    verified: int
    not_verified: int
    unclear: int
    contradictions: int
    kept: Share
    kept_count: int
    due_count: int


class Rebuilt(Answer):
    same: bool
    differences: list[CalendarDay]


class Score(Answer):
    days: list[Day]
    today: int
    target: int
    floor: int
    streak: int
    level: Level | None


class ScoreRebuild(Score):
    rebuilt: Rebuilt


class Feedback(Answer):
    item: str | None
    points: int
    today: int


class ApprovalRow(Answer):
    name: str
    before: str | None
    after: str | None


class Waiting(Answer):
    key: str
    kind: ExecutableKind
    title: str
    where: str
    line: int
    standing: ReviewState
    fields: list[ApprovalRow]
    scripts: list[ApprovalRow]
    reach: list[str]
    digest: str


class Seal(Answer):
    key: str = Field(description="`keyring`, or the file that holds the key.")
    reason: str | None


class Approve(Answer):
    waiting: list[Waiting]
    approved: list[str]
    trouble: str | None
    seal: Seal
    moved_from: str | None  # the path that the folder had before


class Approved(Answer):
    key: str
    at: AwareDatetime
    by: ApprovedBy


class Revoke(Answer):
    revoked: list[str]
    approved: list[Approved]
    trouble: str | None


class Undo(Answer):
    undone: list[str]
    items: list[str]
    file: str | None


class Retry(Answer):
    id: str
    retried: Literal[True]


class EndedBeat(Answer):
    beat: int | None
    pid: int
    since: AwareDatetime | None
    items: list[str]
    killed: bool  # it did not end when it was asked to


class Cancel(Answer):
    ended: list[EndedBeat]


class Pause(Answer):
    paused: Literal[True]
    until: AwareDatetime | None


class Resume(Answer):
    paused: Literal[False]
    was_paused: bool


class KeySet(Answer):
    name: str
    stored: Literal[True]
    message: str


class Key(Answer):
    name: str
    source: str = Field(description="`keyring`, or the variable that it comes from.")
    ends_with: str


class KeyList(Answer):
    keys: list[Key]
    trouble: str | None


class KeyDelete(Answer):
    name: str
    deleted: bool


class Autostart(Answer):
    on: bool
    place: str
    written: str | None
    others: list[str]


class Setting(Answer):
    value: str | int | float | bool | list[str] | dict[str, Any] | None
    source: str = Field(description="The file that sets it, or `default`.")


class Config(RootModel[dict[str, Setting]]):
    """Every setting by its dotted name."""


class DoctorFinding(Answer):
    name: str
    health: Health
    message: str
    mend: str | None


class Doctor(Answer):
    ok: bool
    findings: list[DoctorFinding]


class Sandbox(Answer):
    how: How
    exit_code: int | None
    output: str
    duration: Seconds
    refused_hosts: list[str]
    kept_out: list[str]


# By the words that ask for it; `run --dry-run` answers as `plan`.
ANSWERS: dict[str, type[BaseModel]] = {
    "error": Error,
    "init": Init,
    "check": Check,
    "check --explain": CheckExplain,
    "help": Help,
    "show": Show,
    "list": List,
    "add": Add,
    "remove": Remove,
    "next": Next,
    "plan": Plan,
    "plan --prompt": PlanPrompt,
    "simulate": Simulate,
    "run": Run,
    "run --dry-run": Plan,
    "history": History,
    "history --beat": HistoryBeat,
    "status": Status,
    "score": Score,
    "score --rebuild": ScoreRebuild,
    "feedback": Feedback,
    "approve": Approve,
    "revoke": Revoke,
    "undo": Undo,
    "retry": Retry,
    "cancel": Cancel,
    "pause": Pause,
    "resume": Resume,
    "key set": KeySet,
    "key list": KeyList,
    "key delete": KeyDelete,
    "autostart": Autostart,
    "config": Config,
    "doctor": Doctor,
    "sandbox": Sandbox,
}
