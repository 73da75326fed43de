"""Joins ports to adapters: the only file that knows both. What a person's command needs is one call here.

Imports stand in the functions that need them: the always-on process calls a few of these and must not pay for the rest.
"""

import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from core.model.errors import HeartbeatError, NoWorkspaceError

if TYPE_CHECKING:
    from core.adapters.autostart import Autostart
    from core.adapters.background import BackgroundProcesses
    from core.adapters.clock import SystemClock
    from core.adapters.processes import SystemProcesses
    from core.adapters.prompt_store import PromptStore
    from core.agent.agent import LanguageModel
    from core.agent.ground import Ground
    from core.agent.tool import Toolbox
    from core.engine.beat import Progress
    from core.engine.keys import Keys
    from core.engine.resident import Resident
    from core.engine.world import World
    from core.model.agent import Batch, ModelUse, Usage
    from core.model.announcements import Message
    from core.model.approval import Given, Judged
    from core.model.diagnosis import Diagnosis
    from core.model.evidence import Evidence
    from core.model.holder import Holder
    from core.model.memory import DayScore, Pause
    from core.model.occurrence import Occurrence, Outcome
    from core.model.plan import Plan, Planned, Wish
    from core.model.report import BeatReport, Notice
    from core.model.sandbox import SandboxEnding
    from core.model.score import Mover, Score
    from core.model.settings import McpServer, Settings
    from core.model.status import Status
    from core.model.undo import Undone, UndoRefused
    from core.model.verdict import Verdict
    from core.model.workspace import Workspace
    from core.ports import (
        Approvals,
        Children,
        Clock,
        FileLook,
        FileWorker,
        Http,
        Ledger,
        Lock,
        Messenger,
        Processes,
        Sandbox,
        Scripts,
        UndoStore,
        Views,
        WorkspaceFiles,
        WorkspaceReader,
    )
    from core.rules.simulating import Start

# -- where and when ---------------------------------------------------------------------------------------------------


def clock() -> "SystemClock":
    from core.adapters.clock import SystemClock

    return SystemClock()


def local_now(root: Path) -> datetime:
    """The moment in the workspace's zone, as the last plan noted it."""
    return clock().now().astimezone(noted_zone(root))


def noted_zone(root: Path) -> tzinfo:
    """The workspace's zone, without reading its file."""
    from core.rules.residing import noted_zone

    return noted_zone(open_ledger(root).plan(), clock().zone())


def locate_workspace(given: str | None) -> Path:
    """The workspace of SPEC 2: given, variable, the nearest folder upward, the config, the documents folder."""
    from core.adapters import folders, workspace_file
    from core.model.workspace_file import Found

    named = given or os.environ.get("HEARTBEAT_WORKSPACE")
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise HeartbeatError(f"{folder} is not a folder.", f"Make it: heartbeat init '{folder}'")
        return folder.absolute()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if isinstance(workspace_file.find(folder), Found):
            return folder
    configured = configured_workspace()
    folder = Path(configured).expanduser() if configured else folders.default_workspace()
    if not folder.is_dir():
        raise NoWorkspaceError(folder.absolute())
    return folder.absolute()


def configured_workspace() -> str | None:
    from core.adapters import folders

    return read_config().workspace if (folders.config_folder() / "config.toml").exists() else None


# -- settings ---------------------------------------------------------------------------------------------------------


def settings_file() -> Path:
    from core.adapters import folders

    return folders.config_folder() / "config.toml"


def read_config() -> "Settings":
    """What the person's config.toml says."""
    from core.model.settings import Settings

    path = settings_file()
    if not path.exists():
        return Settings()
    from core.adapters.config_files import read_toml
    from core.rules.configuring import read_settings

    return read_settings(read_toml(path), str(path))


def settings_of(root: Path) -> "Settings":
    """The settings of a workspace: config.toml, with the three keys of its config.json."""
    settings = read_config()
    path = root / "config.json"
    if not path.exists():
        return settings
    from core.adapters.config_files import read_json
    from core.rules.configuring import with_workspace_settings

    return with_workspace_settings(settings, read_json(path), str(path))


