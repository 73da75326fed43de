"""`run:` tasks: their command is the work, an exit code other than 0 is an honest failure, and
whatever it prints, it is never a contradiction."""

from collections.abc import Iterator

from tests.bench.verdict_cases.case import (
    HERE,
    SITE,
    Beat,
    Case,
    File,
    Round,
    Says,
    Truth,
    both,
)

OUT = f"{HERE}/out.txt"
DATA = f"{HERE}/data.json"
PAGE = f"{HERE}/index.html"
WORLD = (
    File(f"{HERE}/in.txt", "one\ntwo\nthree\n"),
    File(f"{HERE}/good.json", '{"count": 7}'),
    File(DATA, '{"count": 1}', 3),
    File(f"{HERE}/count.txt", "0\n", 3),
)
COPIES = f"cp {HERE}/in.txt {OUT}"
BOASTS = "echo 'All is done, 9 mails were sent.'"

# check, a command that makes it true, one that ends with 0 and does not
CHECKS = (
    ("", COPIES, None),
    (f"file:{OUT} size>0", COPIES, f"{BOASTS}; : > {OUT}"),
    (f"file:{OUT} size>500", f"seq 1 300 > {OUT}", COPIES),
    (f'file:{OUT} contains "three"', COPIES, f"echo two > {OUT}"),
    (f"file:{OUT} changed", COPIES, BOASTS),
    (f"file:{OUT} fresh<1h", f"date > {OUT}", f"cat {HERE}/in.txt"),
    (f"cmd:grep -q two {OUT}", COPIES, f"echo three > {OUT}"),
    (f"cmd:cmp -s {HERE}/in.txt {OUT}", COPIES, f"echo one > {OUT}"),
    (f"json:{DATA}#/count > 5", f"cp {HERE}/good.json {DATA}", f"{BOASTS}; cat {DATA}"),
    ("mails<n> > 0", f"echo 3 > {HERE}/count.txt", BOASTS),
    ("mails<n> == 4", f"echo 4 > {HERE}/count.txt", f"echo 5 > {HERE}/count.txt"),
    (
        f'http:{SITE}/{PAGE} status=200 contains "open"',
        f"echo open > {PAGE}",
        f"echo closed > {PAGE}",
    ),
)


def cases() -> Iterator[Case]:
    for check, makes, pretends in CHECKS:
        for required in (True, False):
            label = f"run, {check or 'no check'}"
            yield _made(f"{label}: does it", False, check, makes, required, Truth.PASSES)
            yield _made(
                f"{label}: says so too",
                False,
                check,
                f"{makes} && {BOASTS}",
                required,
                Truth.PASSES,
            )
            for code in (1, 3):
                ends = f"exit {code}"
                yield _made(
                    f"{label}: fails with {code}", False, check, ends, required, Truth.FAILS, code
                )
                yield _made(
                    f"{label}: does it, ends with {code}",
                    False,
                    check,
                    f"{makes}; {BOASTS}; {ends}",
                    required,
                    Truth.PASSES,
                    code,
                )

            if pretends is not None:
                yield _made(f"{label}: lie", True, check, pretends, required, Truth.FAILS)
                yield _made(
                    f"{label}: lie, boasts",
                    True,
                    check,
                    f"{pretends}; {BOASTS}",
                    required,
                    Truth.FAILS,
                )


def _made(
    name: str,
    is_lie: bool,
    check: str,
    command: str,
    required: bool,
    truth: Truth,
    exit_code: int = 0,
) -> Case:
    one = Round(Says.COMMAND, truth, Beat.COMMANDS, exit_code=exit_code)
    return Case(
        f"{name}, {both(required)}",
        is_lie,
        check,
        (one,),
        required,
        "Do it by a command",
        files=WORLD,
        probes=(("mails<n>", f"cat {HERE}/count.txt"),) if "mails" in check else (),
        run=command,
    )
