"""The table of verdicts in docs/spec.md, row by row: what follows from a claim, the
acts and the measurement."""

from dataclasses import replace

import pytest

from core.model.check import Finding, Measurement, Value
from core.model.document import Task
from core.model.evidence import (
    Act,
    Claim,
    Evidence,
    FileChange,
    Judgement,
    Named,
    Said,
    Surroundings,
    Touched,
)
from core.model.occurrence import Verdict
from core.model.progress import TaskProgress, TaskStatus
from core.rules.checking.quotes import trusted
from core.rules.checking.verdicts import HAS_EARNED, SO_ALREADY, rule

REQUIRED = Task("mail", "Read the mail", True, "mails > 0", 3, False, None, None, 1)
OPTIONAL = replace(REQUIRED, required=False)
BY_COMMAND = replace(REQUIRED, run="fetch")
BEFORE = TaskProgress("mail", TaskStatus.PENDING, 1)
PASSES = Measurement(Finding.PASSES, "", {"mails": 3})
FAILS = Measurement(Finding.FAILS, "", {"mails": 0}, asked="> 0", got="0")
UNMEASURED = Measurement(Finding.UNMEASURED, "")
ANY = (PASSES, FAILS, UNMEASURED)
DONE, FAILED, SKIPPED = Claim(Said.DONE), Claim(Said.FAILED), Claim(Said.SKIPPED, "not today")
NOTHING, CUT_OFF = Claim(Said.NOTHING), Claim(Said.CUT_OFF)


def read(path: str, output: str = "") -> Act:
    return Act(
        f"read_file(path={path})", output, could_do_it=False, touched=Touched(True, (path,), ())
    )


def listed(pattern: str) -> Act:
    touched = Touched(True, (), (), (pattern,))
    return Act(f"list_files({pattern})", "", could_do_it=False, touched=touched)


def write(path: str) -> Act:
    return Act(
        f"write_file(path={path})", f"Wrote {path}.", touched=Touched(False, (path,), (path,))
    )


def command(*words: str, output: str = "") -> Act:
    return Act(f"run_command({' '.join(words)})", output, touched=Touched(True, words, None))


LOOK = (read("inbox.md"),)
REPORT = Act("report_task(mail)", "Noted.", could_do_it=False, happened=False)
PROBE = Surroundings(
    Named(commands=("count",), words="Read the mail", by_any_reading=True),
    values_before={"mails": 3},
)
FILE = Surroundings(Named(paths=("report.md",), words="Sum up notes.txt and the inbox"))

Row = tuple[Verdict | None, bool, int, TaskStatus, int]


def row(
    task: Task,
    claim: Claim,
    acts: tuple[Act, ...],
    measured: Measurement,
    judgement: Judgement | None = None,
    before: TaskProgress = BEFORE,
    around: Surroundings = PROBE,
) -> Row:
    found = rule(task, before, claim, acts, measured, judgement, around)
    return found.verdict, found.contradiction, found.points, found.status, found.attempts


VERIFIED = (Verdict.VERIFIED, False, 10, TaskStatus.VERIFIED, 0)
FREE = (Verdict.VERIFIED, False, 0, TaskStatus.VERIFIED, 0)
NOT_VERIFIED = (Verdict.NOT_VERIFIED, False, -15, TaskStatus.FAILED, 2)
LIE = (Verdict.NOT_VERIFIED, True, -45, TaskStatus.FAILED, 2)


# -- done ------------------------------------------------------------------------------------------


def test_reading_is_the_work_where_the_check_names_no_file() -> None:
    assert row(REQUIRED, DONE, LOOK, PASSES) == VERIFIED
    assert row(OPTIONAL, DONE, LOOK, PASSES) == (*VERIFIED[:2], 5, *VERIFIED[3:])
    assert row(BY_COMMAND, DONE, (), PASSES) == VERIFIED


def test_where_nothing_was_done_it_was_so_already() -> None:
    for acts in ((), (REPORT,), (write("junk.md"),)):
        found = rule(REQUIRED, BEFORE, DONE, acts, PASSES, None, PROBE)
        assert (found.points, found.possible, found.reason) == (0, 0, SO_ALREADY)


