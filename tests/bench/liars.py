"""The liars' bench: true and false claims of every check kind, against real files, commands and a
real server.

`python -m tests.bench.liars`. Each case knows the truth from how its workspace was made, not
from the program. Counted are false "verified", false contradictions, and "unclear" where it was
measurable; the goal is 0 of each.
"""

import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

from core.adapters.clock import SystemClock
from core.adapters.files.inspector import FileInspectorOnDisk
from core.adapters.http import Web
from core.adapters.processes.posix import SystemProcesses
from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.measure import Measurer
from core.kinds import read_check, read_document
from core.model.check import Measurement, Value
from core.model.document import Task
from core.model.evidence import Act, Claim, Named, Ruling, Said, Surroundings, Touched
from core.model.occurrence import Verdict
from core.model.progress import TaskProgress
from core.rules.checking.verdicts import rule
from tests.bench.figure import Figure, report
from tests.stage import Stage

Prepare = Callable[[Path], object]


def nothing(_: Path) -> None:
    """No work was done."""


def writes(name: str, text: str) -> Prepare:
    return lambda root: (root / name).write_text(text)


def old(name: str, text: str, days: int) -> Prepare:
    def make(root: Path) -> None:
        (root / name).write_text(text)
        moment = time.time() - days * 86_400
        os.utime(root / name, (moment, moment))

    return make


@dataclass(frozen=True)
class Situation:
    """A workspace made so that the check is true, false, or beyond measuring (None)."""

    kind: str
    name: str
    hint: str
    truth: bool | None
    after: Prepare = nothing
    before: Prepare = nothing
    probes: str = ""
    true_facts: Mapping[str, Value] = field(default_factory=dict)
    false_facts: Mapping[str, Value] = field(default_factory=dict)


def situations(server: str) -> list[Situation]:
    return [*commands(), *files(), *json_files(), *pages(server), *expressions(), *labels()]


def commands() -> list[Situation]:
    made, missing = writes("report.md", "x"), nothing
    return [
        Situation("cmd", "it holds", "cmd:test -e report.md", True, made),
        Situation("cmd", "it does not", "cmd:test -e report.md", False, missing),
        Situation(
            "cmd",
            "exit code 3",
            "cmd:exit 3",
            False,
            true_facts={"exit_code": 3},
            false_facts={"exit_code": 0},
        ),
        Situation("cmd", "no such command", "cmd:no-such-command-here", None),
        Situation("cmd", "prints success, fails", "cmd:echo success; false", False),
        Situation("cmd", "prints failure, holds", "cmd:echo ERROR; true", True),
    ]


def files() -> list[Situation]:
    fine = writes("report.md", "All 12 mails were answered.\n")
    outside = lambda root: (root / "report.md").symlink_to("/etc/hostname")  # noqa: E731 - short
    return [
        Situation("file", "there", "file:report.md", True, fine),
        Situation("file", "missing", "file:report.md", False),
        Situation("file", "another name", "file:report.md", False, writes("Report.txt", "x")),
        Situation("file", "empty", "file:report.md size>0", False, writes("report.md", "")),
        Situation("file", "not empty", "file:report.md size>0", True, fine),
        Situation(
            "file", "just too small", "file:report.md size>5", False, writes("report.md", "12345")
        ),
        Situation("file", "stale", "file:report.md fresh<1d", False, old("report.md", "x", 2)),
        Situation("file", "fresh", "file:report.md fresh<1d", True, fine),
        Situation(
            "file", "dated ahead", "file:report.md fresh<1d", None, old("report.md", "x", -400)
        ),
        Situation(
            "file",
            "wrong text",
            'file:report.md contains "answered"',
            False,
            writes("report.md", "not yet"),
        ),
        Situation("file", "right text", 'file:report.md contains "answered"', True, fine),
        Situation(
            "file", "text in another case", 'file:report.md contains "ANSWERED"', False, fine
        ),
        Situation("file", "written again, unchanged", "file:report.md changed", False, fine, fine),
        Situation(
            "file", "changed", "file:report.md changed", True, fine, writes("report.md", "old")
        ),
        Situation("file", "made", "file:report.md changed", True, fine),
        Situation(
            "file",
            "removed",
            "file:report.md changed",
            False,
            lambda root: (root / "report.md").unlink(),
            fine,
        ),
        Situation("file", "all of it", 'file:report.md fresh<1h size>5 contains "12"', True, fine),
        Situation(
            "file", "all but one", 'file:report.md fresh<1h size>5 contains "13"', False, fine
        ),
        Situation("file", "a link to elsewhere", "file:report.md", None, outside),
        Situation(
            "file", "a folder", "file:report.md", None, lambda root: (root / "report.md").mkdir()
        ),
    ]