def setting_warnings(root: Path) -> tuple[str, ...]:
    """What the settings say that is not done as written; without settings nothing is imported for it."""
    from core.adapters import folders

    if not (root / "config.json").exists() and not (folders.config_folder() / "config.toml").exists():
        return ()
    return settings_of(root).warnings


# -- reading ----------------------------------------------------------------------------------------------------------


def read_workspace(root: Path) -> "Workspace":
    """The workspace as it is now."""
    from core.engine import reading

    name = settings_of(root).heartbeat_file if (root / "config.json").exists() else None
    return reading.read_workspace(_files(), root, name)


def _files() -> "WorkspaceReader":
    """For a look: as the files are at this moment."""
    from core.adapters.files_at_a_glance import FilesAtAGlance

    return FilesAtAGlance()


def read_path(path: Path) -> "Workspace":
    """What `check` was pointed at: a folder, a HEARTBEAT.md of any name, or a file of the folder `heartbeat`."""
    from core.engine import reading

    path = path.expanduser().absolute()
    if path.is_dir():
        return read_workspace(path)
    if not path.exists() and not path.is_symlink():
        raise HeartbeatError(f"{path} is not there.", "Check the path, or make a workspace: heartbeat init")
    if path.parent.name == "heartbeat" and path.suffix == ".md" and path.stem.lower() != "heartbeat":
        return reading.read_prompt_file(_files(), path)
    return reading.read_workspace(_files(), path.parent, path.name)


def with_past_moments(workspace: "Workspace") -> "Workspace":
    """With what is wrong only at this moment."""
    from core.rules import past_moments

    here = clock()
    return past_moments.with_past_moments(workspace, here.now(), here.zone())


def read_text(data: bytes, root: Path) -> "Workspace":
    """A HEARTBEAT.md that stands in no folder, such as standard input."""
    from core.model.workspace import Workspace
    from core.rules.reading.document import read_document

    document = read_document(data)
    return Workspace(root, Path("-"), document, (), document.diagnostics)


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


def assets() -> Path:
    """Beside the package when installed, beside the source tree otherwise."""
    package = Path(__file__).parents[1]
    installed = package / "tray_app" / "assets"
    return installed if installed.is_dir() else package / "assets"


# -- state ------------------------------------------------------------------------------------------------------------


def state_folder(root: Path) -> Path:
    from core.adapters import folders

    return folders.workspace_state_folder(root)


def open_ledger(root: Path) -> "Ledger":
    from core.adapters.ledger import SqliteLedger

    return SqliteLedger(state_folder(root) / "ledger.db")


def beat_lock(root: Path) -> "Lock":
    from core.adapters.lock import FileLock

    return FileLock(state_folder(root) / "lock")


def model_lock(root: Path) -> "Lock":
    """Held by a beat while its batch is with the model."""
    from core.adapters.lock import FileLock

    return FileLock(state_folder(root) / "model.lock")


def resident_lock(root: Path) -> "Lock":
    """Held by the always-on process for as long as it lives."""
    from core.adapters.lock import FileLock

    return FileLock(state_folder(root) / "resident.lock")


def watched_since(root: Path) -> datetime | None:
    """When the always-on process started that is running now."""
    holder = resident_lock(root).holder()
    return holder.since if holder else None


def status(root: Path) -> "Status":
    from core.engine.status import status_now

    resident, now = resident_lock(root).holder() is not None, local_now(root)
    found = status_now(root, open_ledger(root), beat_lock(root), model_lock(root), now, resident=resident)
    other = run_by(root)
    return replace(found, run_by=other, next_beat=None) if other else found


def run_by(root: Path) -> str:
    """The other machine that runs this shared workspace; nothing where it is this one, or nobody."""
    from core.adapters import folders
    from core.adapters.owner_file import OwnerFileOnDisk, this_machine

    if not (root / ".heartbeat" / "owner.json").exists():
        return ""
    machine = this_machine(folders.state_folder())
    try:
        owner = OwnerFileOnDisk(root, machine).read()
    except HeartbeatError:  # whoever starts here by itself says so
        return ""
    return owner.machine.name if owner and owner.machine.id != machine.id else ""


