"""Every way the engine touches the world. A docstring here is a contract: one test suite holds each adapter to it.

Instants are aware datetimes. `now` is the moment in the person's zone: its calendar date is the local day that a
row belongs to. What comes back is in UTC; the zone is put on where a person sees it.
"""

from __future__ import annotations  # a contract costs nobody the import of what it speaks of

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime, tzinfo
    from pathlib import Path

    from core.model.agent import Batch, BatchResult, JudgeResult, Limits, ModelChoice, ModelUse, NoModel, Question
    from core.model.announcements import Announcements, Message
    from core.model.approval import Approval, Candidate, Given, Script, SealHome
    from core.model.evidence import Evidence
    from core.model.file_work import FileDone, FileFailed, FileWork
    from core.model.holder import Holder
    from core.model.http import Answer, NoAnswer, Request
    from core.model.memory import DayScore, Feedback, ItemMemory, Look, Pause, PlanNote, RunRequest
    from core.model.occurrence import Beat, BeatReason, Occurrence, Outcome
    from core.model.owner import Owner
    from core.model.process import Command, Ending
    from core.model.progress import Progress
    from core.model.report import Notice
    from core.model.sandbox import Reach, SandboxEnding, SandboxState
    from core.model.seen_file import Seen
    from core.model.undo import Undone, UndoRefused
    from core.model.verdict import Verdict
    from core.model.workspace_file import Found, Missing, Reading, Refusal, Snapshot, Writing


class Clock(Protocol):
    """Nothing is kept: a clock that was set and a person who travelled are seen at the next question."""

    def now(self) -> datetime: ...

    def zone(self) -> tzinfo:
        """Where the person is."""
        ...

    def monotonic(self) -> float:
        """Seconds that go on evenly whatever is done to the clock."""
        ...


class WorkspaceReader(Protocol):
    """The files of a workspace that a person writes. Reading never hangs, changes nothing and raises nothing."""

    def find(self, folder: Path) -> Found | Missing | Refusal:
        """The folder's HEARTBEAT.md, in any letter case; the usual spellings win."""
        ...

    def read(self, path: Path, workspace: Path) -> Reading:
        """The file's bytes, at most 1 MiB; a refusal where it is no regular file inside the workspace."""
        ...

    def exists(self, workspace: Path, name: str) -> bool:
        """Whether the workspace has a file or folder of this name; what lies outside of it does not exist."""
        ...

    def folder(self, workspace: Path, name: str) -> Path | None:
        """A folder of the workspace; None where there is none of this name inside it."""
        ...

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        """The `.md` files of the folder `heartbeat`, in name order; none where there is no such folder."""
        ...


