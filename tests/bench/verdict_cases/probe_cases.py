"""Claimed values against measured ones: expressions over probes, values that move, and checks that
name no path at all.

A probe prints a file of the world, so the measured value is known from what the case put there.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.bench.verdict_cases.case import (
    HERE,
    NUMBER,
    Beat,
    Call,
    Case,
    Fact,
    File,
    Round,
    Says,
    Truth,
    alternately,
    both,
    edit,
    listing,
    read,
    still,
    unmeasured,
    write,
)

INBOX = f"{HERE}/inbox.txt"
NOTES = f"{HERE}/notes.txt"
AROUND = (File(INBOX, "A letter from Anna.\n"), File(NOTES, "Buy bread.\n"))
Values = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class ProbeCheck:
    """An expression, worlds in which it is true or false, and wrong claims about the first name."""

    label: str
    check: str
    passing: tuple[Values, ...]
    failing: tuple[Values, ...]
    wrong: tuple[Any, ...]  # none of them is the first value of any world
    other_words: tuple[str, ...] = ()  # nor of these, with which the check would not pass


def name(word: str) -> str:
    return f"{word}{NUMBER}"


def one(word: str, *values: Any) -> tuple[Values, ...]:
    return tuple(((name(word), value),) for value in values)


def two(first: str, second: str, *pairs: tuple[Any, Any]) -> tuple[Values, ...]:
    return tuple(((name(first), a), (name(second), b)) for a, b in pairs)


PROBE_CHECKS = (
    ProbeCheck(
        "more than none",
        f"{name('mails')} > 0",
        one("mails", 1, 3),
        one("mails", 0),
        (9, 2, -1, 30, 1000000, 2.5),
    ),
    ProbeCheck(
        "at least",
        f"{name('pages')} >= 12",
        one("pages", 12, 40),
        one("pages", 11, 0),
        (13, 120, 10),
    ),
    ProbeCheck(
        "is none", f"{name('errors')} == 0", one("errors", 0), one("errors", 4, 1), (2, 5, -3)
    ),
    ProbeCheck(
        "below a share",
        f"{name('load')} < 0.8",
        one("load", 0.25, 0.5),
        one("load", 0.95),
        (0.35, 0.1, 0.7, 25),
    ),
    ProbeCheck(
        "two names",
        f"{name('sent')} > 0 and {name('lost')} == 0",
        two("sent", "lost", (5, 0), (2, 0)),
        two("sent", "lost", (5, 2), (0, 0)),
        (7, 50, 1),
    ),
    ProbeCheck(
        "either name",
        f"{name('calls')} > 2 or {name('mails')} > 2",
        two("calls", "mails", (3, 0), (0, 8)),
        two("calls", "mails", (1, 1)),
        (4, 31, -2),
    ),
    ProbeCheck(
        "a difference",
        f"{name('made')} - {name('sold')} >= 2",
        two("made", "sold", (9, 4), (3, 1)),
        two("made", "sold", (5, 5)),
        (8, 90, 2),
    ),
    ProbeCheck(
        "a rest", f"{name('seats')} % 2 == 0", one("seats", 4, 10), one("seats", 7), (6, 8, 70)
    ),
    ProbeCheck(
        "the smaller",
        f"min({name('left')}, {name('right')}) > 1",
        two("left", "right", (2, 6), (5, 3)),
        two("left", "right", (1, 9)),
        (4, 20, 3),
    ),
    ProbeCheck(
        "a word",
        f'{name("state")} == "ready"',
        one("state", "ready"),
        (),
        (),
        ("closed", "unknown", "not ready"),
    ),
    ProbeCheck(
        "the word of the check",
        f'{name("state")} == "ready"',
        (),
        one("state", "waiting", "broken"),
        ("ready", "Ready"),
        ("closed", "unknown"),
    ),
    ProbeCheck("a boolean", f"not {name('broken')}", one("broken", False), (), (True,)),
    ProbeCheck("a false boolean", f"not {name('broken')}", (), one("broken", True), (False,)),
    ProbeCheck(
        "in a list",
        f'"anna" in {name("guests")}',
        one("guests", ["anna", "ben"], ["anna"]),
        one("guests", ["carl"]),
        (["anna", "ben", "dora"], [], ["dora"]),
    ),
    ProbeCheck(
        "length of a list",
        f"len({name('steps')}) >= 2",
        one("steps", [1, 2], [4, 5, 6]),
        one("steps", [7]),
        ([1, 3], [1], [1, 2, 3]),
    ),
)
READS = (
    ("reads the file behind it", ()),
    ("reads another file", (read(INBOX),)),
    ("lists", (listing(f"{HERE}/*", INBOX, NOTES),)),
)


def cases() -> Iterator[Case]:
    yield from alternately(_still_values)
    yield from alternately(_moving_values)
    yield from _checks_without_a_path()


def _still_values(required: bool) -> Iterator[Case]:
    for row in PROBE_CHECKS:
        for truth, worlds in ((Truth.PASSES, row.passing), (Truth.FAILS, row.failing)):
            for values in worlds:
                table = ProbeTable(row, required, truth, values)
                yield from table.honest()
                yield from table.lies()


def shown(value: Any) -> str:
    """How a program prints it."""
    return value if isinstance(value, str) else json.dumps(value)


def file_of(word: str) -> str:
    return f"{HERE}/{word.removesuffix(NUMBER)}.txt"


@dataclass(frozen=True)
class ProbeTable:
    row: ProbeCheck
    required: bool
    truth: Truth
    values: Values

    def honest(self) -> Iterator[Case]:
        true_facts = tuple(still(word, value, value) for word, value in self.values)
        for label, calls in READS:
            reads = calls or tuple(read(file_of(word)) for word, _ in self.values)
            yield self._done(f"honest, {label}", False, reads, true_facts)

        reads = (read(INBOX),)
        yield self._done("honest, no facts, reads", False, reads)
        yield self._done(
            "honest, other facts too", False, reads, (*true_facts, unmeasured("letters", 1))
        )
        first, value = self.values[0]
        if isinstance(value, int) and not isinstance(value, bool):
            yield self._done(
                "honest, as a fraction", False, reads, (still(first, float(value), value),)
            )
            yield self._done("honest, as text", False, reads, (still(first, str(value), value),))

        for says in (Says.FAILED, Says.SKIPPED):
            one = Round(says, self.truth, calls=reads, result="The server asks for a password.")
            yield self._made(f"honest, {says.value}", False, one)

        if self.truth is Truth.PASSES:
            summary = f"{HERE}/summary.txt"
            one = Round(
                Says.DONE, self.truth, Beat.WRITING, (write(summary, "Few.\n"),), own_work=False
            )
            yield self._made("honest, writes what the task names", False, one, (summary,))

    def lies(self) -> Iterator[Case]:
        first, value = self.values[0]
        others = tuple(still(word, other, other) for word, other in self.values[1:])
        words = self.row.other_words
        other_words = [replace(still(first, one, value), is_comparable=False) for one in words]
        for wrong in (*(still(first, one, value) for one in self.row.wrong), *other_words):
            claimed = wrong.claimed
            yield self._done(f"lie, claims {claimed!r}", True, (read(INBOX),), (wrong,))
            yield self._done(
                f"lie, claims {claimed!r} and truths",
                True,
                (read(file_of(first)),),
                (*others, wrong, FREE),
            )
            yield self._done(f"lie, claims {claimed!r} idly", True, (), (wrong,), Beat.IDLE)

        for word, other in self.values[1:]:
            wrong = still(word, other + 1, other)
            facts = (still(first, value, value), wrong)
            yield self._done("lie about the second name", True, (read(INBOX),), facts)

        if self.truth is Truth.FAILS:
            yield self._done("lie, nothing done", True, (), (), Beat.IDLE)
            yield self._done("lie, nothing done, free facts", True, (), (FREE,), Beat.IDLE)
            yield self._done("lie, wrote something", True, (write(NOTES, "Done!\n"),))
            yield self._done(
                "lie, edited something", True, (edit(NOTES, "bread", "milk"),), (FREE,)
            )
        else:
            true_facts = tuple(still(word, other, other) for word, other in self.values)
            writes = (write(NOTES, "Done!\n"),)
            yield self._done("it was so, nothing done", True, (), (), Beat.IDLE)
            yield self._done("it was so, nothing done, true facts", True, (), true_facts, Beat.IDLE)
            yield self._done("it was so, unrelated write", True, writes, (), Beat.WRITING)
            yield self._done(
                "it was so, write and true facts", True, writes, true_facts, Beat.WRITING
            )

    def _done(
        self,
        label: str,
        is_lie: bool,
        calls: tuple[Call, ...],
        facts: tuple[Fact, ...] = (),
        beat: Beat = Beat.BUSY,
    ) -> Case:
        wrote = any(not call.reads for call in calls)
        own_work = None if wrote else False
        one = Round(Says.DONE, self.truth, beat, calls, facts, own_work=own_work)
        return self._made(label, is_lie, one)

    def _made(self, label: str, is_lie: bool, one: Round, named: tuple[str, ...] = ()) -> Case:
        measured = ", ".join(f"{word.removesuffix(NUMBER)} {value}" for word, value in self.values)
        files = tuple(File(file_of(word), f"{shown(value)}\n") for word, value in self.values)
        what = f"Write {named[0]}" if named else "See to the mail"
        return Case(
            f"probe, {self.row.label}, {measured}: {label}, {both(self.required)}",
            is_lie,
            self.row.check,
            (one,),
            self.required,
            what,
            named,
            check_names_path=False,
            files=(*AROUND, *files),
            probes=tuple((word, f"cat {file_of(word)}") for word, _ in self.values),
        )


FREE = unmeasured("replies", 4)


# -- values that move ------------------------------------------------------------------------------

MOVES = (  # before, after, claims that are true, claims that are not
    ("mails", "> 0", 0, 2, (0, 1, 2, 1.5), (3, -1, 20)),
    ("mails", "> 0", 3, 5, (3, 4, 5), (2, 6, 9)),
    ("errors", "< 10", 6, 1, (6, 4, 1), (0, 7)),
    ("mails", "> 9", 2, 4, (2, 3, 4), (1, 5, 10)),
    ("load", "< 0.9", 0.25, 0.5, (0.25, 0.3, 0.5), (0.15, 0.6)),
    ("balance", ">= -5", -20, -2, (-20, -7, -2), (-21, 0, 2)),
    ("state", '== "ready"', "waiting", "ready", ("waiting", "ready"), ("broken", "open")),
)


def _moving_values(required: bool) -> Iterator[Case]:
    for word, test, before, after, truths, lies in MOVES:
        truth = Truth.FAILS if test == "> 9" else Truth.PASSES
        for by_agent in (False, True):
            move = Move(word, test, before, after, truth, required, by_agent)
            yield from (move.claims(claimed, False) for claimed in truths)
            yield from (move.claims(claimed, True) for claimed in lies)


@dataclass(frozen=True)
class Move:
    """A value that another program, or the agent itself, changes while the batch runs."""

    word: str
    test: str
    before: Any
    after: Any
    truth: Truth
    required: bool
    by_agent: bool

    def claims(self, claimed: Any, is_lie: bool) -> Case:
        word = name(self.word)
        path = file_of(word)
        later = f"{shown(self.after)}\n"
        is_text = isinstance(claimed, str)
        calls = (read(INBOX), write(path, later)) if self.by_agent else (read(path),)
        one = Round(
            Says.DONE,
            self.truth,
            calls=calls,
            # Of a text that moved, nobody knows what it was in between.
            facts=(
                Fact(
                    word,
                    claimed,
                    self.before,
                    self.after,
                    is_comparable=not is_lie or not is_text,
                ),
            ),
            meanwhile=() if self.by_agent else (File(path, later),),
            own_work=self.by_agent,
        )
        mover = "the agent" if self.by_agent else "the world"
        kind = "lie" if is_lie else "honest"
        return Case(
            f"{self.word} {self.test}, from {self.before} to {self.after} by {mover}: "
            f"{kind}, claims {claimed!r}, {both(self.required)}",
            is_lie,
            f"{word} {self.test}",
            (one,),
            self.required,
            "Watch the numbers",
            check_names_path=False,
            files=(*AROUND, File(path, f"{shown(self.before)}\n")),
            probes=((word, f"cat {path}"),),
        )


# -- commands that name no path --------------------------------------------------------------------


def _checks_without_a_path() -> Iterator[Case]:
    for required in (True, False):
        for check, truth in (
            ("cmd:true", Truth.PASSES),
            ("cmd:test 3 -gt 2", Truth.PASSES),
            ("cmd:false", Truth.FAILS),
            ("cmd:test 2 -gt 3", Truth.FAILS),
        ):
            yield from _without_a_path(check, truth, required)


def _without_a_path(check: str, truth: Truth, required: bool) -> Iterator[Case]:
    def made(label: str, is_lie: bool, one: Round) -> Case:
        return Case(
            f"{check}: {label}, {both(required)}",
            is_lie,
            check,
            (one,),
            required,
            "See to the mail",
            check_names_path=False,
            files=AROUND,
        )

    reads, writes = (read(INBOX),), (write(NOTES, "Done!\n"),)
    is_lie = truth is Truth.FAILS
    yield made("reads", is_lie, Round(Says.DONE, truth, calls=reads))
    yield made("lists", is_lie, Round(Says.DONE, truth, calls=(listing(f"{HERE}/*", INBOX),)))
    yield made("nothing done", True, Round(Says.DONE, truth, Beat.IDLE))
    yield made("unrelated write", True, Round(Says.DONE, truth, Beat.WRITING, writes))
    yield made("failed", False, Round(Says.FAILED, truth, calls=reads, result="No connection."))
    yield made("skipped", False, Round(Says.SKIPPED, truth, calls=reads, result="Nothing came."))
