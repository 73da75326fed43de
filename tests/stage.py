"""A beat on a stage: the real engine and rules, a virtual clock, a file and processes in memory."""

from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from core.adapters.ledger import SqliteLedger
from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.beat import beat
from core.engine.plan import plan_now, plan_only
from core.engine.read import read_folder
from core.model.holder import Holder
from core.model.ledger import ItemPast
from core.model.occurrence import BeatReason, Occurrence
from core.model.plan import BeatRequest, Plan, Planned
from core.model.report import BeatReport
from core.model.settings import Settings
from core.model.workspace import Workspace
from core.ports.ledger import Ledger
from tests.approving import approve_all_in
from tests.fakes.files import (
    FakeFileInspector,
    FakeFiles,
    FakeFileWorker,
    FakeScripts,
    FakeUndo,
    FakeViews,
)
from tests.fakes.model import FakeAgent
from tests.fakes.outside import FakeApprovals, FakeHttp, FakeMessenger, no_secret
from tests.fakes.processes import (
    FakeBackground,
    FakeLastLines,
    FakeLock,
    FakeProcesses,
    FakeSandbox,
)
from tests.fakes.waiting import FakeClock
from tests.fakes.world import FakeWorld

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 11, 16, 8, 0, tzinfo=BERLIN)
ROOT = Path("/workspace")


def at(text: str) -> datetime:
    """`16 09:00`: a day of November 2026 in Berlin, where it is UTC+1."""
    day, clock = text.split()
    return datetime.fromisoformat(f"2026-11-{day}T{clock}+01:00")


def action(identifier: str, *lines: str, priority: str = "MEDIUM") -> str:
    """The block of a shell action; its command is its id."""
    keys = [f"id: {identifier}", "type: shell", f"command: {identifier}", *lines]
    return "\n".join([f"### [{priority}] {identifier}", *(f"- {key}" for key in keys), "", ""])


def actions(*blocks: str, header: str = "") -> str:
    frontmatter = f"---\n{header}\n---\n" if header else ""
    return f"{frontmatter}## Pending Actions\n\n{''.join(blocks)}"


class Stage:
    def __init__(
        self,
        text: str | None = None,
        now: datetime = MONDAY,
        zone: tzinfo = BERLIN,
        ledger: Ledger | None = None,
    ) -> None:
        self.clock = FakeClock(now, zone)
        self.files = FakeFiles(text)
        self.ledger: Ledger = ledger or SqliteLedger()
        self.lock = FakeLock()
        self.processes = FakeProcesses(self.clock)
        self.sandbox = FakeSandbox(self.processes)
        self.http = FakeHttp()
        self.file_worker = FakeFileWorker()
        self.file_inspector = FakeFileInspector()
        self.undo = FakeUndo(self.file_worker.files)
        self.messenger = FakeMessenger()
        self.background = FakeBackground()
        self.last_lines = FakeLastLines()
        self.approvals = FakeApprovals(str(ROOT))
        self.scripts = FakeScripts()
        self.watched_since: datetime | None = None
        self.says_yes = True  # the person approves whatever the file holds before every look at it
        self.views = FakeViews()
        self.agent = FakeAgent()
        self.model_lock = FakeLock()
        self.wakes = 0  # how often the always-on process was woken
        self.cancelled = CancelSwitch()
        self.settings = Settings()

    def world(self) -> FakeWorld:
        world = self._world()
        if self.says_yes:
            approve_all_in(world, self.workspace())
        return world

    def _world(self) -> FakeWorld:
        return FakeWorld(
            root=ROOT,
            settings=self.settings,
            clock=self.clock,
            files=self.files,
            ledger=self.ledger,
            lock=self.lock,
            processes=self.processes,
            sandbox=self.sandbox,
            http=self.http,
            file_worker=self.file_worker,
            file_inspector=self.file_inspector,
            undo=self.undo,
            messenger=self.messenger,
            background=self.background,
            last_lines=self.last_lines,
            approvals=self.approvals,
            scripts=self.scripts,
            watched_since=lambda: self.watched_since,
            secret=no_secret,
            views=self.views,
            cancelled=self.cancelled,
            agent=self.agent,
            model_lock=self.model_lock,
            wake_resident=self._wake,
        )

    def _wake(self) -> None:
        self.wakes += 1

    def beat(
        self,
        now: str | None = None,
        *items: str,
        reason: BeatReason = BeatReason.TIMER,
        resident_start: datetime | None = None,
    ) -> BeatReport:
        """One beat, at this moment of November where one is given."""
        self._go_to(now)
        reason = BeatReason.PERSON if items and reason is BeatReason.TIMER else reason
        report = beat(self.world(), BeatRequest(reason, items, resident_start))
        assert not isinstance(report, Holder)
        self.clock.pass_time(timedelta(milliseconds=1))
        return report

    def run(self, now: str | None = None, *items: str) -> BeatReport:
        """`heartbeat run`, with ids or without."""
        return self.beat(now, *items, reason=BeatReason.PERSON)

    def plan_only(self, now: str | None = None) -> Plan:
        """What the resident does after a file change."""
        self._go_to(now)
        plan = plan_only(self.world(), BeatRequest(BeatReason.TIMER))
        assert not isinstance(plan, Holder)
        return plan

    def planned(self, identifier: str, now: str | None = None, *items: str) -> Planned:
        """The decision about one item; nothing is remembered."""
        self._go_to(now)
        request = BeatRequest(BeatReason.PERSON, items) if items else BeatRequest(BeatReason.TIMER)
        plan = plan_now(self.world(), self.workspace(), request, self.clock.now(), remember=False)
        return next(item for item in plan.items if item.id == identifier)

    def workspace(self) -> Workspace:
        return read_folder(self.files, ROOT)

    def memory(self, identifier: str) -> ItemPast:
        return self.ledger.items.all()[f"action:{identifier}"]

    def history(self, identifier: str) -> list[Occurrence]:
        """Oldest first."""
        return [*reversed(self.ledger.occurrences.history(item=f"action:{identifier}"))]

    @property
    def ran(self) -> list[str]:
        """What has run since the last look."""
        lines = [line for line, _ in self.processes.ran]
        self.processes.ran.clear()
        return lines

    @property
    def wakes_at(self) -> datetime | None:
        """When the always-on process starts the next beat."""
        note = self.ledger.plan.note()
        return note.next_wake if note else None

    def status(self, identifier: str) -> str:
        """What the file says."""
        return next(one for one in self.workspace().document.actions if one.id == identifier).status

    def edit(self, old: str, new: str) -> None:
        """The person changes the one place where this is written."""
        assert self.files.text.count(old) == 1, self.files.text
        self.files.save(self.files.text.replace(old, new))

    def _go_to(self, now: str | None) -> None:
        if now:
            self.clock.moment = at(now)