def history(
    root: Path,
    item: str | None,
    day: date | None = None,
    outcome: "Outcome | None" = None,
    limit: int = 20,
    verdict: "Verdict | None" = None,
) -> "Sequence[Occurrence]":
    from core.engine.history import history_of

    return history_of(open_ledger(root), item, day, outcome, verdict, limit)


def receipts(root: Path, item: str | None, beat: int) -> "list[tuple[Occurrence, Evidence | None]]":
    """What a beat recorded, with the evidence."""
    from core.engine.history import receipts_of

    return receipts_of(open_ledger(root), item, beat)


def model_use(root: Path, beat: int) -> "ModelUse | None":
    """What the batch of a beat used; None where it had none."""
    from core.engine.history import use_of

    return use_of(open_ledger(root), beat)


def average_batch(root: Path) -> "Usage | None":
    """What a batch used lately, on average; None where none ever ran."""
    from core.rules.budgeting import RECENT, average_use

    return average_use(open_ledger(root).model_uses(limit=RECENT))


def score(root: Path) -> "tuple[Score, list[Mover]]":
    """The score, and what moved it today, biggest first."""
    from core.engine.scoring import score_now, todays_movers

    ledger, now = open_ledger(root), workspace_now(root)
    return score_now(ledger, now), todays_movers(ledger, now.date())


def score_differences(root: Path) -> "list[tuple[DayScore, DayScore]]":
    """The days whose kept sums are not those of their verdicts: as kept, and as added up again."""
    from core.engine.scoring import differences

    return differences(open_ledger(root), workspace_now(root).date(), settings_of(root).history_days)


def give_feedback(root: Path, item: str | None, *, is_up: bool) -> tuple[int, int]:
    """The person's thumb for an item or the day: its points, and the day's score with it."""
    from core.engine.scoring import score_now
    from core.rules.scoring.points import THUMBS_DOWN, THUMBS_UP

    ledger, now, points = open_ledger(root), workspace_now(root), THUMBS_UP if is_up else THUMBS_DOWN
    key = next((one.key for one in plan(root).items if item in (one.id, one.key)), "") if item else ""
    ledger.give_feedback(key, points, now)
    return points, score_now(ledger, now).today.score


def workspace_now(root: Path) -> datetime:
    """The moment in the workspace's zone: its days are the score's days."""
    return clock().now().astimezone(workspace_zone(root))


def workspace_zone(root: Path) -> tzinfo:
    from core.rules.planning import zone_of

    return zone_of(read_workspace(root).document, clock().zone())


def snooze(root: Path, trouble: str, until: datetime) -> None:
    """Say nothing about a trouble before that moment."""
    from core.rules.announcing.announcer import snooze

    ledger = open_ledger(root)
    ledger.save_announcements(snooze(ledger.announcements(), trouble, until))


def pause(root: Path, until: datetime | None) -> None:
    """Nothing starts by itself until then. A model that is at work is not waited for: its call ends at once."""
    from core.adapters.signals import end
    from core.model.memory import Pause

    open_ledger(root).pause(Pause(clock().now(), until))
    thinking = model_lock(root).holder()
    if thinking:
        end(thinking.pid)
    wake_resident(root)


def pause_of(root: Path) -> "Pause | None":
    """The pause that holds now."""
    from core.rules.residing import is_paused

    pause = open_ledger(root).paused()
    return pause if pause and is_paused(pause, clock().now()) else None


def resume(root: Path) -> bool:
    """End a pause; whether there was one."""
    ledger = open_ledger(root)
    was_paused = ledger.paused() is not None
    if was_paused:
        ledger.resume()
        wake_resident(root)
    return was_paused


def wake_resident(root: Path) -> None:
    """Tell the always-on process to look at the ledger again; nothing where there is none."""
    from core.adapters.signals import wake

    holder = resident_lock(root).holder()
    if holder:
        wake(holder.pid)


# -- approvals --------------------------------------------------------------------------------------------------------


def judged(world: "World") -> "tuple[tuple[Judged, ...], Given]":
    """Everything that executes beside what was approved, and the approvals that count."""
    from core.engine.approving import judged_now

    given = world.approvals.proven()
    return judged_now(world, read_workspace(world.root), given.approvals), given


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


