"""`file:PATH`: how its hint is read, and what is measured about the file."""

from datetime import timedelta

import pytest

from core.checks.file import FILE, FileCheck
from core.model.check import Finding, Measurement
from core.model.file_work import NoFile, Seen, SeenFile, UnseenFile
from tests.fakes.files import FakeFileInspector, seen
from tests.unit.checks.written_check import (
    NOW,
    FakeMeasuring,
    executables,
    measure,
    problem,
    read,
    reported,
    words,
)

PASSES, FAILS, UNMEASURED = Finding.PASSES, Finding.FAILS, Finding.UNMEASURED
HOUR = timedelta(hours=1)


def found(hint: str, file: Seen, before: Seen | None = None) -> Measurement:
    """What is measured of a.md if a look finds this."""
    measuring = FakeMeasuring(before=before, inspector=FakeFileInspector({"a.md": file}))
    return measure(measuring, hint)


HELLO = seen("hello world", NOW - HOUR)  # 11 bytes


# -- how it is read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "check"),
    [
        ("file:report.md", FileCheck("report.md")),
        ("FILE: report.md", FileCheck("report.md")),
        ("file:sub/../report.md", FileCheck("sub/../report.md")),
        ('file:"my report.md"', FileCheck("my report.md")),
        ("file:'my report.md' changed", FileCheck("my report.md", changed=True)),
        ("file:a.md fresh<1d", FileCheck("a.md", fresh=timedelta(days=1))),
        ("file:a.md fresh < 1h30m", FileCheck("a.md", fresh=timedelta(minutes=90))),
        ("file:a.md size>0", FileCheck("a.md", larger_than=0)),
        ("file:a.md SIZE > 10", FileCheck("a.md", larger_than=10)),
        ("file:a.md contains word", FileCheck("a.md", contains=("word",))),
        ('file:a.md contains "two words"', FileCheck("a.md", contains=("two words",))),
        ("file:a.md contains 'it says \"x\"'", FileCheck("a.md", contains=('it says "x"',))),
        ('file:a.md contains "size>9"', FileCheck("a.md", contains=("size>9",))),
        ('file:a.md contains "a" contains "b"', FileCheck("a.md", contains=("a", "b"))),
        ("file:a.md changed", FileCheck("a.md", changed=True)),
        (
            'file:a.md changed contains "x" size>3 fresh<1h',
            FileCheck("a.md", HOUR, 3, ("x",), changed=True),
        ),
    ],
)
def test_the_path_may_be_quoted_and_what_is_asked_comes_in_any_order(
    hint: str, check: FileCheck
) -> None:
    assert read(hint) == check
    assert reported(hint) == []


@pytest.mark.parametrize("hint", ["file:", "file:  ", 'file:""'])
def test_without_a_path_it_cannot_be_read(hint: str) -> None:
    assert problem(hint) == ("`file:` has no path.", "Write `file:report.md fresh<1d`.")


@pytest.mark.parametrize("path", ["../a.md", "sub/../../a.md", "~/a.md", "./../a.md"])
def test_a_path_outside_the_workspace_cannot_be_read(path: str) -> None:
    message, hint = problem(f"file:{path} changed")
    assert message == f"`{path}` is outside the workspace, where checks cannot look."
    assert f"cmd:test -e {path}" in hint


@pytest.mark.parametrize(
    ("terms", "named", "instead"),
    [
        ("size>big", "size>big", "size>N"),
        ("size>-1", "size>-1", "size>N"),
        ("size>٣", "size>٣", "size>N"),
        (f"size>{'9' * 16}", f"size>{'9' * 16}", "size>N"),
        ("size<3", "size<3", "size>N"),
        ("fresh>1d", "fresh>1d", "fresh<DURATION"),
        ("conatins x", "conatins", "contains"),
        ("contains", "contains", "contains"),
        ('contains ""', "contains", "contains"),
        ("changed=yes", "changed=yes", "changed"),
        ("size>3 nonsense", "nonsense", "changed"),
    ],
)
def test_what_cannot_be_asked_is_named_with_what_can(terms: str, named: str, instead: str) -> None:
    message, hint = problem(f"file:a.md {terms}")
    assert message == f"`{named}` cannot be used here."
    assert instead in hint


@pytest.mark.parametrize(("age", "instead"), [("soon", "`1d`"), ("1", "`1d`"), ("", "`1d`")])
def test_an_age_that_is_not_a_duration_says_how_one_is_written(age: str, instead: str) -> None:
    message, hint = problem(f"file:a.md fresh<{age}")
    assert message == f"`{age}` is not a duration."
    assert instead in hint


def test_a_hint_that_cannot_be_read_is_reported_with_a_code() -> None:
    assert reported("file:a.md size>big") == [
        ("HB212", "The check cannot be read: `size>big` cannot be used here.")
    ]


def test_a_person_reads_it_as_it_is_written() -> None:
    assert words("file:a.md fresh<1d") == "checked by file:a.md fresh<1d"
    assert not FILE.needs_judge


def test_it_executes_nothing_and_needs_no_approval() -> None:
    assert executables("file:a.md fresh<1d") == ()


# -- whether it is there ---------------------------------------------------------------------------


def test_a_file_that_is_there_passes_with_its_size() -> None:
    assert found("file:a.md", HELLO) == Measurement(PASSES, "11 bytes")


def test_a_file_that_is_not_there_fails_whatever_is_asked() -> None:
    for hint in ("file:a.md", "file:a.md changed", "file:a.md fresh<1d size>3"):
        assert found(hint, NoFile()) == Measurement(
            FAILS, "it does not exist", found=("not_there",)
        )


