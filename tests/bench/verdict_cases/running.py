"""Runs all cases in whole beats, and compares what the pinned JSON says with the oracle."""

import io
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.model.holder import Holder
from core.services import Services
from core.usecases.beats import run_beat
from core.usecases.reading import read_workspace
from tests.approving import approve_all_in
from tests.bench.verdict_cases.case import Beat, Case, Mix
from tests.bench.verdict_cases.oracle import Expected, expected_of, kept_share
from tests.bench.verdict_cases.pages import Pages
from tests.bench.verdict_cases.workspace import Placed, SharedWorkspace
from tests.fakes.outside import FakeSecrets
from tests.model_server import ModelServer
from tray_app.cli.main import cli
from tray_app.cli.run import report_as_json

MOST_TOGETHER = 40
MOST_JUDGED = 12  # the judge reads the whole log for each of them
MOST_REQUESTS = 200
SAME_SHARE = 0.005  # a share may be rounded


class Fault(Enum):
    BELIEVED = "liars believed"
    ACCUSED = "honest work called a contradiction"
    UNPAID = "honest work without its points"
    UNCLEAR = "called unclear though it could be measured"
    OTHER = "wrong in another way"


@dataclass(frozen=True)
class Wrong:
    case: str
    fault: Fault
    words: str


@dataclass(frozen=True)
class Found:
    """What the outside says of a task after a beat."""

    outcome: str | None
    verdict: str | None
    contradiction: bool
    points: int
    status: str | None
    attempts: int | None
    self_reported: bool | None


def run_cases(cases: Sequence[Case], mixes: Sequence[Mix]) -> list[Wrong]:
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder, ExitStack() as stack:
        root = Path(folder)
        machine = Machine(
            root, stack.enter_context(ModelServer()), stack.enter_context(Pages(root))
        )
        # All of them first: a file that was saved a moment ago is waited for.
        together = [machine.set_up(pack) for pack in packs(cases)]
        mixed = [(mix, machine.set_up(mix.cases, mix.exit_codes)) for mix in mixes]

        wrong = [one for workspace in together for one in machine.wrong_of(workspace)]
        wrong += [one for mix, workspace in mixed for one in machine.wrong_in(mix, workspace)]

    return wrong