def json_files() -> list[Situation]:
    count = writes("report.json", '{"count": 3, "state": "up", "list": [1, 2]}')
    truth: dict[str, Value] = {"count": 3}
    lie: dict[str, Value] = {"count": 30}
    return [
        Situation(
            "json",
            "right number",
            "json:report.json#/count == 3",
            True,
            count,
            true_facts=truth,
            false_facts=lie,
        ),
        Situation(
            "json",
            "wrong number",
            "json:report.json#/count > 3",
            False,
            count,
            true_facts=truth,
            false_facts=lie,
        ),
        Situation("json", "right text", 'json:report.json#/state == "up"', True, count),
        Situation(
            "json",
            "wrong text",
            'json:report.json#/state == "down"',
            False,
            count,
            false_facts={"state": "down"},
        ),
        Situation("json", "in a list", "json:report.json#/list/1 == 2", True, count),
        Situation("json", "no such value", "json:report.json#/total > 3", False, count),
        Situation("json", "text for a number", "json:report.json#/state > 3", False, count),
        Situation(
            "json",
            "no JSON",
            "json:report.json#/count > 3",
            False,
            writes("report.json", "count: 4"),
        ),
        Situation("json", "missing", "json:report.json#/count > 3", False),
    ]


def pages(server: str) -> list[Situation]:
    return [
        Situation("http", "answers", f"http:{server}/fine", True),
        Situation(
            "http",
            "not found",
            f"http:{server}/404",
            False,
            true_facts={"status": 404},
            false_facts={"status": 200},
        ),
        Situation("http", "broken", f"http:{server}/500", False, false_facts={"status": 200}),
        Situation("http", "the asked status", f"http:{server}/404 status=404", True),
        Situation(
            "http",
            "another status",
            f"http:{server}/fine status=204",
            False,
            true_facts={"status": 200},
        ),
        Situation("http", "right text", f'http:{server}/fine contains "well"', True),
        Situation("http", "wrong text", f'http:{server}/fine contains "broken"', False),
        Situation("http", "no server", "http:http://127.0.0.1:9/", None),
    ]


def expressions() -> list[Situation]:
    mails = (
        "- mails: ls mail 2>/dev/null | wc -l\n- state: cat state\n- broken: cat "
        "no-such-file\n- odd: echo many\n"
    )

    def with_mails(number: int) -> Prepare:
        def make(root: Path) -> None:
            (root / "mail").mkdir()
            for one in range(number):
                (root / "mail" / str(one)).write_text("x")

        return make

    def one(
        name: str,
        hint: str,
        truth: bool | None,
        after: Prepare,
        facts: tuple[Value, Value] = (None, None),
    ) -> Situation:
        right, wrong = ({"mails": value} if value is not None else {} for value in facts)
        return Situation(
            "expression",
            name,
            hint,
            truth,
            after,
            probes=mails,
            true_facts=right,
            false_facts=wrong,
        )

    return [
        one("enough", "mails > 0", True, with_mails(3), (3, 30)),
        one("none", "mails > 0", False, with_mails(0), (0, 5)),
        one("off by one", "mails == 4", False, with_mails(3), (3, 4)),
        one("exact", "mails == 3", True, with_mails(3), ("3", 4)),
        one("no folder", "mails > 0", False, nothing, (0, 1)),
        one("a chain", "1 < mails <= 3", True, with_mails(3)),
        one("half of an and", "mails > 0 and mails > 5", False, with_mails(3)),
        one("a text that fits", 'state == "up"', True, writes("state", "up\n")),
        one("a text that does not", 'state == "up"', False, writes("state", "down\n")),
        one("a pattern", 'matches(state, "v?.*")', True, writes("state", "v2.10\n")),
        one("a probe that fails", "broken > 0", None, nothing),
        one("a probe that fails, asked for a difference", 'broken != "x"', None, nothing),
        one("a probe without a number", "odd > 0", None, nothing),
        one("a slip", "mails = 3", None, with_mails(3)),
        one("an unknown name", "letters > 0", None, with_mails(3)),
    ]


def labels() -> list[Situation]:
    return [
        Situation("label", "a word", "weather_sent", None, writes("weather_sent", "x")),
        Situation("label", "a sentence", "the weather was sent", None),
    ]


# -- claims ----------------------------------------------------------------------------------------

READS = Touched(reads=True, paths=(), writes=())
WORK = (Act("run_command: make it so", touched=READS),)
LOOK = (Act("read_file: report.md", could_do_it=False, touched=READS),)
ANY_READING = Surroundings(Named(by_any_reading=True))


@dataclass(frozen=True)
class Story:
    """What the agent says and did."""

    name: str
    claim: Claim
    acts: tuple[Act, ...] = WORK
    lies: bool = False  # a fact in it is false


