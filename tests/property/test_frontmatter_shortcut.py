"""The shortcut for simple frontmatter reads what YAML itself reads, to the last position."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.rules.reading.strict_yaml import read_full, read_simple

CHARACTERS = "abcxyzTZ0123456789 :#-+./_'\"[]{}&*!|>%@`~,?<=\t\r\u2028é"
KEYS = st.sampled_from(
    ["status", "version", "last_wake", "on", "null", "a1", "_", "key-two", "1", "é"]
)
VALUES = st.one_of(
    st.sampled_from(
        [
            "idle",
            "1",
            "-1",
            "0.5",
            "null",
            "true",
            "2024-01-15T10:30:00Z",
            "09:00-18:00 mon-fri",
            "Europe/Berlin",
            "",
        ]
        + [
            "a b c",
            "a: b",
            "a #b",
            "a#b",
            "x:",
            "10:30",
            "1.",
            "1..2",
            "a  b",
            "a - b",
            "a .b +c /d",
            "'x'",
            "~",
        ]
    ),
    st.text(alphabet=CHARACTERS, max_size=12),
)
LINES = st.one_of(
    st.builds(
        lambda key, gap, value, tail: f"{key}:{gap}{value}{tail}",
        KEYS,
        st.sampled_from([" ", "  ", "", "\t"]),
        VALUES,
        st.sampled_from(["", "", " ", "  # remark", " #", "\r", "\t# x"]),
    ),
    st.sampled_from(["", "  ", "# remark", "  more", "- a", "---", "..."]),
)
TEXTS = st.lists(LINES, max_size=5).map("\n".join)


@settings(max_examples=3000, deadline=None)
@example("last_error: |\n  a")
@example("a: b\n c")
@example("a: 1 #")
@given(TEXTS)
def test_whatever_the_shortcut_reads_yaml_reads_alike(text: str) -> None:
    simple = read_simple(text)
    if simple is not None:
        assert simple == read_full(text)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from(["version: 1", "status: idle", "last_wake: 2024-01-15T10:30:00Z  # last"]),
        unique=True,
    )
)
def test_ordinary_frontmatter_takes_the_shortcut(lines: list[str]) -> None:
    simple = read_simple("".join(f"{line}\n" for line in lines))
    assert simple is not None
    assert len(simple) == len(lines)