def test_a_file_that_cannot_be_seen_measures_nothing() -> None:
    hidden = UnseenFile("a.md is a link that leaves the workspace.")
    assert found("file:a.md", hidden) == Measurement(UNMEASURED, hidden.reason)


# -- what is asked of it ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "finding", "said"),
    [
        (timedelta(0), PASSES, "changed 0 s ago"),
        (timedelta(minutes=59, seconds=59), PASSES, "changed 59 min 59 s ago"),
        (HOUR, FAILS, "changed 1 h ago"),
        (timedelta(days=2, hours=1), FAILS, "changed 2 d 1 h ago"),
        (timedelta(minutes=-5), PASSES, "changed 0 s ago"),  # the clock was set back
    ],
)
def test_it_is_fresh_if_it_changed_less_than_that_long_ago(
    age: timedelta, finding: Finding, said: str
) -> None:
    measured = found("file:a.md fresh<1h", seen("hello world", NOW - age))
    assert (measured.finding, measured.words) == (finding, f"11 bytes, {said}")


@pytest.mark.parametrize(("size", "finding"), [(10, PASSES), (11, FAILS), (12, FAILS)])
def test_it_must_be_larger_than_what_is_asked(size: int, finding: Finding) -> None:
    measured = found(f"file:a.md size>{size}", HELLO)
    assert (measured.finding, measured.words) == (
        finding,
        f"11 bytes, asked for more than {size}",
    )


def test_an_empty_file_is_there_and_not_larger_than_0() -> None:
    empty = seen("", NOW)
    assert found("file:a.md", empty).finding is PASSES
    assert found("file:a.md size>0", empty).finding is FAILS


def test_it_must_contain_every_text_letter_by_letter() -> None:
    for text, finding, said in (
        ("world", PASSES, "with “world”"),
        ("World", FAILS, "without “World”"),
        ("o w", PASSES, "with “o w”"),
    ):
        measured = found(f'file:a.md contains "{text}"', HELLO)
        assert (measured.finding, measured.words) == (finding, f"11 bytes, {said}")

    both = found('file:a.md contains "hello" contains "moon"', HELLO)
    assert (both.finding, both.words) == (FAILS, "11 bytes, with “hello”, without “moon”")


def test_a_long_text_is_shown_short_and_looked_for_whole() -> None:
    text = "x" * 60
    measured = found(f'file:a.md contains "{text}"', seen("x" * 59, NOW))
    assert (measured.finding, measured.words) == (FAILS, f"59 bytes, without “{'x' * 39}…”")


def test_a_file_that_is_too_large_to_read_is_measured_by_what_is_known_of_it() -> None:
    huge = SeenFile(10**9, NOW - HOUR, "x", None)
    assert found("file:a.md size>5", huge).finding is PASSES

    measured = found('file:a.md contains "x"', huge)
    assert (measured.finding, measured.words) == (
        UNMEASURED,
        "1000000000 bytes, too large to look for “x”",
    )


@pytest.mark.parametrize(
    ("before", "finding", "said"),
    [
        (seen("hello", NOW), PASSES, "changed since"),
        (NoFile(), PASSES, "made since"),
        (HELLO, FAILS, "not changed since"),
        (seen("hello world", NOW), FAILS, "not changed since"),  # only written again
        (None, UNMEASURED, "not inspected before"),
        (UnseenFile("it could not be read"), UNMEASURED, "not inspected before"),
    ],
)
def test_it_changed_if_its_content_is_not_what_it_was_before_the_task(
    before: Seen | None, finding: Finding, said: str
) -> None:
    measured = found("file:a.md changed", HELLO, before)
    assert (measured.finding, measured.words) == (finding, f"11 bytes, {said}")


def test_only_a_file_that_shall_have_changed_is_inspected_before_the_task() -> None:
    assert FILE.watched_file(FileCheck("a.md", changed=True)) == "a.md"
    assert FILE.watched_file(FileCheck("a.md", fresh=HOUR)) == "a.md"
    assert FILE.watched_file(FileCheck("a.md", larger_than=3, contains=("x",))) == ""


# -- all of it together ----------------------------------------------------------------------------


def test_everything_that_is_asked_must_be_true() -> None:
    hint = 'file:a.md fresh<2h size>3 contains "hello" changed'
    measured = found(hint, HELLO, NoFile())
    assert (measured.finding, measured.words) == (
        PASSES,
        "11 bytes, asked for more than 3, changed 1 h ago, with “hello”, made since",
    )


@pytest.mark.parametrize("terms", ["fresh<1m", "size>99", 'contains "moon"'])
def test_one_part_that_is_false_decides_even_if_another_cannot_be_measured(terms: str) -> None:
    assert found(f"file:a.md {terms} changed", HELLO, None).finding is FAILS


def test_one_part_that_cannot_be_measured_keeps_the_rest_from_passing() -> None:
    assert found("file:a.md fresh<2h size>3 changed", HELLO, None).finding is UNMEASURED


def test_a_file_that_only_grows_older_fails_in_the_same_way() -> None:
    young = found("file:a.md fresh<1m", seen("hello", NOW - HOUR))
    old = found("file:a.md fresh<1m", seen("hello", NOW - 9 * HOUR))
    assert young.words != old.words
    assert young.data == old.data


def test_failures_of_other_parts_or_sizes_are_told_apart() -> None:
    hint = "file:a.md fresh<1m size>9"
    measured = [
        found(hint, seen("x", NOW - HOUR)),
        found(hint, seen("x" * 10, NOW - HOUR)),
        found(hint, seen("x", NOW)),
        found(hint, NoFile()),
    ]
    assert {one.finding for one in measured} == {FAILS}
    assert len({one.data for one in measured}) == 4
