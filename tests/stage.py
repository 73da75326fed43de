"""A beat on a stage: the real engine and rules, a virtual clock, a file and processes in memory."""

from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from core.engine.beat import beat
from core.engine.planning import plan_now, plan_only
from core.engine.reading import read_workspace
from core.engine.world import World
from core.model.holder import Holder
from core.model.memory import ItemMemory
from core.model.occurrence import BeatReason, Occurrence
from core.model.plan import Plan, Planned, Wish
from core.model.report import BeatReport
from core.model.settings import Settings
from core.model.workspace import Workspace
from core.ports import Ledger
from tests.fake_actions import FakeBackground, FakeFileWorker, FakeHttp, FakeMessenger, FakeUndo, no_secret
from tests.fake_agent import FakeAgent
from tests.fake_approvals import FakeApprovals, FakeScripts, approve_all_in
from tests.fake_checks import FakeFileLook
from tests.fake_sandbox import FakeSandbox
from tests.fakes import FakeCancellation, FakeClock, FakeFiles, FakeLedger, FakeLock, FakeViews, ScriptedProcesses

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
        self, text: str | None = None, now: datetime = MONDAY, zone: tzinfo = BERLIN, ledger: Ledger | None = None
    ) -> None:
        self.clock = FakeClock(now, zone)
        self.files = FakeFiles(text)
        self.ledger: Ledger = ledger or FakeLedger()
        self.lock = FakeLock()
        self.processes = ScriptedProcesses(self.clock)
        self.sandbox = FakeSandbox()
        self.http = FakeHttp()
        self.file_worker = FakeFileWorker()
        self.file_look = FakeFileLook()
        self.undo = FakeUndo()
        self.messenger = FakeMessenger()
        self.background = FakeBackground()
        self.approvals = FakeApprovals(str(ROOT))
        self.scripts = FakeScripts()
        self.watched_since: datetime | None = None
        self.says_yes = True  # the person approves whatever the file holds before every look at it
        self.views = FakeViews()
        self.agent = FakeAgent()
        self.model_lock = FakeLock()
        self.wakes = 0  # how often the always-on process was told to look
        self.cancelled = FakeCancellation()
        self.settings = Settings()

    def world(self) -> World:
        world = self._world()
        if self.says_yes:
            approve_all_in(world, self.workspace())
        return world

    def _world(self) -> World:
        return World(
            root=ROOT,
            settings=self.settings,
            clock=self.clock,
            files=self.files,
            ledger=self.ledger,
            lock=self.lock,
            processes=self.processes,
            sandbox=self.sandbox,
            protected=(),
            hidden=(),
            http=self.http,
            file_worker=self.file_worker,
            file_look=self.file_look,
            undo=self.undo,
            messenger=self.messenger,
            background=self.background,
            approvals=self.approvals,
            scripts=self.scripts,
            watched_since=lambda: self.watched_since,
            secret=no_secret,
            views=self.views,
            cancelled=self.cancelled,
            cancel=self.cancelled.set,
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
        report = beat(self.world(), Wish(reason, items, resident_start))
        assert not isinstance(report, Holder)
        self.clock.pass_time(timedelta(milliseconds=1))
        return report

    def run(self, now: str | None = None, *items: str) -> BeatReport:
        """`heartbeat run`, with ids or without."""
        return self.beat(now, *items, reason=BeatReason.PERSON)

    def plan_only(self, now: str | None = None) -> Plan:
        """What the resident does after a file change."""
        self._go_to(now)
        plan = plan_only(self.world(), Wish(BeatReason.TIMER))
        assert not isinstance(plan, Holder)
        return plan

    def planned(self, identifier: str, now: str | None = None, *items: str) -> Planned:
        """The decision about one item; nothing is remembered."""
        self._go_to(now)
        wish = Wish(BeatReason.PERSON, items) if items else Wish(BeatReason.TIMER)
        plan = plan_now(self.world(), self.workspace(), wish, self.clock.now(), remember=False)
        return next(item for item in plan.items if item.id == identifier)

    def workspace(self) -> Workspace:
        return read_workspace(self.files, ROOT)

    def memory(self, identifier: str) -> ItemMemory:
        return self.ledger.items()[f"action:{identifier}"]

    def history(self, identifier: str) -> list[Occurrence]:
        """Oldest first."""
        return [*reversed(self.ledger.history(item=f"action:{identifier}"))]

    @property
    def ran(self) -> list[str]:
        """What has run since the last look."""
        lines = [line for line, _ in self.processes.ran]
        self.processes.ran.clear()
        return lines

    @property
    def wakes_at(self) -> datetime | None:
        """When the always-on process starts the next beat."""
        note = self.ledger.plan()
        return note.next_wake if note else None

    def status(self, identifier: str) -> str:
        """What the file says."""
        return next(one for one in self.workspace().document.actions if one.id == identifier).status

    def edit(self, old: str, new: str) -> None:
        """The person changes the one place where this stands."""
        assert self.files.text.count(old) == 1, self.files.text
        self.files.save(self.files.text.replace(old, new))

    def _go_to(self, now: str | None) -> None:
        if now:
            self.clock.moment = at(now)