class WorkspaceFiles(WorkspaceReader, Protocol):
    """The same with the way back."""

    def write(
        self,
        base: Snapshot,
        workspace: Path,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        """Change one of them, as WorkspaceFile.write does."""
        ...


class WorkspaceFile(Protocol):
    """One file that a person edits while the program reads and writes it."""

    def read(self, last_size: int | None, now: datetime) -> Reading:
        """The file as a whole, not in the middle of a save: a file touched in the last 300 ms is looked at again
        until it rests, and one that was `last_size` bytes long and is now missing, empty or at most half as long is
        believed after a second look 1 s later. Never raises for what the file is: a refusal is a value."""

    def write(
        self,
        base: Snapshot,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        """Write `add(change(base.data))` (None: nothing to change). `base` is what was read, or what the last `Written`
        holds. What the person saved since stays, line by line, also where `change` touched the same lines; `add`
        comes after that, and adds lines that nobody else writes.
        The file is exchanged whole; its mode, owner, links and every unchanged byte stay. Nothing is written where
        that changes nothing, and `Postponed` or `Failed` leave the file to the person as it is. Each version of the
        person that is displaced is kept. Only the holder of the workspace's lock may call it."""


class FileLook(Protocol):
    """Looks at files of the workspace for checks. Never raises, never hangs, changes nothing, sees nothing outside."""

    def look(self, name: str) -> Seen:
        """The file of this name as it is now; at most 10 MiB are looked into."""
        ...

    def fingerprints(self) -> Mapping[str, str]:
        """Name -> fingerprint of the workspace's files, at most 2000 of them; folders of tools and the history are
        left out, and of a file over 1 MiB its size and time stand for its content."""
        ...

    def names(self, pattern: str) -> tuple[str, ...]:
        """The files whose names, from the workspace on, match a pattern with `*` and `?`, in order; at most 500, and
        those that `fingerprints` leaves out are not among them."""
        ...


class Views(Protocol):
    """Files that show what the ledger says, for people; they can be rebuilt, and nothing is decided by them."""

    def show(self, ledger: Ledger, now: datetime) -> None:
        """Bring them up to date; nothing is written where nothing changed. `now` is in the person's zone."""
        ...

    def saved_progress(self) -> Progress | None:
        """The progress that the files show, for a ledger that was lost; None where they show none."""
        ...


class Ledger(Protocol):
    """The truth: what was due, what became of it, and what has to be remembered.

    Every change is on the disk before its call returns; a call that fails changes nothing. Reading never makes a file:
    a ledger that was never written to is empty. A disk that refuses is a HeartbeatError and leaves the old data as it
    was. A damaged ledger is set aside: where that is seen at once the answer comes from a new one, else the call ends
    in LedgerDamagedError and the next one works on the new one. What is no character in a text comes back as `?`.
    """

    def together(self) -> AbstractContextManager[None]:
        """Join the changes made inside into one commit: all of them or, where an exception leaves it, none."""
        ...

    def close(self) -> None: ...

    def set_aside(self) -> Path | None:
        """Where the damaged ledger that this one replaces was put."""
        ...

    # Beats

    def open_beat(self, reason: BeatReason, pid: int, now: datetime) -> Beat:
        """A new beat with a number above every earlier one, also above those that retention removed."""
        ...

    def close_beat(self, number: int, now: datetime, *, completed: int = 0, failed: int = 0) -> None:
        """The beat's end; a beat that has one keeps it."""
        ...

    def recent_beats(self, limit: int) -> tuple[Beat, ...]:
        """Newest first; one without an end is running or crashed."""
        ...

    # Occurrences. Each step below follows TRANSITIONS: a step that it lacks raises IllegalTransitionError.

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        """Take (item, slot); None where it was taken before, by whomever. Ends whatever the item waited for."""
        ...

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        """Commit before the effect. The item's last start and slot are these, and a planned retry is used up."""
        ...

    def finish(
        self,
        occurrence: Occurrence,
        outcome: Outcome,
        now: datetime,
        *,
        result: str = "",
        error: str = "",
        retry_at: datetime | None = None,
    ) -> Occurrence:
        """Commit after the effect. The item remembers the outcome, the retry, and its tries in a row:
        failed and interrupted count one, completed starts anew, any other outcome was no try."""
        ...

    def verify(
        self, occurrence: Occurrence, verdict: Verdict, *, contradiction: bool, points: int, possible: int
    ) -> Occurrence:
        """The verdict, with its points added to the occurrence's day."""
        ...

    def notify(self, occurrence: Occurrence) -> Occurrence: ...

    def release(self, occurrence: Occurrence) -> Occurrence:
        """Give back what was claimed and never started: it is due again."""
        ...

    def wait(self, occurrence: Occurrence, outcome: Outcome, reason: str, now: datetime) -> Occurrence:
        """Hold it back. One waiting row an item: a later slot replaces it, and as long as outcome and reason stay
        the same nothing is written and the first row is returned."""
        ...

    def skip(self, occurrence: Occurrence, reason: str, now: datetime) -> Occurrence:
        """Use its slot up without running it. Ends whatever the item waited for. Again with the same reason: no
        write."""
        ...

    def miss(self, occurrence: Occurrence, reason: str, now: datetime) -> Occurrence:
        """Record a slot that passed without a start."""
        ...

    def unfinished(self) -> tuple[Occurrence, ...]:
        """Claimed or started and not finished: in a beat that holds the lock, what a crash left."""
        ...

    def waiting(self) -> tuple[Occurrence, ...]:
        """What is held back now, by item."""
        ...

    def history(
        self,
        *,
        item: str | None = None,
        outcome: Outcome | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
        limit: int | None = None,
    ) -> tuple[Occurrence, ...]:
        """Newest record first; days are the person's, both ends included."""
        ...

    def forget_before(self, cutoff: datetime, batch: int = 1000) -> int:
        """Remove the oldest ended occurrences and beats before the cutoff, at most `batch` of each, and say how many.
        Item memory, day scores and whatever is still open stay."""
        ...

    # Items

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemMemory]:
        """The memory of these items (id to normalized schedule). New ones and changed schedules are seen from now
        on, and what an item that never started missed by its old schedule is forgotten; nothing is written where
        there are none."""
        ...

    def start_anew(self, item: str, now: datetime) -> None:
        """Forget the failed tries of an item that failed: it is due once more, with all its attempts. Nothing where
        it did not fail."""
        ...

    def take_back(self, item: str) -> None:
        """Its last run was undone: the item counts as skipped, and nothing shows that run any more."""
        ...

    def count_from(self, item: str, moment: datetime) -> None:
        """The clock was set back: whatever is remembered as later than this moment counts as this moment, and the
        day of the last slot is forgotten."""
        ...

    def items(self) -> dict[str, ItemMemory]:
        """The memory of every item ever seen; reads only."""
        ...

    def progress(self) -> Progress: ...

    def save_progress(self, progress: Progress) -> None:
        """Replace all of it."""
        ...

    # Approvals: what the approvals file alone cannot prove

    def approvals_number(self) -> int:
        """The number of the newest approvals file; 0 before the first."""
        ...

    def set_approvals_number(self, number: int) -> None: ...

    def last_look(self) -> Look | None:
        """What was seen last, for `approval = "owner"`."""
        ...

    def save_look(self, look: Look) -> None:
        """Nothing is written where nothing changed."""
        ...

    # Score

    def points_between(self, since: datetime, until: datetime) -> int:
        """The sum of the verdicts of occurrences recorded in the half-open interval."""
        ...

    def day_scores(self, first_day: date, last_day: date) -> tuple[DayScore, ...]:
        """Oldest first, both ends included; a day without a verdict has none."""
        ...

    # Evidence, feedback and what was told

    def keep_evidence(self, occurrence: Occurrence, evidence: Evidence) -> None:
        """What was said, done and measured for it; goes with the occurrence when that is forgotten."""
        ...

    def evidence(self, item: str, beat: int) -> Evidence | None: ...

    def give_feedback(self, item: str, points: int, now: datetime) -> None:
        """The person's thumb for an item's key, or the day as a whole (empty); counts to the day at once."""
        ...

    def feedback(self, first_day: date, last_day: date) -> tuple[Feedback, ...]:
        """Oldest first, both ends included; goes with the occurrences of its time."""
        ...

    def keep_model_use(self, use: ModelUse) -> None:
        """What the batch of a beat uses: when it begins, and again, in its place, when it ends."""
        ...

    def model_uses(
        self, *, first_day: date | None = None, last_day: date | None = None, limit: int | None = None
    ) -> tuple[ModelUse, ...]:
        """Newest beat first; days are the person's, both ends included. Goes with the occurrences of its time."""
        ...

    def announcements(self) -> Announcements: ...

    def save_announcements(self, announcements: Announcements) -> None:
        """Replace all of it; nothing is written where nothing changed."""
        ...

    # What the always-on process reads and the person wishes

    def plan(self) -> PlanNote | None: ...

    def save_plan(self, plan: PlanNote) -> None: ...

    def tick_anchor(self) -> datetime | None:
        """The instant from which the ticks of the interval are counted."""
        ...

    def set_tick_anchor(self, anchor: datetime) -> None: ...

    def paused(self) -> Pause | None:
        """The pause as it was asked for; the caller compares its end with the moment."""
        ...

    def pause(self, pause: Pause) -> None: ...

    def resume(self) -> None: ...

    def run_requested(self) -> RunRequest | None: ...

    def request_run(self, items: Collection[str], now: datetime, *, by_agent: bool = False) -> None:
        """Ask for a beat. Wishes add up until taken; one without items asks for everything, and a person's makes a
        model's one the person's."""
        ...

    def take_run_request(self) -> RunRequest | None:
        """The wish, which is then no more: two takers never get the same one."""
        ...

    def leave_message(self, message: Message) -> None:
        """Leave a message for the always-on process to show; at most the last 50 wait."""
        ...

    def take_messages(self) -> tuple[Message, ...]:
        """Those that were left, oldest first; they are then no more."""
        ...

    def tell(self, trouble: str, what: str, now: datetime) -> bool:
        """Whether to say it: True where the trouble is new or its words changed."""
        ...

    def is_over(self, trouble: str) -> bool:
        """Whether to say that it is over: True once, where it had been told."""
        ...


class Secrets(Protocol):
    """The system's keyring. Every call ends within 5 s: with its answer, or with a KeyringUnavailableError that says
    why there is none (no service, locked, no answer, a keyring that keeps nothing)."""

    def get(self, name: str) -> str | None:
        """The secret; None where there is none of that name."""
        ...

    def set(self, name: str, value: str) -> None:
        """Keep it. Returns only where it can be read again."""
        ...

    def delete(self, name: str) -> bool:
        """Whether there was one."""
        ...


class Agent(Protocol):
    """A language model as one way to do items. Nothing is imported, read or sent before it is asked for, and nothing is
    raised: whatever a provider, a tool or a model does ends in a value."""

    def choice(self) -> ModelChoice | NoModel:
        """The model that would be asked, and why. Reads settings, key names and what is installed; sends nothing that
        costs anything."""
        ...

    def prompt(self, batch: Batch) -> str:
        """Exactly what the first request would say, with the tools that it would offer; nothing is sent."""
        ...

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        """Let the model work through the batch with the tools that it is granted. The limits are checked before each
        request; cancelled, a request that is under way ends at once."""
        ...

    def judge(self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation) -> JudgeResult:
        """One call for all of them, to the model of `[verifier]`, without tools."""
        ...


class Scripts(Protocol):
    """The files of a workspace that commands run."""

    def look(self, candidates: Collection[Candidate]) -> Mapping[Candidate, Script]:
        """Those of the candidates that are scripts, with the hash of their bytes at this moment. What only looks like
        data counts where it stands in the place of a script. Nothing is raised: a script that cannot be read whole is
        UNREADABLE, a link that leaves the workspace OUTSIDE; what never was in the workspace is no script."""
        ...


class Approvals(Protocol):
    """What the person has approved in one workspace, outside of it and under a seal."""

    @property
    def place(self) -> str:
        """The workspace's real path: an approval holds there and nowhere else."""
        ...

    def noted(self) -> Mapping[str, Approval]:
        """What was approved, by key, as it is written down: good enough to count what waits, never to run anything.
        Cheap, and nothing is raised: what cannot be read is empty."""
        ...

    def proven(self) -> Given:
        """The approvals whose seal holds; trouble and none of them where it does not. Reads only."""
        ...

    def home(self) -> SealHome: ...

    def give(self, approvals: Collection[Approval]) -> None:
        """Add them; the one before under the same key ends. A file that is not trusted is moved aside, and nothing of
        it counts. HeartbeatError where the key of the seal cannot be reached or the disk refuses: then nothing has
        changed."""
        ...

    def take_back(self, keys: Collection[str]) -> None:
        """Remove what was approved under these keys; the rest is as in `give`."""
        ...


class HeldLock(Protocol):
    """A lock in our hands, until released or until the process ends, however it ends."""

    def release(self) -> None:
        """Give it up; a second time does nothing."""
        ...

    def __enter__(self) -> HeldLock: ...

    def __exit__(self, *exception: object) -> None: ...


class Lock(Protocol):
    """At most one process has it. A child process never inherits it."""

    def acquire(self, purpose: str, now: datetime) -> HeldLock | Holder:
        """Take it, or say at once who has it."""
        ...

    def wait(self, purpose: str, now: datetime) -> HeldLock:
        """Take it as soon as nobody else has it."""
        ...

    def holder(self) -> Holder | None:
        """Who has it, without disturbing anybody."""
        ...


class Cancellation(Protocol):
    """Somebody's wish that what is running should stop. Once set it stays set."""

    def is_set(self) -> bool: ...

    def fileno(self) -> int:
        """A descriptor that is readable from the moment it is set, so that a wait can include it."""
        ...


class Processes(Protocol):
    """Runs commands, one a call; calls from several threads may overlap.

    - The command gets no input, a short list of harmless variables, and those it brings. No key, token, session bus
      or descriptor of this program reaches it.
    - It is over when its shell ends. Whatever it left running, also in the background or in a session of its own, is
      asked to end, given 2.5 s, and then killed.
    - At its timeout, or when it is cancelled, the same happens to all of it. The call returns at the latest 5 s after.
    - Cancelled before the call: nothing is started.
    - The first and the last half MiB of what it printed are kept. Memory stays bounded whatever it prints.
    - Where this process starts children of its own by other means, it does so while no command runs: one that appears
      meanwhile is taken for something the command left.
    - Every way to end is an Ending, also a command that cannot be started; nothing is raised.
    """

    def run(self, command: Command, cancelled: Cancellation | None = None) -> Ending: ...

    def kill_all(self) -> None:
        """Kill every command that is running now, without asking it to end: for a signal handler, before the program
        itself ends at once."""
        ...

    def end_left_by(self, pid: int) -> None:
        """End what commands of a process of ours left running when it was killed: asked, given 3 s, then killed.
        Nothing where that process still lives."""
        ...


class Sandbox(Protocol):
    """Runs commands as Processes does, but each behind walls: what is not in its reach does not exist for it.

    - It sees the system's programs, the workspace and the folders of its reach, and nothing of this program: no
      variable, descriptor, process, home, session bus or key ring.
    - It talks to the hosts of its reach, by http and https and by name, and to nobody else; what it asked for in vain
      is in the ending.
    - In the workspace, what steers Heartbeat (CONTROL_NAMES, `protected`) is as it was after it has ended; a file of
      these names that it made is gone. Nothing of the sandbox itself is left in the workspace.
    - It has no grace: at its timeout, or when it is cancelled, all of it is killed at once.
    - Where no sandbox works, or the reach cannot be given, nothing is started and the ending says why.
    """

    def state(self) -> SandboxState:
        """Whether one works here, by running one; asked once a process, then remembered."""
        ...

    def run(self, command: Command, reach: Reach, cancelled: Cancellation | None = None) -> SandboxEnding: ...


class Child(Protocol):
    """A process of our own that goes on beside us."""

    @property
    def pid(self) -> int: ...

    def fileno(self) -> int:
        """A descriptor that is readable once the child has ended, for a wait over several things: to watch, not to
        read. poll() then says how; where it says None still (a system without pidfd), ask it again. Valid until
        close()."""
        ...

    def poll(self) -> int | None:
        """None while it runs; then, and ever after, its exit code, or -n where signal n ended it. Asking is what
        frees its entry in the process table."""
        ...

    def ask_to_end(self) -> None:
        """Let it clean up and end (TERM; CTRL_BREAK on Windows). Harmless once it has ended."""
        ...

    def kill(self) -> None:
        """End it at once, with its process group. Harmless once it has ended."""
        ...

    def close(self) -> None:
        """Give the descriptor back; the child itself goes on. May be repeated."""
        ...


class Children(Protocol):
    """Starts processes of our own, for the always-on process: cheap, without a thread or an event loop."""

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None) -> Child:
        """Start a program (its absolute path comes first) in a process group of its own, with exactly this
        environment, no input and none of our descriptors.

        What it prints is added to the log, made for the owner alone where it is missing; without a log it is dropped.
        How large a log may grow is the caller's business. A program that cannot be started is a HeartbeatError.
        """
        ...