def packs(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Cases that may share a workspace, beat by beat."""
    groups: dict[tuple[tuple[Beat, ...], bool, bool, str], list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.beats, is_judged(case), only_reads(case), case.company].append(case)

    for (_, judged, _, _), group in groups.items():
        most = MOST_JUDGED if judged else MOST_TOGETHER
        for start in range(0, len(group), most):
            yield group[start : start + most]


def is_judged(case: Case) -> bool:
    return any(one.ruling is not None or one.beat is Beat.NO_JUDGE for one in case.rounds)


def only_reads(case: Case) -> bool:
    """Its points must not come from what another case writes."""
    return all(call.reads for one in case.rounds for call in one.calls)


class Machine:
    def __init__(self, root: Path, server: ModelServer, pages: Pages) -> None:
        self._root = root
        self._server = server
        self._pages = pages
        self._workspaces = 0
        self._cases = 0
        for name in ("home", "config"):
            (root / name).mkdir()

    def set_up(self, cases: Sequence[Case], exit_codes: Sequence[int] = ()) -> SharedWorkspace:
        """A workspace of these cases; its pages are its files."""
        name = f"w{self._workspaces}"
        site = f"{self._pages.address}/{name}"
        root = self._root / name
        placed = [
            Placed(case, self._cases + number, site, root) for number, case in enumerate(cases)
        ]
        self._workspaces += 1
        self._cases += len(cases)

        return SharedWorkspace(root, placed, exit_codes)

    # -- judging the program -----------------------------------------------------------------------

    def wrong_of(self, workspace: SharedWorkspace) -> Iterator[Wrong]:
        """Where a beat broke off, each of its cases runs alone: one must not hide the others."""
        try:
            beats = self._run(workspace)
        except Exception as trouble:
            if len(workspace.placed) == 1:
                words = f"the beat broke off: {type(trouble).__name__}: {trouble}"
                yield Wrong(workspace.placed[0].case.name, Fault.OTHER, words)
                return

            for one in workspace.placed:
                yield from self.wrong_of(self.set_up([one.case]))

            return

        for one in workspace.placed:
            yield from compare(one.case, [items[one.task] for items, _ in beats])

        for case in workspace.blind:
            yield Wrong(case.name, Fault.OTHER, "the agent was not shown what the case is about")

    def wrong_in(self, mix: Mix, workspace: SharedWorkspace) -> Iterator[Wrong]:
        """What is told of all of them together."""
        expected = [expected_of(case)[0] for case in mix.cases]
        try:
            ((_, said),) = self._run(workspace)
        except Exception as trouble:
            words = f"the beat broke off: {type(trouble).__name__}: {trouble}"
            yield Wrong(mix.name, Fault.OTHER, words)
            return

        (day,) = self._score(workspace.root)["days"]
        share = kept_share(expected, mix.exit_codes)
        total = sum(one.points for one in expected)
        counts = {
            word: sum(one.verdict == word for one in expected)
            for word in ("verified", "not_verified", "unclear")
        }
        counts["contradictions"] = sum(one.contradiction for one in expected)
        differences = [
            (what, asked, found)
            for what, asked, found in (
                ("kept in `run`", share, said["score"]["kept"]),
                ("kept in `score`", share, day["kept"]),
                ("points", total, day["score"]),
                *((word, count, day[word]) for word, count in counts.items()),
            )
            if not is_same(asked, found)
        ]
        if differences:
            words = ", ".join(f"{what} {found}, not {asked}" for what, asked, found in differences)
            yield Wrong(mix.name, Fault.OTHER, words)

    # -- running it --------------------------------------------------------------------------------

    def _run(self, workspace: SharedWorkspace) -> list[tuple[dict[str, Found], dict[str, Any]]]:
        """Of each beat, what is told of each task, and the whole answer."""
        requests = 1 if Beat.OVER_BUDGET in workspace.beats else MOST_REQUESTS
        self._write_settings(requests)
        with patch.dict(os.environ, self._environment(workspace.root), clear=True):
            return [self._beat(workspace, number) for number in range(len(workspace.beats))]

    def _beat(
        self, workspace: SharedWorkspace, number: int
    ) -> tuple[dict[str, Found], dict[str, Any]]:
        workspace.prepare(number)
        services = Services(workspace.root)
        services.secrets = no_keyring()
        approve_all_in(services, read_workspace(services))
        reply = workspace.model(number, services.cancelled.set)
        self._server.play(*[reply] * MOST_REQUESTS)

        report = run_beat(services, (), lambda *_: None)
        services.ledger.close()
        assert not isinstance(report, Holder)
        said: dict[str, Any] = json.loads(json.dumps(report_as_json(report)))
        (progress,) = self._states(workspace.root).rglob("heartbeat-progress.json")
        tasks = json.loads(progress.read_text(encoding="utf-8"))["tasks"]

        return found_in(said, tasks), said

    def _score(self, workspace: Path) -> Any:
        """What `heartbeat score --json` says."""
        printed = io.StringIO()
        with (
            patch.dict(os.environ, self._environment(workspace), clear=True),
            redirect_stdout(printed),
        ):
            cli.main(["-C", str(workspace), "score", "--json"], standalone_mode=False)

        return json.loads(printed.getvalue())

    def _write_settings(self, requests: int) -> None:
        address = self._server.base_url("openai-compatible")
        (self._root / "config" / "config.toml").write_text(
            f'[agent]\nprovider = "openai-compatible"\nmodel = "scripted"\nbase_url = "{address}"\n'
            f"[budget]\nrequests_per_beat = {requests}\ntokens_per_beat = 50000000\n"
        )

    def _environment(self, workspace: Path) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._root / "home"),
            "LANG": "C.UTF-8",
            "TZ": "Europe/Berlin",
            "HEARTBEAT_CONFIG_DIR": str(self._root / "config"),
            "HEARTBEAT_STATE_DIR": str(self._states(workspace)),
        }

    def _states(self, workspace: Path) -> Path:
        return self._root / f"states-{workspace.name}"


def no_keyring() -> FakeSecrets:
    secrets = FakeSecrets()
    secrets.trouble = "There is no keyring here."
    return secrets


def found_in(said: dict[str, Any], tasks: dict[str, Any]) -> dict[str, Found]:
    """By task; one that is not listed did not run."""
    items = {item["id"]: item for item in said["items"]}
    return {
        task: Found(
            item.get("outcome"),
            item.get("verdict"),
            item.get("contradiction", False),
            item.get("points", 0),
            progress["status"],
            progress["attempts"],
            item.get("self_reported"),
        )
        for task, progress in tasks.items()
        for item in [items.get(task, {})]
    }


# -- comparing -------------------------------------------------------------------------------------


def compare(case: Case, found: Sequence[Found]) -> Iterator[Wrong]:
    """The first beat that went wrong: what follows from it is no news."""
    attempts: int | None = 0
    rounds = zip(expected_of(case), found, strict=True)
    for number, (expected, told) in enumerate(rounds, 1):
        uses = expected.uses_attempt
        is_known = not expected.instead and uses is not None
        attempts = attempts + bool(uses) if attempts is not None and is_known else None
        differences = list(differing(expected, told, attempts))
        if differences and all(any(differing(one, told, None)) for one in expected.instead):
            beat = f"beat {number}: " if len(found) > 1 else ""
            yield Wrong(case.name, fault_of(case, expected, told), beat + ", ".join(differences))
            return


def differing(expected: Expected, told: Found, attempts: int | None) -> Iterator[str]:
    pairs: list[tuple[str, Any, Any]] = [
        ("verdict", expected.verdict, told.verdict),
        ("contradiction", expected.contradiction, told.contradiction),
        ("points", expected.points, told.points),
    ]
    where_said = (
        ("outcome", expected.outcome, told.outcome),
        ("status", expected.status, told.status),
        ("attempts", attempts, told.attempts),
        ("self-reported", expected.self_reported, told.self_reported),
    )
    pairs += [pair for pair in where_said if pair[1] is not None]

    return (f"{what} {found}, not {asked}" for what, asked, found in pairs if found != asked)


def fault_of(case: Case, expected: Expected, told: Found) -> Fault:
    if told.contradiction and not expected.contradiction:
        return Fault.ACCUSED
    if told.verdict == "unclear" and expected.verdict != "unclear":
        return Fault.UNCLEAR
    if is_believed(case, expected, told):
        return Fault.BELIEVED
    if not case.is_lie and told.points < expected.points:
        return Fault.UNPAID

    return Fault.OTHER


def is_believed(case: Case, expected: Expected, told: Found) -> bool:
    """Verified though it should not be, or a lie that cost less, or earned more, than it should."""
    if told.verdict == "verified" and expected.verdict != "verified":
        return True

    return case.is_lie and told.points > expected.points


def is_same(asked: float | None, found: float | None) -> bool:
    if asked is None or found is None:
        return asked is found

    return abs(asked - found) < SAME_SHARE
