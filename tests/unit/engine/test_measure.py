"""Measurements: what passes, what fails, and what cannot be measured and so never fails."""

from datetime import datetime, timedelta

import pytest

from core.engine.measure import Measurer
from core.kinds import read_check
from core.model.check import Finding, Measurement
from core.model.file_work import KnownContent, SeenFile, UnseenFile
from core.model.http import Answer, NoAnswer
from core.model.process import How
from tests.fakes.files import seen
from tests.stage import MONDAY, Stage

PASSES, FAILS, UNMEASURED = Finding.PASSES, Finding.FAILS, Finding.UNMEASURED
PROBES = "## Tasks\n- [ ] a | b | verify: {hint}\n## Probes\n- mails: count\n- state: state\n"


def stage_with(hint: str) -> Stage:
    return Stage(PROBES.format(hint=hint))


def measured(stage: Stage, exit_code: int | None = 0) -> Measurement:
    document = stage.workspace().document
    (task,) = document.tasks
    check = read_check(task, [probe.name for probe in document.probes])
    return Measurer(stage.world(), document).measure(task.id, task.verify, check, exit_code)


@pytest.mark.parametrize(
    ("ending", "finding"),
    [
        (0, PASSES),
        (1, FAILS),
        (3, FAILS),
        (127, UNMEASURED),
        (126, UNMEASURED),
        (How.TIMED_OUT, UNMEASURED),
        (How.COULD_NOT_START, UNMEASURED),
        (How.CANCELLED, UNMEASURED),
    ],
)
def test_a_command_passes_with_exit_code_0(ending: int | How, finding: Finding) -> None:
    stage = stage_with("cmd:look")
    stage.processes.endings["look"] = ending
    assert measured(stage).finding is finding


@pytest.mark.parametrize(
    ("hint", "finding", "words"),
    [
        ("file:a.md", PASSES, "11 bytes"),
        ("file:none.md", FAILS, "does not exist"),
        ("file:a.md fresh<2h", PASSES, "1 h ago"),
        ("file:a.md fresh<1h", FAILS, "1 h ago"),
        ("file:a.md size>10", PASSES, "11 bytes"),
        ("file:a.md size>11", FAILS, "more than 11"),
        ('file:a.md contains "world"', PASSES, "with “world”"),
        ('file:a.md contains "moon"', FAILS, "without “moon”"),
        ("file:a.md changed", UNMEASURED, "not inspected before"),
        ("file:empty.md size>0", FAILS, "0 bytes"),
        ("file:link.md", UNMEASURED, "leaves the workspace"),
        ("file:huge.bin size>5", PASSES, "bytes"),
        ('file:huge.bin contains "x"', UNMEASURED, "too large"),
        ("file:future.md fresh<1h", PASSES, "0 s ago"),  # it counts from the first look on
        ('file:a.md fresh<2h size>3 contains "hello"', PASSES, "with"),
        ('file:a.md fresh<2h size>3 contains "moon"', FAILS, "without"),
        ("json:a.json#/count > 3", PASSES, "5 > 3"),
        ("json:a.json#/count > 5", FAILS, "5 > 5"),
        ("json:a.json#/list/1 == 2", PASSES, "2 == 2"),
        ("json:a.json#/none == 1", FAILS, "no `none`"),
        ("json:none.json#/count > 3", FAILS, "does not exist"),
        ("json:a.md#/count > 3", FAILS, "not JSON"),
        ("json:a.json#/state > 3", FAILS, "not a number"),
        ("json:link.md#/count > 3", UNMEASURED, "leaves"),
        ("json:huge.bin#/count > 3", UNMEASURED, "too large"),
    ],
)
def test_files_are_measured(hint: str, finding: Finding, words: str) -> None:
    stage = stage_with(hint)
    hour_ago = MONDAY - timedelta(hours=1)
    stage.file_inspector.files |= {
        "a.md": seen("hello world", hour_ago),
        "empty.md": seen("", hour_ago),
        "future.md": seen("x", MONDAY + timedelta(days=1)),
        "a.json": seen('{"count": 5, "list": [1, 2], "state": "up"}', hour_ago),
        "huge.bin": SeenFile(10**9, hour_ago, "x", None),
        "link.md": UnseenFile("link.md is a link that leaves the workspace."),
    }
    found = measured(stage)
    assert found.finding is finding
    assert words in found.words