class Http(Protocol):
    """Web requests of the person's own actions."""

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer | NoAnswer:
        """One request, over by its timeout or as soon as it is cancelled. Certificates are verified; a redirect is
        followed only within its host; at most 10 MiB of the body are kept. Raises nothing."""
        ...


class AllowedWeb(Protocol):
    """The web as the model sees it: some hosts, by name."""

    def get(self, url: str, hosts: Collection[str]) -> Answer | NoAnswer:
        """The page. Only hosts of the list are asked, by http and https, also by a redirect, and none whose name leads
        into this machine or its network; at most 1 MiB of the body is kept. Raises nothing."""
        ...


class UndoFolder(Protocol):
    """Keeps what one action displaces, so that it can be put back."""

    def keep(self, path: Path, becomes: str | None = None) -> None:
        """Before a change: what stands there now, and the fingerprint of what will; on the disk when this returns."""
        ...

    def changed(self, path: Path) -> None:
        """After one of which nobody could tell before what would stand there."""
        ...


class UndoStore(Protocol):
    def open(self, beat: int, item: str) -> UndoFolder: ...

    def keep_lines(self, beat: int, item: str, lines: Mapping[str, str | None]) -> None:
        """Beside what the action displaced: what its lines in HEARTBEAT.md said before. Nothing where it displaced
        nothing."""
        ...

    def tidy(self, beat: int, item: str) -> None:
        """Clear away what an action that was killed left half made."""
        ...

    def undo(self, beat: int | None, item: str | None) -> Undone | UndoRefused:
        """Put back what the newest action (or that of a beat or an item) displaced, byte for byte; refused as a whole
        where the person changed any of it since."""
        ...