# -- beats ------------------------------------------------------------------------------------------------------------


def open_world(root: Path) -> "World":
    """All that a beat needs. What only running something needs is made when it is used."""
    from core.adapters import folders
    from core.adapters.cancellation import CancelSwitch
    from core.adapters.later import later
    from core.engine.world import World

    state, here, cancelled, settings = state_folder(root), clock(), CancelSwitch(), settings_of(root)
    ledger, processes, http = open_ledger(root), later(lambda: _processes(here)), later(_web)
    protected, hidden = steering_paths(root, settings)
    world = World(
        root=root,
        settings=settings,
        clock=here,
        files=later(lambda: _files_on_disk(state, here)),
        ledger=ledger,
        lock=beat_lock(root),
        processes=processes,
        sandbox=later(lambda: open_sandbox(root, processes)),
        protected=protected,
        hidden=hidden,
        approvals=_approvals(state, str(folders.name_on_disk(root)), ledger),
        scripts=_scripts(root),
        watched_since=lambda: watched_since(root),
        http=http,
        file_worker=later(lambda: _file_worker(root)),
        file_look=later(lambda: _file_look(root)),
        undo=later(lambda: _undo_store(root)),
        messenger=later(lambda: _messenger(root, settings, http, ledger)),
        background=later(lambda: _background(root, here)),
        secret=secret,
        views=later(lambda: _views(root, state)),
        cancelled=cancelled,
        cancel=cancelled.set,
        agent=later(lambda: _language_model(world)),
        model_lock=model_lock(root),
        wake_resident=lambda: wake_resident(root),
    )
    return world


def leave_to_tray(root: Path, ledger: "Ledger", message: "Message") -> bool:
    """Let the tray show it; whether there is one that will."""
    from core.adapters.signals import wake

    holder = resident_lock(root).holder()
    if holder is None or holder.purpose != "tray":
        return False
    try:
        ledger.leave_message(message)
    except HeartbeatError:  # a full disk must not make us silent
        return False
    wake(holder.pid)
    return True


def _approvals(state: Path, place: str, ledger: "Ledger") -> "Approvals":
    from core.adapters import folders
    from core.adapters.approval_seal import SealKeys
    from core.adapters.approvals import ApprovalsOnDisk
    from core.adapters.secret_store import KeyringSecrets

    return ApprovalsOnDisk(state, place, SealKeys(KeyringSecrets(), folders.state_folder()), ledger)


def _scripts(root: Path) -> "Scripts":
    from core.adapters.scripts import ScriptsOnDisk

    return ScriptsOnDisk(root)


def _files_on_disk(state: Path, here: "SystemClock") -> "WorkspaceFiles":
    import time

    from core.adapters.workspace_files import FilesOnDisk

    return FilesOnDisk(state, here, time.sleep)


def _processes(here: "SystemClock") -> "Processes":
    if sys.platform == "win32":
        from core.adapters.windows_processes import WindowsProcesses

        return WindowsProcesses(here.monotonic)
    from core.adapters.processes import SystemProcesses

    return SystemProcesses(here.monotonic)


def _web() -> "Http":
    from core.adapters.web import Web

    return Web()


def _file_worker(root: Path) -> "FileWorker":
    from core.adapters.file_operations import FileOperations

    return FileOperations(root)


def _file_look(root: Path) -> "FileLook":
    from core.adapters.file_look import FileLookOnDisk

    return FileLookOnDisk(root)


def _undo_store(root: Path) -> "UndoStore":
    from core.adapters.undo_store import UndoStore

    return UndoStore(root, state_folder(root))


def _messenger(root: Path, settings: "Settings", http: "Http", ledger: "Ledger") -> "Messenger":
    from core.adapters.channels import Channels
    from core.adapters.messenger import SystemMessenger

    channels = Channels(settings.channels, http, secret)
    return SystemMessenger(channels, lambda one: leave_to_tray(root, ledger, one))


def _background(root: Path, here: "Clock") -> "BackgroundProcesses":
    from core.adapters.background import BackgroundProcesses

    return BackgroundProcesses(root, state_folder(root), here, _children())