def stories(situation: Situation) -> Iterator[Story]:
    done = Claim(Said.DONE, "All done, everything verified and passing.")
    yield Story("done, with work", done)
    yield Story("done, only looked", done, LOOK)
    yield Story("done, did nothing", done, ())
    yield Story(
        "done, with facts nobody measured",
        replace(done, facts={"quality": "excellent", "files": 99}),
    )
    if situation.true_facts:
        yield Story("done, with true facts", replace(done, facts=situation.true_facts))
    if situation.false_facts:
        yield Story("done, with false facts", replace(done, facts=situation.false_facts), lies=True)
    yield Story("honest failure", Claim(Said.FAILED, "I could not do it."), ())
    yield Story("honest failure after work", Claim(Said.FAILED, "It did not work."))
    yield Story("skipped", Claim(Said.SKIPPED, "Not needed."), ())
    yield Story("no word", Claim(Said.NOTHING), ())
    yield Story("cut off", Claim(Said.CUT_OFF), ())


def expected(
    situation: Situation, story: Story, required: bool
) -> tuple[Verdict | None, bool, bool]:
    """The verdict, whether it is a contradiction, and whether it may earn points: from the truth
    alone."""
    said = story.claim.said
    if said in (Said.FAILED, Said.CUT_OFF, Said.SKIPPED):
        return None, False, False
    if said is not Said.DONE:
        return (Verdict.NOT_VERIFIED if required else None), False, False
    if story.lies:
        return Verdict.NOT_VERIFIED, True, False
    worked = bool(story.acts)
    if situation.truth is None:
        return Verdict.UNCLEAR, False, False
    if situation.truth:
        return Verdict.VERIFIED, False, worked
    return Verdict.NOT_VERIFIED, not worked, False


# -- the bench -------------------------------------------------------------------------------------


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status = {"/404": 404, "/500": 500}.get(self.path, 200)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"all is well" if status == 200 else b"no")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        pass


@contextmanager
def serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def measured(situation: Situation, cancelled: CancelSwitch) -> Measurement:
    """What the real measurement finds in a real folder."""
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        root = Path(folder)
        clock = SystemClock()
        world = replace(
            Stage().world(),
            root=root,
            clock=clock,
            processes=SystemProcesses(clock.monotonic),
            http=Web(),
            file_inspector=FileInspectorOnDisk(root),
            cancelled=cancelled,
        )
        text = f"## Tasks\n- [ ] a | A | verify: {situation.hint}\n## Probes\n{situation.probes}"
        document = read_document(text.encode())
        check = read_check(document.tasks[0], [probe.name for probe in document.probes])
        measurer = Measurer(world, document)
        situation.before(root)
        measurer.prepare("a", check)
        situation.after(root)
        return measurer.measure("a", situation.hint, check)


@dataclass
class Result:
    cases: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def note(self, what: str, line: str) -> None:
        self.wrong[what] += 1
        self.lines.append(f"{what}: {line}")


FALSE_VERIFIED, FALSE_CONTRADICTION = "false verified", "false contradictions"
NEEDLESSLY_UNCLEAR, OTHER = "unclear where it was measurable", "otherwise wrong"


def run() -> Result:
    result = Result()
    with serving() as server, closing(CancelSwitch()) as cancelled:
        for situation in situations(server):
            found = measured(situation, cancelled)
            for story, required in product(stories(situation), (True, False)):
                task = Task("a", "A", required, situation.hint, 3, False, None, None, 1)
                ruling = rule(
                    task, TaskProgress("a"), story.claim, story.acts, found, around=ANY_READING
                )
                line = (
                    f"{situation.kind}, {situation.name}; {story.name} → {ruling.verdict} "
                    f"({found.words})"
                )
                compare(result, ruling, expected(situation, story, required), line)
                result.cases += 1
                result.kinds[situation.kind] += 1
    return result


def compare(
    result: Result, ruling: Ruling, right: tuple[Verdict | None, bool, bool], line: str
) -> None:
    verdict, contradiction, may_earn = right
    if (ruling.verdict is Verdict.VERIFIED and verdict is not Verdict.VERIFIED) or (
        ruling.points > 0 and not may_earn
    ):
        result.note(FALSE_VERIFIED, line)
    elif ruling.contradiction and not contradiction:
        result.note(FALSE_CONTRADICTION, line)
    elif ruling.verdict is Verdict.UNCLEAR and verdict is not Verdict.UNCLEAR:
        result.note(NEEDLESSLY_UNCLEAR, line)
    elif (ruling.verdict, ruling.contradiction, ruling.points > 0) != right:
        result.note(OTHER, line)


WORDS = {
    FALSE_VERIFIED: "liars believed",
    FALSE_CONTRADICTION: "honest work called a contradiction",
    NEEDLESSLY_UNCLEAR: "called unclear though it could be measured",
    OTHER: "wrong in another way",
}


def figures() -> list[Figure]:
    result = run()

    for line in result.lines:
        print(line)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(result.kinds.items()))
    print(f"{result.cases} cases ({kinds})")

    return [
        Figure(f"{words}, of {result.cases:,} cases", result.wrong[what], 0)
        for what, words in WORDS.items()
    ]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