class FileWorker(Protocol):
    """The operations of `file` actions."""

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        """Inside the workspace only, also through links and `..`. What is overwritten or deleted is kept first."""
        ...


class PromptStore(Protocol):
    """The prompt files of a workspace. HeartbeatError where it cannot be done; what is displaced can come back."""

    def add(self, identifier: str, text: str, *, overwrite: bool) -> bool:
        """Write the prompt's file; True where it is new. An existing one is replaced only where that is wanted."""
        ...

    def remove(self, identifier: str) -> None: ...


class Background(Protocol):
    """Actions that run beside the beats, in processes of their own that outlive the beat and the resident."""

    def start(self, occurrence: Occurrence) -> None:
        """Run the started occurrence's action; whoever runs it records its end in the ledger."""
        ...

    def is_running(self, item: str) -> bool:
        """Whether such a process of this item is alive."""
        ...


class Messenger(Protocol):
    """Brings a message to the person: `desktop`, or a channel of the settings."""

    def send(self, channel: str, notice: Notice, urgency: str = "normal", trouble: str = "") -> str:
        """Why it could not be sent, in words; nothing where it was. `trouble` is the key of what it is about: on a
        desktop with a tray icon the tray shows it, with buttons."""
        ...


class Source(Protocol):
    """Something that a loop waits for."""

    def fileno(self) -> int:
        """A descriptor that becomes readable when there is something to handle; -1: none at the moment."""
        ...

    def wait_limit(self) -> float | None:
        """Seconds after which to call handle_ready in any case; None: no limit."""
        ...

    def handle_ready(self) -> None:
        """Do what is to be done. Returns at once."""
        ...