def _children() -> "Children":
    if sys.platform == "win32":
        from core.adapters.windows_children import WindowsChildren

        return WindowsChildren()
    from core.adapters.children import SystemChildren

    return SystemChildren()


def _views(root: Path, state: Path) -> "Views":
    from core.adapters.views import ViewsOnDisk

    return ViewsOnDisk(root, state)


def secret(name: str) -> str:
    """The value of a keyring name; never of an entry of the program's own, or of a key that a model is asked with."""
    from core.adapters.secret_store import KeyringSecrets
    from core.rules.keys import RESERVED, VARIABLES

    if name in RESERVED or name in VARIABLES:
        raise HeartbeatError(f"`{name}` is not given to actions.", "Store a secret of its own: heartbeat key set NAME")
    value = KeyringSecrets().get(name)
    if value is None:
        raise HeartbeatError(f"There is no secret `{name}` in the keyring.", f"Store it: heartbeat key set {name}")
    return value


def _language_model(world: "World") -> "LanguageModel":
    from core.adapters.secret_store import KeyringSecrets
    from core.agent.agent import LanguageModel
    from core.rules.prices import cost_of, price_of

    own = world.settings.prices
    model = LanguageModel(
        world.settings,
        KeyringSecrets(),
        os.environ,
        toolboxes(world, lambda: model.keys()),
        world.clock,
        lambda choice, usage: cost_of(usage, price_of(choice.provider, choice.model, own)),
    )
    return model


def toolboxes(world: "World", secrets: "Callable[[], Collection[str]]" = tuple) -> "Callable[[Batch], Toolbox]":
    """What gives a batch its tools. `secrets` are values that must not get out, beside those of the environment."""
    from core.agent.toolbox import BatchToolbox

    return lambda batch: BatchToolbox(tool_ground(world, secrets), batch)


def tool_ground(world: "World", secrets: "Callable[[], Collection[str]]" = tuple) -> "Ground":
    """What the model's tools stand on in this beat."""
    from core.adapters.allowed_web import EgressWeb
    from core.adapters.command_environment import command_environment
    from core.adapters.file_look import FileLookOnDisk
    from core.adapters.file_operations import FileOperations
    from core.adapters.prompt_store import PromptStore
    from core.agent.ground import Ground
    from core.engine.reading import read_workspace

    beat = _own_beat(world.root)
    return Ground(
        root=world.root,
        home=Path.home(),
        settings=world.settings,
        protected=world.protected,
        hidden=world.hidden,
        clock=world.clock,
        workspace=lambda: read_workspace(world.files, world.root, world.settings.heartbeat_file),
        look=FileLookOnDisk(world.root, world.hidden),
        files=world.files,
        worker=FileOperations(world.root, _why_not_written(world)),
        own_worker=world.file_worker,
        undo=world.undo.open(beat, "agent"),
        heartbeat_undo=world.undo.open(beat, "agent-heartbeat-file"),
        lock=world.lock,
        sandbox=world.sandbox,
        web=EgressWeb(world.clock.monotonic),
        messenger=world.messenger,
        prompts=PromptStore(world.root, world.undo, world.clock, beat),
        open_ledger=lambda: open_ledger(world.root),
        secrets=lambda: (*secrets(), *_secrets_of_the_environment()),
        servers=_approved_servers(world),
        environment=command_environment(os.environ, {}),
        cancelled=world.cancelled,
    )


