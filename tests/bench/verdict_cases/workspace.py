"""Cases that share a workspace: its HEARTBEAT.md, its files, and the model that plays the agent
and the judge of all of them."""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.verdict_cases import case as cases
from tests.bench.verdict_cases.case import Beat, Case, File, Raw, Round, Says, fill
from tests.model_server import Call, Fail, Received, Reply, Say

DAY = 86_400
MOST_CALLS = 16  # in one answer of the model
BYSTANDER = "bystander"
BYSTANDER_FILE = "bystander.txt"
LAST_WORDS = {
    Beat.SKIP: "SKIP",
    Beat.HEARTBEAT_OK: "HEARTBEAT_OK",
    Beat.SKIP_WITH_BLANKS: "  SKIP\n",
    Beat.READ_THEN_OK: "HEARTBEAT_OK",
}


@dataclass(frozen=True)
class Placed:
    """A case with its marks filled in for one workspace."""

    case: Case
    number: int
    site: str
    root: Path

    @property
    def task(self) -> str:
        return f"task{self.number}"

    def text(self, text: str) -> str:
        words = {
            cases.HERE: f"case{self.number}",
            cases.NUMBER: str(self.number),
            cases.SITE: self.site,
            cases.ROOT: str(self.root),
        }
        return fill(text, words)

    def line(self) -> str:
        """The task as the person writes it."""
        case = self.case
        fields = [self.task, case.description, cases.both(case.required)]
        if case.run:
            fields.append(f"run: {case.run}")
        if case.check:
            fields.append(f"verify: {case.check}")

        fields.append(f"max_attempts: {case.max_attempts}")
        return self.text(f"- [ ] {' | '.join(fields)}\n")

    def probe_lines(self) -> str:
        return "".join(self.text(f"- {name}: {command}\n") for name, command in self.case.probes)

    def calls(self, one: Round) -> list[Call]:
        return [
            Call(call.tool, {name: self.text(value) for name, value in call.arguments})
            for call in one.calls
        ]

    def report(self, one: Round) -> list[Call]:
        if one.says not in (Says.DONE, Says.FAILED, Says.SKIPPED):
            return []

        facts = {self.text(fact.name): self.value(fact.claimed) for fact in one.facts}
        arguments: dict[str, Any] = {
            "task_id": self.task,
            "outcome": one.says.value,
            "result": self.text(one.result),
        }
        text = json_of(arguments | ({"facts": facts} if facts else {}))
        return [Call("report_task", text)]

    def value(self, claimed: Any) -> Any:
        return self.text(claimed) if isinstance(claimed, str) else claimed

    def ruling(self, one: Round) -> list[dict[str, Any]]:
        if one.ruling is None:
            return []

        return [
            {
                "task_id": self.task,
                "verdict": one.ruling.verdict,
                "contradiction": False,
                "quote": self.text(one.ruling.quote),
                "reason": one.ruling.reason,
            }
        ]


class SharedWorkspace:
    def __init__(
        self, root: Path, placed: Sequence[Placed], exit_codes: Sequence[int] = ()
    ) -> None:
        self.root = root
        self.placed = placed
        self.beats = placed[0].case.beats
        self.blind: list[Case] = []  # their calls did not show what they are about
        self._has_bystander = Beat.BESIDE in self.beats
        self._write(exit_codes)

    def _write(self, exit_codes: Sequence[int]) -> None:
        self.root.mkdir()
        for one in self.placed:
            self._change(one, one.case.files)

        lines = "".join(one.line() for one in self.placed)
        if self._has_bystander:
            (self.root / BYSTANDER_FILE).write_text("It stands here.\n")
            lines += f"- [ ] {BYSTANDER} | Read it | verify: file:{BYSTANDER_FILE} size>0\n"

        probes = "".join(one.probe_lines() for one in self.placed)
        text = f"# Mine\n\n## Tasks\n\n{lines}\n## Probes\n\n{probes}\n{actions(exit_codes)}"
        file = self.root / "HEARTBEAT.md"
        file.write_text(text, encoding="utf-8")
        make_old(file, 1)  # nobody is just saving it

    def _change(self, placed: Placed, files: Sequence[File]) -> None:
        for file in files:
            path = self.root / placed.text(file.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(placed.text(file.text), encoding="utf-8")
            if file.days:
                make_old(path, file.days)

    # -- one beat ----------------------------------------------------------------------------------

    def prepare(self, number: int) -> None:
        """What happens to the world before this beat."""
        for one in self.placed:
            self._change(one, one.case.rounds[number].first)

    def model(self, number: int, cancel: Callable[[], None]) -> Callable[[Received], Reply]:
        """The agent and the judge of this beat."""
        beat = self.beats[number]
        seen: list[str] = []
        answers = self._answers(number, seen)

        def reply(received: Received) -> Reply:
            if "response_format" in received.body:
                return Fail(400) if beat is Beat.NO_JUDGE else Say(self._judgement(number))
            if beat is Beat.UNREACHABLE:
                return Fail(400)
            if beat is Beat.CANCELLED:
                cancel()

            seen.append(received.text)
            return next(answers)

        return reply

    def _answers(self, number: int, seen: Sequence[str]) -> Iterator[Say]:
        """The calls, then the reports, then the last words for ever."""
        beat = self.beats[number]
        rounds = [(one, one.case.rounds[number]) for one in self.placed]
        for one, now in rounds:
            self._change(one, now.meanwhile)

        calls = [call for one, now in rounds for call in one.calls(now)]
        reports = [call for one, now in rounds for call in one.report(now)]
        if beat is Beat.BESIDE:
            calls.append(Call("read_file", {"path": BYSTANDER_FILE}))
            arguments = {"task_id": BYSTANDER, "outcome": "done", "result": "It is there."}
            reports.append(Call("report_task", arguments))

        yield from says_of(calls)
        self.blind += [one.case for one, now in rounds if one.text(now.sees) not in "".join(seen)]
        for one, now in rounds:
            self._change(one, now.later)

        yield from says_of(reports)
        while True:
            yield Say(LAST_WORDS.get(beat, "That is all for now."))

    def _judgement(self, number: int) -> str:
        answers = [answer for one in self.placed for answer in one.ruling(one.case.rounds[number])]
        return json.dumps({"answers": answers})


def says_of(calls: Sequence[Call]) -> Iterator[Say]:
    for start in range(0, len(calls), MOST_CALLS):
        yield Say(calls=tuple(calls[start : start + MOST_CALLS]))


RAW = re.compile(r'"<raw ([^>"]*)>"')


def json_of(arguments: Any) -> str:
    """Also with what JSON does not have: `NaN`, and numbers that no float can hold."""
    text = json.dumps(arguments, default=_mark)
    return RAW.sub(r"\1", text)


def _mark(value: object) -> str:
    assert isinstance(value, Raw)
    return f"<raw {value.text}>"


def actions(exit_codes: Sequence[int]) -> str:
    """One shell action for each."""
    if not exit_codes:
        return ""

    blocks = (
        f"### [MEDIUM] Action {number}\n- id: action{number}\n- type: shell\n"
        f"- command: exit {code}\n- status: PENDING\n\n"
        for number, code in enumerate(exit_codes, 1)
    )
    return "## Pending Actions\n\n" + "".join(blocks)


def make_old(path: Path, days: float) -> None:
    moment = time.time() - days * DAY
    os.utime(path, (moment, moment))