class Waiting(Protocol):
    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        """Sleep until a source is ready (it is then handled) or the wall clock has reached the moment, also where the
        machine slept meanwhile. True: the clock was set. It may return early."""
        ...


class Waker(Source, Protocol):
    """A wish that comes from another thread or a signal; it stays until taken."""

    def take(self) -> bool:
        """Whether there was one since the last time."""
        ...


class Watcher(Protocol):
    """Tells of changes that a person made to HEARTBEAT.md, the prompts, the memory file and the settings.

    One call of `deliver` (in the watcher's thread, with the paths) a change, however an editor saves: 300 ms after
    its last step, at most 2 s after its first; for a file that vanished or shrank to half, 1 s later. Never for what
    the program itself wrote, nor for a save that changed nothing."""

    def start(self) -> None:
        """Watch from now on; what the files hold now is known. HeartbeatError: they can be watched only by `look`."""

    def look(self) -> None:
        """Look at the files even if the system told nothing: at every tick, and after a sleep. Returns at once."""

    def follow(self, file: Path) -> None:
        """Let this file of the workspace count too: the settings may name another than HEARTBEAT.md, and a command a
        script. One that was not known is delivered. Returns at once."""

    def stop(self) -> None:
        """End, and wait for the end; nothing is delivered after it."""


class OwnerFile(Protocol):
    """Which machine runs a workspace that several share."""

    def read(self) -> Owner | None:
        """The owner; None where the file is missing or names nobody. HeartbeatError where it cannot be read."""

    def claim(self, now: datetime) -> Owner:
        """The owner, who is this machine where there was none. Never takes a workspace from another machine."""

    def take_over(self, now: datetime) -> Owner:
        """Make this machine the owner, whoever was it."""