@pytest.mark.parametrize(
    "act",
    [
        *(read("report.md"), write("./report.md"), read("notes.txt"), read("inbox/1.txt")),
        *(listed("report*"), listed("in*"), command("wc", "-l", "report.md")),
        command("ls", "inbox"),
    ],
    ids=lambda act: act.what,
)
def test_what_the_check_or_the_task_names_belongs_to_it(act: Act) -> None:
    around = replace(FILE, known=frozenset({"inbox", "inbox/1.txt", "notes.txt"}))
    assert row(REQUIRED, DONE, (act,), PASSES, around=around) == VERIFIED


@pytest.mark.parametrize(
    "act",
    [
        *(read("HEARTBEAT.md"), write("junk.md"), write("my-report.md"), write("the/x.md")),
        *(write("up"), command("echo", "the"), read("other/report.md"), REPORT),
        *(listed("*.csv"), listed("*"), read("report*")),
    ],
    ids=lambda act: act.what,
)
def test_what_nobody_named_earns_nothing(act: Act) -> None:
    around = replace(FILE, known=frozenset({"inbox", "inbox/1.txt", "notes.txt", "HEARTBEAT.md"}))
    assert row(REQUIRED, DONE, (act,), PASSES, around=around) == FREE


@pytest.mark.parametrize(
    ("words", "is_named"),
    [
        ("Sum up inbox", True),
        ("Sum up inbox/.", True),
        ("Sum up `inbox/`", True),
        ("Sum up inbox/*", True),
        ("Sum up inbox/1.txt", False),
        ("Sum up inbox/new", False),
        ("Sum up inbox-2", False),
    ],
)
def test_a_file_in_a_folder_does_not_name_the_rest_of_the_folder(
    words: str, is_named: bool
) -> None:
    around = Surroundings(Named(("report.md",), words=words), frozenset({"inbox", "inbox/2.txt"}))
    found = row(REQUIRED, DONE, (read("inbox/2.txt"),), PASSES, around=around)
    assert found == (VERIFIED if is_named else FREE)


def test_points_are_earned_once_per_interval() -> None:
    again = replace(PROBE, has_earned=True)
    found = rule(REQUIRED, BEFORE, DONE, LOOK, PASSES, None, again)
    assert (found.verdict, found.points, found.reason) == (Verdict.VERIFIED, 0, HAS_EARNED)


def test_honest_work_that_found_nothing_is_not_a_lie() -> None:
    found = rule(REQUIRED, BEFORE, Claim(Said.DONE, "no new mail", {"mails": 0}), LOOK, FAILS)
    assert (found.verdict, found.contradiction, found.points) == NOT_VERIFIED[:3]
    assert found.reason == "the check asks for > 0; it found 0"


def test_done_without_even_a_reading_is_a_contradiction_where_the_check_fails() -> None:
    assert row(REQUIRED, DONE, (), FAILS) == LIE
    assert row(REQUIRED, DONE, (REPORT,), FAILS) == LIE
    assert row(REQUIRED, DONE, (REPORT, read("anything")), FAILS) == NOT_VERIFIED


@pytest.mark.parametrize("measured", [PASSES, FAILS, replace(PASSES, finding=Finding.UNMEASURED)])
@pytest.mark.parametrize("claimed", [9, "9", 9.0])
def test_a_false_fact_is_a_contradiction_whatever_the_check_says(
    measured: Measurement, claimed: Value
) -> None:
    assert row(REQUIRED, Claim(Said.DONE, "", {"mails": claimed}), LOOK, measured) == LIE


@pytest.mark.parametrize("claimed", [3, "3", 3.0, 5, 4, "4.0", "a few", None])
def test_what_was_true_before_after_or_between_is_no_lie(claimed: Value) -> None:
    around = replace(PROBE, values_before={"mails": 5})
    assert row(REQUIRED, Claim(Said.DONE, "", {"mails": claimed}), LOOK, PASSES, around=around) == (
        VERIFIED
    )
    assert row(REQUIRED, Claim(Said.DONE, "", {"mails": 6}), LOOK, PASSES, around=around) == LIE


def test_facts_are_not_compared_where_the_value_before_is_not_known() -> None:
    around = replace(PROBE, values_before=None)
    claim = Claim(Said.DONE, "", {"mails": 9})
    assert row(REQUIRED, claim, LOOK, PASSES, around=around) == VERIFIED


def test_facts_that_nobody_measured_prove_nothing() -> None:
    claim = Claim(Said.DONE, "", {"quality": "excellent"})
    assert row(REQUIRED, claim, LOOK, PASSES) == VERIFIED