def test_changed_compares_with_what_was_there_before() -> None:
    for before, after, finding in [
        ("a", "b", PASSES),
        ("a", "a", FAILS),
        (None, "a", PASSES),
        ("a", None, FAILS),
    ]:
        stage = stage_with("file:a.md changed")
        document = stage.workspace().document
        check = read_check(document.tasks[0], ())
        measurer = Measurer(stage.world(), document)
        stage.file_inspector.files = {} if before is None else {"a.md": seen(before, MONDAY)}
        measurer.prepare("a", check)
        stage.file_inspector.files = {} if after is None else {"a.md": seen(after, MONDAY)}
        assert measurer.measure("a", "", check).finding is finding


def finding_in_a_new_beat(stage: Stage, *texts: str, time: datetime = MONDAY) -> Finding:
    """What a beat finds of a.md, which has these texts one after the other, each with a new
    time."""
    document = stage.workspace().document
    check = read_check(document.tasks[0], ())
    measurer = Measurer(stage.world(), document)

    first, *later = texts
    stage.file_inspector.files["a.md"] = seen(first, time)
    measurer.prepare("a", check)
    measurer.contents.keep_news()
    for text in later:
        stage.clock.pass_time(timedelta(minutes=1))
        stage.file_inspector.files["a.md"] = seen(text, stage.clock.now())

    return measurer.measure("a", "", check).finding


def test_fresh_goes_by_when_the_content_changed_and_not_by_the_time_of_the_file() -> None:
    old = MONDAY - timedelta(days=3)
    stage = stage_with("file:a.md fresh<1h")
    assert finding_in_a_new_beat(stage, "old", time=old) is FAILS
    assert finding_in_a_new_beat(stage, "old", "old") is FAILS  # only a new time, in the beat
    assert finding_in_a_new_beat(stage, "old", time=stage.clock.now()) is FAILS  # or before it
    assert finding_in_a_new_beat(stage, "old", "new") is PASSES

    # Seen a moment ago: also a time that is set back changes nothing.
    assert finding_in_a_new_beat(stage, "new", time=old) is PASSES
    stage.clock.pass_time(timedelta(hours=1))
    assert finding_in_a_new_beat(stage, "new", time=stage.clock.now()) is FAILS


def test_without_the_memory_a_new_time_would_do() -> None:
    old = MONDAY - timedelta(days=3)
    stage = stage_with("file:a.md fresh<1h")
    assert finding_in_a_new_beat(stage, "old", time=old) is FAILS
    stage.ledger.contents.save({}, named=())
    assert finding_in_a_new_beat(stage, "old", time=MONDAY) is PASSES


@pytest.mark.parametrize(("again", "finding"), [("old", FAILS), ("new", PASSES)])
def test_a_file_that_was_deleted_is_new_only_with_another_content(
    again: str, finding: Finding
) -> None:
    old = MONDAY - timedelta(days=3)
    stage = stage_with("file:a.md fresh<1h")
    assert finding_in_a_new_beat(stage, "old", time=old) is FAILS

    document = stage.workspace().document
    measurer = Measurer(stage.world(), document)
    del stage.file_inspector.files["a.md"]
    measurer.prepare("a", read_check(document.tasks[0], ()))
    measurer.contents.keep_news()
    assert finding_in_a_new_beat(stage, again, time=old) is finding


