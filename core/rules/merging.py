"""Join two versions of a file that come from one base; no line of the person is lost. Pure.

A line is its bytes with its LF, CRLF or CR, so that whatever neither side changed stays as it was.
"""

from collections.abc import Callable, Sequence

from merge3 import Merge3

LONGEST = 10_000  # lines between the first and the last difference; beyond, a hostile file costs difflib minutes

Lines = Sequence[bytes]


def merge(base: bytes, ours: bytes, persons: bytes) -> bytes:
    """`persons` with what we changed since `base`; where both changed the same lines, `persons` alone."""
    if persons == base:
        return ours
    merged = _join(base, ours, persons, _persons_lines)
    return persons if merged is None else merged


def merge_both(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Two saves of the person: where both changed the same lines, all of these. None: too long to compare."""
    return _join(base, one, other, _all_of)


def _persons_lines(base: Lines, ours: Lines, persons: Lines) -> Lines:
    if len(base) == len(ours) == len(persons):  # neighbours were changed, perhaps not the same lines
        return [our if person == old else person for old, our, person in zip(base, ours, persons, strict=True)]
    return persons


def _all_of(_: Lines, one: Lines, other: Lines) -> Lines:
    if one and not one[-1].endswith((b"\n", b"\r")):
        one = [*one[:-1], one[-1] + b"\n"]
    return [*one, *(line for line in other if line not in one)]


def _join(base: bytes, one: bytes, other: bytes, settle: Callable[[Lines, Lines, Lines], Lines]) -> bytes | None:
    texts = [text.splitlines(keepends=True) for text in (base, one, other)]
    start = _common(texts)
    end = _common([text[start:][::-1] for text in texts])
    middle = [text[start : len(text) - end] for text in texts]
    if max(map(len, middle)) > LONGEST:
        return None
    lines = texts[0][:start]
    for group in Merge3(middle[0], middle[1], middle[2]).merge_groups():
        lines += settle(group[1], group[2], group[3]) if group[0] == "conflict" else group[1]
    return b"".join(lines + texts[0][len(texts[0]) - end :])


def _common(texts: Sequence[Lines]) -> int:
    """How many lines at the start are the same in all."""
    count = 0
    for lines in zip(*texts, strict=False):
        if lines.count(lines[0]) != len(lines):
            break
        count += 1
    return count