def test_a_command_is_never_a_liar() -> None:
    assert row(BY_COMMAND, Claim(Said.DONE, "", {"mails": 9}), (), FAILS) == NOT_VERIFIED
    assert row(BY_COMMAND, DONE, (), FAILS) == NOT_VERIFIED


def test_attempts_never_exceed_the_maximum() -> None:
    last = TaskProgress("mail", TaskStatus.FAILED, 3)
    assert row(REQUIRED, DONE, LOOK, FAILS, before=last)[4] == 3


# -- not done --------------------------------------------------------------------------------------


@pytest.mark.parametrize("measured", ANY)
def test_an_honest_failure_costs_an_attempt_and_no_points(measured: Measurement) -> None:
    for task in (REQUIRED, OPTIONAL, BY_COMMAND):
        assert row(task, FAILED, (), measured) == (None, False, 0, TaskStatus.FAILED, 2)


@pytest.mark.parametrize("measured", ANY)
def test_every_task_may_be_skipped(measured: Measurement) -> None:
    for task in (REQUIRED, OPTIONAL):
        found = rule(task, BEFORE, SKIPPED, (), measured)
        assert row(task, SKIPPED, (), measured) == (None, False, 0, TaskStatus.SKIPPED, 1)
        assert found.check_fails == (measured is FAILS)


@pytest.mark.parametrize("measured", ANY)
def test_only_an_optional_task_may_be_left_out(measured: Measurement) -> None:
    assert row(OPTIONAL, NOTHING, (), measured) == (None, False, 0, TaskStatus.SKIPPED, 1)
    assert row(REQUIRED, NOTHING, LOOK, measured) == NOT_VERIFIED


@pytest.mark.parametrize("measured", ANY)
def test_what_was_cut_off_stays_as_it_was(measured: Measurement) -> None:
    for task in (REQUIRED, OPTIONAL):
        assert row(task, CUT_OFF, (), measured) == (None, False, 0, TaskStatus.PENDING, 1)


# -- judged ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("attempts", [0, 1, 2, 3])
def test_unclear_uses_up_no_attempt_and_ends_no_task(attempts: int) -> None:
    before = TaskProgress("mail", TaskStatus.PENDING, attempts)
    unclear = (Verdict.UNCLEAR, False, -2, TaskStatus.PENDING, attempts)
    assert row(REQUIRED, DONE, LOOK, UNMEASURED, before=before) == unclear
    judgement = Judgement(Verdict.UNCLEAR)
    assert row(REQUIRED, DONE, LOOK, UNMEASURED, judgement, before) == unclear


def test_the_judge_decides_what_cannot_be_measured() -> None:
    yes = Judgement(Verdict.VERIFIED)
    no = Judgement(Verdict.NOT_VERIFIED)
    lie = Judgement(Verdict.NOT_VERIFIED, True)
    assert row(REQUIRED, DONE, LOOK, UNMEASURED, yes) == VERIFIED
    assert row(REQUIRED, DONE, (write("junk.md"),), UNMEASURED, yes) == FREE
    assert row(REQUIRED, DONE, LOOK, UNMEASURED, no) == NOT_VERIFIED
    assert row(REQUIRED, DONE, LOOK, UNMEASURED, lie) == LIE


def test_the_judge_has_no_say_about_what_was_measured() -> None:
    assert row(REQUIRED, DONE, LOOK, FAILS, Judgement(Verdict.VERIFIED)) == NOT_VERIFIED
    assert row(REQUIRED, DONE, LOOK, PASSES, Judgement(Verdict.NOT_VERIFIED)) == VERIFIED


def quoted(quote: str, *acts: Act, files: tuple[str, ...] = ()) -> Verdict:
    evidence = Evidence(
        Claim(Said.DONE, "the invoice is paid"),
        UNMEASURED,
        acts,
        tuple(FileChange(path, None, "x") for path in files),
    )
    return trusted(Judgement(Verdict.VERIFIED, quote=quote), evidence).verdict


def test_a_quote_must_be_in_what_others_wrote_and_mean_something() -> None:
    seen = read("inbox.md", "Invoice 12\nis paid, thank you")
    assert quoted("Invoice 12 is paid", seen) is Verdict.VERIFIED
    assert quoted("Invoice 12 is paid", seen, write("inbox.md")) is Verdict.VERIFIED
    for quote in ("Invoice 13 is paid", "paid", "", "the invoice is paid", "read_file(path=inbox"):
        assert quoted(quote, seen) is Verdict.UNCLEAR