def serve_own_tools(root: Path, status: Callable[[], str], incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """`heartbeat mcp`: until nothing more comes in. `status` puts into words how the workspace stands."""
    from importlib.metadata import version

    from core.agent.mcp_server import serve
    from core.agent.own_server import OwnGround, OwnTools

    ground = OwnGround(
        lambda: read_workspace(root), prompt_store(root), lambda ids: _beat_of_its_own(root, ids), status
    )
    serve(OwnTools(ground), version("heartbeat-desktop"), incoming, outgoing)


def serve_batch_tools(address: str, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """`heartbeat mcp --batch`: the tools of a beat that is running, for the command-line agent that works in it."""
    from importlib.metadata import version

    from core.agent.batch_door import BatchTools
    from core.agent.mcp_server import serve

    serve(BatchTools(address), version("heartbeat-desktop"), incoming, outgoing)


def _beat_of_its_own(root: Path, ids: list[str]) -> str:
    """`heartbeat run` in a process of its own: whatever a beat loads or breaks is gone with it."""
    import subprocess

    known = known_items(root, ids, listed_by="heartbeat_list")
    words = own_command("tray_app.cli", "--workspace", str(root), "--json", "run", "--", *known)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode(errors="replace")


def _secrets_of_the_environment() -> list[str]:
    """The values of variables that are named like a key."""
    telling = ("KEY", "TOKEN", "SECRET", "PASSWORD")
    return [value for name, value in os.environ.items() if any(word in name.upper() for word in telling)]


def _own_beat(root: Path) -> int:
    """The number of the beat that this process is doing; 0 where it does none."""
    ledger = open_ledger(root)
    try:
        own = [one.number for one in ledger.recent_beats(10) if one.finished is None and one.pid == os.getpid()]
    finally:
        ledger.close()
    return own[0] if own else 0


def _why_not_written(world: "World") -> Callable[[str], str]:
    """Why the model may not write to a real place in the workspace."""
    from core.rules.permitting.control_names import why_not_written

    real = world.root.resolve()
    hidden = [path.resolve() for path in world.hidden]
    name = world.settings.heartbeat_file or read_workspace(world.root).file.name

    def why_not(place: str) -> str:
        if any((real / place).is_relative_to(folder) for folder in hidden):
            return f"{place} steers Heartbeat and is not changed by a model"
        return why_not_written(place, name)

    return why_not


def _approved_servers(world: "World") -> "dict[str, McpServer]":
    """The MCP servers that the person has approved as they stand in the settings."""
    from core.model.approval import ExecutableKind

    servers = world.settings.mcp_servers
    if not servers:
        return {}
    approved = {
        one.executable.id for one in judged(world)[0] if one.executable.kind is ExecutableKind.SERVER and not one.waits
    }
    return {name: server for name, server in servers.items() if name in approved}


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


def refusal(root: Path) -> str:
    """Why nothing is read from HEARTBEAT.md; nothing where it is."""
    from core.engine.announcing import refusal_of

    return refusal_of(open_ledger(root), read_workspace(root))


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


def prompt_store(root: Path) -> "PromptStore":
    from core.adapters.prompt_store import PromptStore

    return PromptStore(root, _undo_store(root), clock())


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


def open_file(root: Path) -> None:
    """Open the workspace's HEARTBEAT.md in the person's editor."""
    from core.adapters.opener import open_in_editor

    open_in_editor(read_workspace(root).file)


def open_text(root: Path, name: str, text: str) -> None:
    """Open a text of ours the same way."""
    from core.adapters.opener import open_in_editor
    from core.adapters.receipt_files import write_receipt

    open_in_editor(write_receipt(state_folder(root) / "receipts", name, text))


def last_beat(root: Path) -> int:
    """The number of the newest beat; 0 before the first."""
    beats = open_ledger(root).recent_beats(1)
    return beats[0].number if beats else 0


# -- the desktop ------------------------------------------------------------------------------------------------------


def open_terminal(command: Sequence[str]) -> None:
    from core.adapters.terminal import open_terminal

    open_terminal(command)


def has_dialogs() -> bool:
    from core.adapters.dialogs import has_dialogs

    return has_dialogs()


def choose(text: str, options: Sequence[str]) -> str | None:
    from core.adapters.dialogs import choose

    return choose(text, options)


def ask_secret(text: str) -> str | None:
    from core.adapters.dialogs import ask_secret

    return ask_secret(text)


def show_on_desktop(notice: "Notice") -> str:
    """Show a notification without a tray; returns why that was not possible, or nothing."""
    from core.adapters.desktop_notifications import show_on_desktop

    return show_on_desktop(notice)


def autostart(*, without_icon: bool = False) -> "Autostart":
    from core.adapters.autostart import autostart

    return autostart(without_icon=without_icon)


def autostart_command(root: Path, *, without_icon: bool = False) -> list[str]:
    return own_command("tray_app.cli", "--workspace", str(root), "daemon" if without_icon else "tray")


def starts_at_login(root: Path) -> bool:
    here = autostart()
    return here.written() == here.wanted(autostart_command(root))


def set_autostart(root: Path, *, wanted: bool, without_icon: bool = False) -> None:
    here = autostart(without_icon=without_icon)
    if wanted:
        if not str(root).isprintable():  # a line end in it would be a line of the desktop's file
            raise HeartbeatError("The name of this folder has signs that cannot be shown.", "Give it another name.")
        here.on(autostart_command(root, without_icon=without_icon))
    else:
        here.off()
    wake_resident(root)


# -- keys -------------------------------------------------------------------------------------------------------------


def keys() -> "Keys":
    from core.adapters import folders
    from core.adapters.key_names import KeyNames
    from core.adapters.secret_store import KeyringSecrets
    from core.adapters.web import Web
    from core.engine.keys import Keys

    return Keys(KeyringSecrets(), Web(), KeyNames(folders.state_folder() / "key-names.json"), os.environ)


def set_key(name: str, value: str) -> str:
    """Store a key, once its provider has had a say; what came of it."""
    agent = read_config().agent
    return keys().set(name, value, agent.base_url if agent.provider == name else None)


# -- the doctor -------------------------------------------------------------------------------------------------------


def doctor(root: Path) -> "list[Diagnosis]":
    """Everything tried out, in the order in which a person would mend it."""
    from core.adapters import desktop_probes, folders, probes
    from core.engine.doctor import autostart_diagnosis, sandbox_diagnosis

    state, config = state_folder(root), folders.config_folder()
    private = [folders.state_folder(), state, state / "approvals.json", folders.state_folder() / "approval-seal.key"]
    decisive = [config, config / "config.toml", root, root / "HEARTBEAT.md", root / "config.json"]
    tries: dict[str, Callable[[], Diagnosis]] = {
        "workspace": lambda: probes.workspace(root, read_workspace(root).file),
        "disk": lambda: probes.disk([folders.make_private(state), *([root] if root.is_dir() else [])]),
        "lock": lambda: probes.lock(state, clock().now()),
        "watching": lambda: probes.watching(root, state),
        "clock": lambda: probes.clock(local_now(root), open_ledger(root).plan()),
        "permissions": lambda: probes.permissions(private, decisive),
        "keyring": probes.keyring,
        "model": lambda: _model_diagnosis(settings_of(root)),
        "sandbox": lambda: sandbox_diagnosis(open_sandbox(root, _processes(clock())).state()),
        "notifications": desktop_probes.notifications,
        "tray": desktop_probes.tray_host,
        "autostart": lambda: autostart_diagnosis([_autostart_way(root, without_icon=one) for one in (False, True)]),
    }
    return [probes.surely(name, probe) for name, probe in tries.items()]


def _autostart_way(root: Path, *, without_icon: bool) -> tuple[str | None, str]:
    here = autostart(without_icon=without_icon)
    return here.written(), here.wanted(autostart_command(root, without_icon=without_icon))


def _model_diagnosis(settings: "Settings") -> "Diagnosis":
    from core.adapters.secret_store import KeyringSecrets
    from core.adapters.web import Web
    from core.agent.choosing import Surroundings, choose, installed_models
    from core.engine.doctor import model_diagnosis, no_model_diagnosis
    from core.model.agent import NoModel

    found = choose(settings.agent, Surroundings(KeyringSecrets(), os.environ, installed_models))
    if isinstance(found, NoModel):
        return no_model_diagnosis(found, settings.agent.provider)
    return model_diagnosis(found.choice, found.key, Web())


# -- the sandbox ------------------------------------------------------------------------------------------------------


def open_sandbox(root: Path, processes: "Processes") -> "Sandbox":
    """What gates and the model's commands run in. A process has one Processes for all its commands, walled or not: two
    would take each other's for leftovers and end them."""
    from core.adapters.sandbox import BubblewrapSandbox

    # Only Linux gets so far as to run something in it, and there it is these.
    return BubblewrapSandbox(cast("SystemProcesses", processes), state_folder(root) / "sandbox")


def steering_paths(root: Path, settings: "Settings") -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What no sandboxed command may change, beside the usual names, and what none may see."""
    from core.adapters import folders

    protected = (root / settings.heartbeat_file,) if settings.heartbeat_file else ()
    return protected, (folders.state_folder(), folders.config_folder())


def run_in_sandbox(root: Path, line: str, domains: tuple[str, ...], timeout: timedelta) -> "SandboxEnding":
    """A shell line as a gate of this workspace would run it, with these domains allowed."""
    from core.model.diagnostic import Problem
    from core.model.document import Gate
    from core.model.process import Command
    from core.rules.permitting.tags import gate_reach

    settings = settings_of(root)
    gate = Gate(line, None, timeout, {}, (), domains)
    reach = gate_reach(gate, settings.agent.permissions, root, Path.home(), *steering_paths(root, settings))
    if isinstance(reach, Problem):
        raise HeartbeatError(reach.message, reach.hint)
    sandbox, here = open_sandbox(root, _processes(clock())), Path.cwd()
    state = sandbox.state()
    if not state.works:
        raise HeartbeatError(state.reason, state.mend)
    return sandbox.run(Command(line, here if here.is_relative_to(root) else root, timeout), reach)


# -- the always-on process --------------------------------------------------------------------------------------------


def has_desktop() -> bool:
    """Whether there is a session that could show an icon."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_resident(root: Path, say: Callable[[str], None], *, take_over: bool = False) -> "Resident":
    """The always-on process of a workspace, ready to run. Its lock is the caller's business."""
    from core.adapters import folders
    from core.adapters.log_files import fresh_log, last_line
    from core.adapters.own_writes import OwnWrites
    from core.adapters.owner_file import OwnerFileOnDisk, this_machine
    from core.adapters.signals import Signals, ask_to_end
    from core.adapters.waiting import waiting
    from core.adapters.wake_up import WakeUp
    from core.adapters.watcher import FolderWatcher
    from core.engine.resident import Resident, Surroundings

    state, here, changed = state_folder(root), clock(), WakeUp()
    machine = this_machine(folders.state_folder())
    owner_file = OwnerFileOnDisk(root, machine)
    if take_over:
        take_workspace_over(root)
    owner = owner_file.claim(here.now())
    if owner.machine.id != machine.id:
        message = f"This workspace is run by {owner.machine.name}, since {owner.since:%Y-%m-%d %H:%M}."
        raise HeartbeatError(message, "To run it on this machine instead: heartbeat daemon --take-over")
    watcher = FolderWatcher(
        root,
        folders.config_folder() / "config.toml",
        OwnWrites(state).explain,
        lambda _: changed.set(),
        here.monotonic,
    )
    resident = Resident(
        Surroundings(
            root=root,
            clock=here,
            ledger=open_ledger(root),
            beat_lock=beat_lock(root),
            model_lock=model_lock(root),
            children=_children(),
            watcher=watcher,
            changed=changed,
            waiting=waiting(here),
            owner=owner_file,
            machine=machine.id,
            say=say,
            command=lambda words: own_command("core.child", *words),
            environment=os.environ,
            log=fresh_log(state / "logs" / "children.log"),
            last_words=last_line,
            ask_to_end=ask_to_end,
            starts_at_login=lambda: starts_at_login(root),
        )
    )
    resident.sources.append(Signals(resident.end, resident.look))
    return resident


def take_workspace_over(root: Path) -> None:
    """Make this machine the one that runs a shared workspace; an always-on process that waits here goes on."""
    from core.adapters import folders
    from core.adapters.owner_file import OwnerFileOnDisk, this_machine

    OwnerFileOnDisk(root, this_machine(folders.state_folder())).take_over(clock().now())
    wake_resident(root)


def hold_signals_back() -> None:
    """Until `open_resident` is ready for them."""
    from core.adapters.signals import hold_back

    hold_back()


def own_command(module: str, *words: str) -> list[str]:
    """The command line of a program of ours. Without -P the folder that we are in, often the workspace, would come
    first where Python looks for modules: any file there named like one would run."""
    return [sys.executable, "-P", "-m", module, *words]
