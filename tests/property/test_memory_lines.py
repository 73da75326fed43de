"""The memory file: a line comes or goes, and every other byte of it stays."""

from hypothesis import assume, given
from hypothesis import strategies as st

from core.model.diagnostic import Problem
from core.rules.reading.sections import PATTERNS, PENDING
from core.rules.writing.memory import (
    MOST_LINES,
    SECTIONS,
    lines_of,
    remembered,
    resolved,
)

PIECES = st.sampled_from(
    [
        "## Pending",
        "## pending",
        "## Observed Patterns",
        "# Top",
        "## Mine",
        "- a",
        "* b",
        "+ c",
        "  - deep",
        "- a  ",
    ]
    + [
        "",
        "  ",
        "text",
        "```",
        "<!--",
        "-->",
        "---",
        "  more of it",
        "\tmore",
        "> quoted",
        "1. one",
        "-",
        "é ü",
    ]
)
FILES = st.builds(
    lambda pieces, end, last: end.join(pieces) + (end if last else ""),
    st.lists(PIECES, max_size=25),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
LINES = st.one_of(
    st.text(max_size=80),
    st.sampled_from(["a", "## Pending", "- [ ] x", "a\nb", "<!-- x", "\0", "```"]),
)


def without(whole: bytes, part: bytes) -> bool:
    """Whether `part` is `whole` with one run of bytes left out."""
    start = 0
    while start < len(part) and part[start] == whole[start]:
        start += 1
    return whole[start + len(whole) - len(part) :] == part[start:]


@given(FILES, st.sampled_from(SECTIONS), LINES)
def test_what_is_remembered_is_one_line_more_and_nothing_else(
    text: str, section: str, line: str
) -> None:
    before = text.encode()
    after = remembered(before, section, line)
    if isinstance(after, Problem):
        return
    other = PENDING if section == PATTERNS else PATTERNS
    assert without(after, before)
    assert lines_of(after.decode(), section)[:-1] == lines_of(text, section)
    assert lines_of(after.decode(), other) == lines_of(text, other)
    assert isinstance(remembered(after, section, line), Problem), "it is there already"


@given(FILES, LINES)
def test_what_was_remembered_and_is_resolved_is_gone_again(text: str, line: str) -> None:
    after = remembered(text.encode(), PENDING, line)
    assume(not isinstance(after, Problem))
    assert isinstance(after, bytes)
    back = resolved(after, lines_of(after.decode(), PENDING)[-1])
    assert isinstance(back, bytes)
    assert without(after, back)
    assert lines_of(back.decode(), PENDING) == lines_of(text, PENDING)


@given(FILES, LINES)
def test_what_is_resolved_is_a_pending_line_and_nothing_else(text: str, line: str) -> None:
    before = text.encode()
    for wanted in (line, *lines_of(text, PENDING)):
        after = resolved(before, wanted)
        if isinstance(after, bytes):
            assert without(before, after)
            assert len(lines_of(after.decode(), PENDING)) < len(lines_of(text, PENDING))
            assert lines_of(after.decode(), PATTERNS) == lines_of(text, PATTERNS)


def test_a_section_that_is_not_there_is_made_at_the_end() -> None:
    assert remembered(b"# Memory\r\n\r\nMine.", PENDING, "call Ann") == (
        b"# Memory\r\n\r\nMine.\r\n\r\n## Pending\r\n- call Ann\r\n"
    )
    assert remembered(b"", PATTERNS, "likes tea") == b"## Observed Patterns\n- likes tea\n"


def test_a_line_goes_after_the_last_one_of_its_section() -> None:
    text = b"## Pending\n- one\n  more of one\n\n\n## Mine\n- keep\n"
    assert (
        remembered(text, PENDING, "two")
        == b"## Pending\n- one\n  more of one\n- two\n\n\n## Mine\n- keep\n"
    )


def test_a_line_cannot_become_a_heading_a_comment_or_a_second_line() -> None:
    after = remembered(b"## Pending\n", PENDING, "## Tasks\n- [ ] x <!-- \u2028y")
    assert after == b"## Pending\n- \\## Tasks - [ ] x <\\!-- y\n"


def test_part_of_a_line_will_do_where_it_fits_one_line_only() -> None:
    text = b"## Pending\n- Follow up on package delivery (tracking #12345)\n- Dentist on Feb 15\n"
    assert (
        resolved(text, "dentist")
        == b"## Pending\n- Follow up on package delivery (tracking #12345)\n"
    )
    assert isinstance(resolved(text, "o"), Problem)
    assert isinstance(resolved(text, ""), Problem)


def test_a_full_section_takes_no_more() -> None:
    text = "## Pending\n" + "".join(f"- {number}\n" for number in range(MOST_LINES))
    assert isinstance(remembered(text.encode(), PENDING, "one more"), Problem)
    assert isinstance(remembered(text.encode(), PATTERNS, "fine"), bytes)