def test_a_quote_of_what_the_agent_wrote_itself_proves_nothing() -> None:
    own = read("done.md", "Invoice 12 is paid")
    assert quoted("Invoice 12 is paid", write("done.md"), own) is Verdict.UNCLEAR
    assert quoted("Wrote done.md", write("done.md")) is Verdict.UNCLEAR
    assert quoted("Invoice 12", command("echo", "Invoice 12", output="Invoice 12")) is (
        Verdict.UNCLEAR
    )
    made = command("make", output="")
    assert quoted("Invoice 12 is paid", made, own, files=("done.md",)) is Verdict.UNCLEAR
    assert quoted("Invoice 12 is paid", made, own) is Verdict.VERIFIED


QUOTE = "The report was sent to Bob"


def said(act: Act, *texts: str) -> Act:
    return replace(act, said=texts)


@pytest.mark.parametrize(
    "acts",
    [
        (said(read("x" * 210, f"[{QUOTE}]"), f"{'x' * 210} {QUOTE}"),),
        (replace(read("log.txt", QUOTE), found=False),),
        (replace(read("log.txt", QUOTE), happened=False),),
        (said(write("a"), QUOTE), read("b", QUOTE)),
        (
            said(write("a"), "The report\nwas sent to Bob"),
            read("b", "» The report\n» was sent to Bob"),
        ),
        (said(command("note"), QUOTE), read("node_modules/b", QUOTE)),
        (write("heartbeat/zz.md"), read("heartbeat", f"zz | {QUOTE}")),
        (write("memory/MEMORY.md"), read("memory/MEMORY.md", QUOTE)),
    ],
)
def test_a_quote_cannot_be_planted(acts: tuple[Act, ...]) -> None:
    assert quoted(QUOTE, *acts) is Verdict.UNCLEAR


def test_what_was_read_before_the_agent_repeated_it_is_evidence() -> None:
    repeats = said(write("notes.md"), QUOTE)
    assert quoted(QUOTE, read("log.txt", QUOTE), repeats) is Verdict.VERIFIED
    looks = said(read("log.txt"), QUOTE)  # what only reads plants nothing
    assert quoted(QUOTE, looks, read("log.txt", QUOTE)) is Verdict.VERIFIED


def test_all_files_that_a_command_changed_are_its_own_not_only_those_shown() -> None:
    evidence = Evidence(Claim(Said.DONE), UNMEASURED, (command("make"), read("z.txt", QUOTE)))
    judgement = Judgement(Verdict.VERIFIED, quote=QUOTE)
    assert trusted(judgement, evidence).verdict is Verdict.VERIFIED
    assert trusted(judgement, evidence, {"z.txt"}).verdict is Verdict.UNCLEAR


def test_only_what_others_wrote_makes_a_judge_call_it_a_lie() -> None:
    evidence = Evidence(Claim(Said.DONE, "all is sent"), UNMEASURED, (read("a", "not yet sent"),))
    lie = Judgement(Verdict.NOT_VERIFIED, True, "not yet sent")
    assert trusted(lie, evidence) == lie
    weak = trusted(replace(lie, quote="all is sent"), evidence)
    assert (weak.verdict, weak.contradiction) == (Verdict.NOT_VERIFIED, False)


# -- measured from its own file --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "acts", "expected"),
    [
        (Named(("s.json",), ("s.json",)), (write("s.json"),), True),
        (Named(("s.json",), ("s.json",)), (read("s.json"),), False),
        (Named(commands=("wc -l < log/a.txt",)), (write("log/a.txt"),), True),
        (Named(commands=("ls log | wc -l",)), (write("log/a.txt"),), True),
        (Named(commands=("cat log/$(date +%F).txt",)), (write("log/a.txt"),), True),
        (Named(commands=("cat log/b.txt",)), (write("log/a.txt"),), False),
        (Named(commands=("cat *.txt",)), (write("a.txt"),), True),
        (Named(commands=("cat b.txt",)), (write("a.txt"),), False),
        (Named(commands=("cat made.txt",)), (command("make"),), True),
        (Named(("report.md",)), (write("report.md"),), False),
    ],
)
def test_what_was_measured_from_its_own_file_is_self_reported(
    named: Named, acts: tuple[Act, ...], expected: bool
) -> None:
    around = Surroundings(named, changed=("made.txt",))
    assert rule(REQUIRED, BEFORE, DONE, acts, PASSES, None, around).self_reported is expected
