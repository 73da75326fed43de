"""Several beats in a row: points come once per interval, an unclear task never ends, and what the
program saw in one beat counts in the next."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.bench.verdict_cases.case import (
    HERE,
    Beat,
    Case,
    File,
    Round,
    Ruling,
    Says,
    Source,
    Truth,
    both,
    read,
    still,
    write,
)

OUT = f"{HERE}/out.txt"
DATA = f"{HERE}/data.json"
INBOX = f"{HERE}/inbox.txt"
LETTER = "Your parcel waits at the corner shop until Friday.\n"
PROVEN = Ruling("verified", "Your parcel waits at the corner shop", Source.FOREIGN)
UNSURE = Ruling("unclear", "", Source.EMPTY)
WORLD = (File(INBOX, LETTER), File(DATA, '{"count": 1}', 3))
ORDINALS = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True)
class Repeated:
    """A check, and how each of five beats makes it true."""

    label: str
    check: str
    rounds: tuple[Round, ...]
    path: str = ""  # that the check names
    probes: tuple[tuple[str, str], ...] = ()
    run: str = ""


def _writes(path: str, *texts: str) -> tuple[Round, ...]:
    return tuple(Round(Says.DONE, Truth.PASSES, calls=(write(path, text),)) for text in texts)


def _reads(path: str) -> tuple[Round, ...]:
    return (Round(Says.DONE, Truth.PASSES, calls=(read(path),)),) * 5


ROWS = (
    Repeated(
        "file size", f"file:{OUT} size>0", _writes(OUT, *(f"{word}\n" for word in ORDINALS)), OUT
    ),
    Repeated(
        "file changed",
        f"file:{OUT} changed",
        _writes(OUT, *(f"{word}\n" for word in ORDINALS)),
        OUT,
    ),
    Repeated("file fresh", f"file:{OUT} fresh<1h", (*_writes(OUT, "new\n"), *_reads(OUT)[1:]), OUT),
    Repeated("file read", f'file:{INBOX} contains "parcel"', _reads(INBOX), INBOX),
    Repeated("cmd", f"cmd:grep -q parcel {INBOX}", _reads(INBOX), INBOX),
    Repeated(
        "json",
        f"json:{DATA}#/count > 3",
        _writes(DATA, *(f'{{"count": {number}}}' for number in range(5, 10))),
        DATA,
    ),
    Repeated("probe", "mails<n> > 0", _reads(INBOX), probes=(("mails<n>", "echo 2"),)),
    Repeated(
        "judge",
        "parcel_was_noticed",
        (Round(Says.DONE, Truth.UNMEASURED, calls=(read(INBOX),), ruling=PROVEN),) * 5,
    ),
    Repeated(
        "run",
        f"file:{OUT} size>0",
        (Round(Says.COMMAND, Truth.PASSES, Beat.COMMANDS),) * 5,
        OUT,
        run=f"date > {OUT}",
    ),
)


def cases() -> Iterator[Case]:
    for required in (True, False):
        for row in ROWS:
            yield from _again(row, required)
            if not row.run:
                yield from _after_silence(row, required)

        yield from _unclear_three_times(required)
        yield from _broken_later(required)
        yield from _touched_between(required)


def _again(row: Repeated, required: bool) -> Iterator[Case]:
    for times in (2, 5):
        yield _made(f"{times} times in a row", True, row, row.rounds[:times], required)


def _after_silence(row: Repeated, required: bool) -> Iterator[Case]:
    """Earned in the second beat as if it were the first."""
    first, second = row.rounds[:2]
    truth = Truth.UNMEASURED if row.label == "judge" else _before_work(row)
    for says in (Says.SKIPPED, Says.FAILED):
        quiet = Round(says, truth, calls=(read(INBOX),), result="The line was busy.")
        yield _made(f"{says.value}, then done", False, row, (quiet, first), required)
        yield _made(
            f"done, then {says.value}", False, row, (first, _quiet_after(row, says)), required
        )

    yield _made(
        "skipped, then twice",
        True,
        row,
        (Round(Says.SKIPPED, truth, Beat.IDLE, result="Nothing new."), first, second),
        required,
    )


def _before_work(row: Repeated) -> Truth:
    """Of the rows that only read, the check is true from the start."""
    only_reads = all(call.reads for call in row.rounds[0].calls)
    return Truth.PASSES if only_reads else Truth.FAILS


def _quiet_after(row: Repeated, says: Says) -> Round:
    truth = {"judge": Truth.UNMEASURED, "file changed": Truth.FAILS}.get(row.label, Truth.PASSES)
    return Round(says, truth, calls=(read(INBOX),), result="The line was busy.")


def _unclear_three_times(required: bool) -> Iterator[Case]:
    row = next(one for one in ROWS if one.label == "judge")
    proven = row.rounds[0]
    for label, ruling in (
        ("the judge is unsure", UNSURE),
        ("no ruling", None),
        (
            "quotes from nowhere",
            Ruling("verified", "The parcel was fetched today.", Source.NOWHERE),
        ),
    ):
        unclear = replace(proven, ruling=ruling)
        for most in (1, 2):
            case = _made(
                f"unclear three times of {most}, {label}, then proven",
                False,
                row,
                (unclear, unclear, unclear, proven),
                required,
            )
            yield replace(case, max_attempts=most)


def _broken_later(required: bool) -> Iterator[Case]:
    """Earned once, and then a lie."""
    by_label = {row.label: row for row in ROWS}
    emptied = (File(OUT, ""),)
    again = Round(Says.DONE, Truth.FAILS, calls=(read(OUT),), first=emptied)
    idle = Round(Says.DONE, Truth.FAILS, Beat.IDLE, first=emptied)
    size = by_label["file size"]
    yield _made("done, emptied, done again", True, size, (size.rounds[0], again), required)
    yield _made("done, emptied, done idly", True, size, (size.rounds[0], idle), required)

    probe = by_label["probe"]
    for claimed in (0, 1, 9):
        lie = replace(probe.rounds[0], facts=(still("mails<n>", claimed, 2),))
        yield _made(f"done, then claims {claimed}", True, probe, (probe.rounds[0], lie), required)


def _touched_between(required: bool) -> Iterator[Case]:
    """Only the time of the file is new: the program saw this content before."""
    looked = Round(Says.FAILED, Truth.FAILS, calls=(read(OUT),), result="It is an old one.")
    touched = (File(OUT, LETTER),)
    for check in (f"file:{OUT} fresh<1h", f"file:{OUT} fresh<1d size>5", f"file:{OUT} changed"):
        row = Repeated(f"touched, {check}", check, (), OUT)
        lie = Round(Says.DONE, Truth.FAILS, calls=(read(OUT),), first=touched)
        case = _made("failed, touched, claimed", True, row, (looked, lie), required)
        yield replace(case, files=(*WORLD, File(OUT, LETTER, 3)))


def _made(
    label: str, is_lie: bool, row: Repeated, rounds: tuple[Round, ...], required: bool
) -> Case:
    return Case(
        f"again, {row.label}: {label}, {both(required)}",
        is_lie,
        row.check,
        rounds,
        required,
        f"Take care of {row.path or 'the mail'}",
        (row.path,) if row.path else (),
        check_names_path=bool(row.path),
        files=WORLD,
        probes=row.probes,
        run=row.run,
    )
