"""Joining the program's change with the person's: no line of the person is lost, and where merge3
sees no conflict the result is the same."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from merge3 import Merge3

from core.rules.merging import merge, merge_both

LINES = st.lists(
    st.sampled_from(
        [b"", b"a", b"b", b"- **status**: PENDING", b"- **status**: RUNNING", "\u2028é".encode()]
    ),
    max_size=12,
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
TEXTS = st.builds(
    lambda lines, end, last: end.join(lines) + last, LINES, ENDS, st.sampled_from([b"", b"\n"])
)


@given(TEXTS, TEXTS)
def test_where_the_person_changed_nothing_ours_is_written(base: bytes, ours: bytes) -> None:
    assert merge(base, ours, base) == ours


@given(TEXTS, TEXTS)
def test_where_we_change_nothing_the_persons_text_stays(base: bytes, persons: bytes) -> None:
    assert merge(base, base, persons) == persons


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=500)
def test_no_line_that_the_person_wrote_is_lost_or_altered(
    base: bytes, ours: bytes, persons: bytes
) -> None:
    added = set(persons.splitlines(keepends=True)) - set(base.splitlines(keepends=True))
    assert added <= set(merge(base, ours, persons).splitlines(keepends=True))


def test_an_empty_line_of_the_person_is_not_swallowed_by_our_last_line() -> None:
    base, persons = b"a\n" * 11 + b"a", b"a\n\n" * 6
    assert merge(base, b"\r" * 11 + b"a", persons) == persons


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(0, 39), st.booleans())
@settings(max_examples=500)
def test_a_status_and_the_persons_new_lines_are_both_there(
    places: list[int], status: int, last_end: bool
) -> None:
    lines = [b"line %d\n" % number for number in range(40)]
    base = b"".join(lines)
    ours = b"".join([*lines[:status], b"STATUS\n", *lines[status + 1 :]])
    persons = list(lines)
    for number, place in enumerate(places):
        persons.insert(place, b"mark %d\n" % number)
    if not last_end:
        persons[-1] = persons[-1].removesuffix(b"\n")
    merged = merge(base, ours, b"".join(persons)).splitlines()
    assert [line for line in merged if line.startswith(b"mark")] == [
        line.strip() for line in persons if line.startswith(b"mark")
    ]
    assert set(merged) - {b"STATUS"} >= {line.strip() for line in persons} - {b"line %d" % status}


def test_the_persons_line_wins_where_both_changed_it() -> None:
    base, ours = b"x\n- status: PENDING\ny\nz\n", b"x\n- status: DONE\ny\nours\n"
    assert merge(base, ours, b"x\n- status: AGAIN\ny\nz\n") == b"x\n- status: AGAIN\ny\nours\n"


def test_adjacent_lines_are_not_a_conflict() -> None:
    base, ours = b"x\n- status: PENDING\nnote\n", b"x\n- status: DONE\nnote\n"
    assert merge(base, ours, b"x\n- status: PENDING\nmy note\n") == b"x\n- status: DONE\nmy note\n"


def test_two_saves_of_the_person_keep_the_lines_of_both() -> None:
    base = b"x\ny\n"
    merged = merge_both(base, b"x\ny\nfirst", b"x\ny\nsecond\n")
    assert merged == b"x\ny\nfirst\nsecond\n"


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=300)
def test_two_saves_of_the_person_lose_no_line_that_either_added(
    base: bytes, one: bytes, other: bytes
) -> None:
    merged = merge_both(base, one, other)
    if merged is None:  # then both are kept as they are
        assert b"\r" in base + one + other
        return
    for text in (one, other):
        added = set(text.splitlines()) - set(base.splitlines())
        assert added <= set(merged.splitlines())


@pytest.mark.timeout(30)  # compared line by line it would take minutes
def test_a_file_made_to_be_slow_to_compare_is_left_to_the_person() -> None:
    base = b"".join(b"%d\n" % (number % 199) for number in range(200_000))
    persons = b"mine\n" + base.replace(b"7\n", b"8\n")
    assert merge(base, b"ours\n" + base + b"ours\n", persons) == persons
    assert merge_both(base, b"ours\n" + base + b"ours\n", persons) is None


# -- merge3 as the oracle --------------------------------------------------------------------------


class Matcher(SequenceMatcher[bytes]):
    """Without the shortcut of difflib that takes frequent lines for junk: ours does without it."""

    def __init__(
        self,
        isjunk: Callable[[bytes], bool] | None = None,
        a: Sequence[bytes] = (),
        b: Sequence[bytes] = (),
        autojunk: bool = False,
    ) -> None:
        super().__init__(isjunk, a, b, autojunk=False)


def their_groups(base: bytes, one: bytes, other: bytes) -> list[tuple[Any, ...]]:
    """How merge3 divides the three texts. Lines that all three start or end with are set aside
    before, because repeated lines can be aligned in more than one right way."""
    texts = [text.splitlines(keepends=True) for text in (base, one, other)]
    start = [lines[0] for lines in takewhile(all_same, zip(*texts, strict=False))]
    texts = [text[len(start) :] for text in texts]
    end = [lines[0] for lines in takewhile(all_same, zip(*map(reversed, texts), strict=False))]
    olds, ones, others = (text[: len(text) - len(end)] for text in texts)
    merging = Merge3(olds, ones, others, sequence_matcher=Matcher)  # type: ignore[arg-type]
    groups = merging.merge_groups()

    return [("unchanged", start), *groups, ("unchanged", end[::-1])]


def all_same(lines: Sequence[bytes]) -> bool:
    return len(set(lines)) == 1


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=1000)
def test_where_merge3_sees_no_conflict_we_join_the_same(
    base: bytes, ours: bytes, persons: bytes
) -> None:
    groups = their_groups(base, ours, persons)
    if any(kind == "conflict" for kind, *_ in groups):
        return

    theirs = [line for _, lines in groups for line in lines]
    joined = b"".join(theirs)
    if joined.splitlines(keepends=True) != theirs:  # a CR and an LF of two texts became one end
        assert merge(base, ours, persons) == persons
        return

    assert merge(base, ours, persons) == joined
    assert merge_both(base, ours, persons) == joined


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=1000)
def test_lines_that_merge3_keeps_on_both_sides_we_keep_too(
    base: bytes, ours: bytes, persons: bytes
) -> None:
    merged = merge(base, ours, persons)
    if merged == persons:  # all of them are there, and the person decided
        return

    rest = iter(merged.splitlines(keepends=True))
    for kind, *lines in their_groups(base, ours, persons):
        if kind == "unchanged":
            assert all(line in rest for line in lines[0])  # in this order, among others


@given(st.lists(st.integers(0, 59), min_size=1, max_size=20, unique=True), st.randoms())
@settings(max_examples=300)
def test_edits_of_lines_that_do_not_touch_are_joined_as_merge3_joins_them(
    places: list[int], random: Any
) -> None:
    """Both sides replace, delete and add lines, with an untouched line between any two edits."""
    lines = [b"line %d\n" % number for number in range(120)]
    sides = [list(lines), list(lines)]
    for place in places:
        edit = random.choice([[], [b"new %d\n" % place], [b"two %d\n" % place, b"lines\n"]])
        sides[random.randrange(2)][2 * place] = b"".join(edit)

    base, ours, persons = b"".join(lines), b"".join(sides[0]), b"".join(sides[1])
    groups = their_groups(base, ours, persons)
    assert all(kind != "conflict" for kind, *_ in groups)
    assert merge(base, ours, persons) == b"".join(line for _, part in groups for line in part)


def test_where_both_changed_the_same_lines_merge3_has_only_a_conflict_for_the_person() -> None:
    base, ours = b"a\nb\nc\n", b"a\nours\nc\n"
    persons = b"a\npersons\nc\n"
    assert [kind for kind, *_ in their_groups(base, ours, persons)].count("conflict") == 1
    assert merge(base, ours, persons) == persons
