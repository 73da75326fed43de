"""Joins two versions of a file that come from one base; no line of the person is lost. Pure.

A line is its bytes with its LF, CRLF or CR, so that what neither side changed stays as it was.
"""

from collections.abc import Callable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

# Lines between the first and the last difference; with more, a hostile file costs difflib minutes.
LONGEST = 10_000

Lines = Sequence[bytes]


def merge(base: bytes, ours: bytes, persons: bytes) -> bytes:
    """`persons` with what we changed since `base`; where both changed the same lines, `persons`
    alone."""
    if persons == base:
        return ours

    merged = _join(base, ours, persons, _persons_lines)
    return persons if merged is None else merged


def merge_both(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Two saves of the person, with all lines of both where they changed the same ones. None
    where they are too long to compare, or end their lines differently."""
    return _join(base, one, other, _all_of)


def _persons_lines(base: Lines, ours: Lines, persons: Lines) -> Lines:
    # With equal numbers of lines, the two sides may have changed different lines of this stretch.
    if len(base) == len(ours) == len(persons):
        return [
            our if person == old else person
            for old, our, person in zip(base, ours, persons, strict=True)
        ]

    return persons


def _all_of(_: Lines, one: Lines, other: Lines) -> Lines:
    if one and not one[-1].endswith((b"\n", b"\r")):
        one = [*one[:-1], one[-1] + b"\n"]
    return [*one, *(line for line in other if line not in one)]


def _join(
    base: bytes, one: bytes, other: bytes, settle: Callable[[Lines, Lines, Lines], Lines]
) -> bytes | None:
    texts = [text.splitlines(keepends=True) for text in (base, one, other)]
    start = _common(texts)
    end = _common([text[start:][::-1] for text in texts])
    middle = [text[start : len(text) - end] for text in texts]
    if max(map(len, middle)) > LONGEST:
        return None

    lines = texts[0][:start]
    for base_part, one_part, other_part in _parts(middle[0], middle[1], middle[2]):
        if one_part == base_part:
            lines += other_part
        elif other_part in (base_part, one_part):
            lines += one_part
        else:
            lines += settle(base_part, one_part, other_part)

    lines += texts[0][len(texts[0]) - end :]
    return None if _run_together(lines) else b"".join(lines)


def _run_together(lines: Lines) -> bool:
    """Whether a CR and the LF after it, from two texts, would be read as one line's end."""
    return any(
        line.endswith(b"\r") and following.startswith(b"\n") for line, following in pairwise(lines)
    )


class _Match(NamedTuple):
    """Lines of the base, from `start` to `end`, that both sides kept, and where they are there."""

    start: int
    end: int
    one: int
    other: int


def _parts(base: Lines, one: Lines, other: Lines) -> Iterator[tuple[Lines, Lines, Lines]]:
    """The three texts, divided into stretches that differ and stretches that all of them share."""
    at = _Match(0, 0, 0, 0)
    for match in [*_shared(base, one, other), _Match(len(base), len(base), len(one), len(other))]:
        length = at.end - at.start
        differing = (
            base[at.end : match.start],
            one[at.one + length : match.one],
            other[at.other + length : match.other],
        )
        if any(differing):
            yield differing

        kept = base[match.start : match.end]
        if kept:
            yield kept, kept, kept

        at = match


def _shared(base: Lines, one: Lines, other: Lines) -> Iterator[_Match]:
    """The stretches of the base that both have."""
    ours = _blocks(base, one)
    theirs = _blocks(base, other)
    i = 0
    j = 0

    while i < len(ours) and j < len(theirs):
        start = max(ours[i].a, theirs[j].a)
        end = min(ours[i].a + ours[i].size, theirs[j].a + theirs[j].size)
        if start < end:
            in_one = ours[i].b + start - ours[i].a
            in_other = theirs[j].b + start - theirs[j].a
            yield _Match(start, end, in_one, in_other)

        if ours[i].a + ours[i].size <= theirs[j].a + theirs[j].size:
            i += 1
        else:
            j += 1


def _blocks(base: Lines, text: Lines) -> list[Match]:
    matcher = SequenceMatcher(None, base, text, autojunk=False)
    return [block for block in matcher.get_matching_blocks() if block.size]


def _common(texts: Sequence[Lines]) -> int:
    """How many lines at the start are the same in all."""
    count = 0
    for lines in zip(*texts, strict=False):
        if lines.count(lines[0]) != len(lines):
            break

        count += 1

    return count