def test_only_files_that_a_check_of_the_document_watches_are_remembered() -> None:
    stage = stage_with("file:a.md fresh<1h")
    finding_in_a_new_beat(stage, "x")
    stage.ledger.contents.save({"b.md": KnownContent("x", MONDAY, MONDAY)}, {"a.md", "b.md"})
    assert set(stage.ledger.contents.known()) == {"a.md", "b.md"}

    finding_in_a_new_beat(stage, "y")
    assert set(stage.ledger.contents.known()) == {"a.md"}


@pytest.mark.parametrize(
    ("hint", "answer", "finding"),
    [
        ("http://x/", Answer(200, "fine"), PASSES),
        ("http://x/", Answer(404, "fine"), FAILS),
        ("http://x/ status=404", Answer(404, ""), PASSES),
        ("http://x/ status=200", Answer(204, ""), FAILS),
        ('http://x/ contains "fine"', Answer(200, "all is fine"), PASSES),
        ('http://x/ contains "fine"', Answer(200, "broken"), FAILS),
        ("http://x/", NoAnswer("no answer within 30 s", ("timeout",)), UNMEASURED),
    ],
)
def test_pages_are_measured(hint: str, answer: Answer | NoAnswer, finding: Finding) -> None:
    stage = stage_with(hint)
    stage.http.answer = answer
    assert measured(stage).finding is finding


@pytest.mark.parametrize(
    ("hint", "printed", "code", "finding", "words"),
    [
        ("mails > 0", "3\n", 0, PASSES, "mails > 0  →  3 > 0  →  passes"),
        ("mails > 0", "0\n", 0, FAILS, "mails > 0  →  0 > 0  →  fails"),
        ("mails > 0", "0\n", 1, FAILS, "0 > 0"),  # grep -c
        ("mails > 0", "grep: x: No such file", 2, UNMEASURED, "No such file"),
        ("mails > 0", "none", 0, UNMEASURED, "not a number"),
        ("mails > 0", "", 0, UNMEASURED, "not a number"),
        ("mails > 0", "x", How.TIMED_OUT, UNMEASURED, "longer than 10 s"),
        ("mails", "true", 0, PASSES, "true"),
        ("mails", "0", 0, FAILS, "0"),
        ("mails", "yes", 0, UNMEASURED, "neither true nor false"),
        ("len(mails) == 2", "[1, 2]", 0, PASSES, "len([1, 2]) == 2"),
        ('mails == "all read"', "all read\n", 0, PASSES, '"all read"'),
        ('state != "down"', "sh: curl: not found", 127, UNMEASURED, "not found"),
    ],
)
def test_an_expression_is_measured_by_its_probes(
    hint: str, printed: str, code: int | How, finding: Finding, words: str
) -> None:
    stage = stage_with(hint)
    for line in ("count", "state"):
        stage.processes.prints[line] = printed
        stage.processes.endings[line] = code
    found = measured(stage)
    assert found.finding is finding
    assert words in found.words


def test_a_probe_runs_once_per_beat_and_for_at_most_10_s() -> None:
    stage = stage_with("mails > 0")
    stage.processes.prints["count"] = "3"
    document = stage.workspace().document
    check = read_check(document.tasks[0], ["mails"])
    measurer = Measurer(stage.world(), document)
    assert [measurer.measure(name, "", check).values for name in "ab"] == [
        {"mails": 3},
        {"mails": 3},
    ]
    assert stage.ran == ["count"]
    stage.processes.endings["count"] = How.TIMED_OUT
    began = stage.clock.now()
    Measurer(stage.world(), document).measure("a", "", check)
    assert stage.clock.now() - began == timedelta(seconds=10)


@pytest.mark.parametrize(
    ("hint", "words"), [("weather_sent", "judge"), ("mails = 0", "compares nothing")]
)
def test_labels_and_slips_cannot_be_measured(hint: str, words: str) -> None:
    found = measured(stage_with(hint))
    assert found.finding is UNMEASURED
    assert words in found.words
