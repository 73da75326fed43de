"""Which files a task and its check name, and what a call touches of them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.model.evidence import Act, Named, Touched
from core.rules.checking.touching import (
    does_any_belong,
    is_any_touched,
    looks_at_nothing,
    mentions,
    words_of,
)
from tests.growth import LINEAR, growth

NAMED = Named(("report.md",), words="Sum up notes.txt")
KNOWN = frozenset({"report.md", "notes.txt", "a?c.md", *(f"f{number}" for number in range(200))})


def read(path: str) -> Act:
    return Act("read_file", touched=Touched(True, (path,), ()))


def listed(*patterns: str) -> Act:
    return Act("list_files", touched=Touched(True, (), (), patterns))


def in_vain(act: Act) -> Act:
    return replace(act, found=False)


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (read("report.md"), True),
        (read("report?md"), False),  # the name of another file: only a listing has patterns
        (read("*"), False),
        (listed("report?md"), True),
        (listed("*.md"), True),
        (listed("notes*"), True),
        (listed("*.pdf"), False),
    ],
)
def test_only_a_listing_has_patterns(act: Act, expected: bool) -> None:
    assert does_any_belong([act], NAMED, KNOWN) is expected


@pytest.mark.parametrize("pattern", ["*", "**", "*.*", "*/*", "?*", "./*"])
def test_a_pattern_that_lists_everything_names_nothing(pattern: str) -> None:
    assert not does_any_belong([listed(pattern)], NAMED, KNOWN)


@pytest.mark.parametrize(
    "touching",
    [
        lambda length: [read("?/" * length)],
        lambda length: [listed("?" * length)],
        lambda length: [listed("*?x" * length)],
        lambda length: [read(f"{number}/report.md") for number in range(length)],
        lambda length: [listed(f"*{number}.md") for number in range(length)],
    ],
)
def test_the_time_grows_no_faster_than_what_was_touched(
    touching: Callable[[int], list[Act]],
) -> None:
    def work(length: int) -> bool:
        return does_any_belong(touching(length), NAMED, KNOWN)

    assert growth(work, 2000) < LINEAR


def test_a_pattern_touches_what_it_lists() -> None:
    assert is_any_touched(["a/b.md"], listed("a/*"))
    assert is_any_touched(["a/b.md"], read("a"))
    assert is_any_touched(["a/b.md"], read("."))
    assert not is_any_touched(["a/b.md"], listed("b*"))
    assert not is_any_touched(["a/b.md"], read("a*"))


def test_the_time_to_find_a_name_grows_no_faster_than_the_text() -> None:
    assert mentions("x ./a.md y", "a.md")
    assert not mentions("x/./a.md", "a.md")
    assert growth(lambda length: mentions("/a" * length, "a"), 20_000) < LINEAR


# -- what earns ------------------------------------------------------------------------------------

JUDGED = Named(words="Look for new letters in inbox, e.g. in news.txt", by_any_reading=True)
PROBED = Named(commands=("cat inbox.txt",), words="Read the mail", by_any_reading=True)
THERE = frozenset({"inbox.txt", "other.txt"})


@pytest.mark.parametrize(
    ("act", "named", "expected"),
    [
        (read("other.txt"), JUDGED, True),
        (listed("*"), JUDGED, True),
        (read("other.txt"), PROBED, True),
        (listed("o*"), PROBED, True),
        (listed("*"), PROBED, False),  # the probe says which file it is about
        (in_vain(read("none.txt")), JUDGED, False),
        (in_vain(listed("zzz*")), JUDGED, False),
        (in_vain(listed("zzz*")), PROBED, False),
        (in_vain(read("news.txt")), JUDGED, True),
        (in_vain(listed("inbox/*")), JUDGED, True),
        (in_vain(listed("inbox")), JUDGED, True),
        (in_vain(listed("zzz")), JUDGED, False),
        (in_vain(listed("")), JUDGED, False),
        (in_vain(read("inbox.txt")), PROBED, True),
    ],
)
def test_any_reading_earns_only_where_something_was_found_or_asked_for(
    act: Act, named: Named, expected: bool
) -> None:
    assert does_any_belong([act], named, THERE) is expected


@pytest.mark.parametrize("word", ["e.g", "i.e", "z.B", "p.m"])
def test_an_abbreviation_is_no_name_of_a_file(word: str) -> None:
    named = Named(("report.md",), words=f"Tidy up, {word}. the logs")
    assert not does_any_belong([in_vain(read(word))], named, KNOWN)
    assert does_any_belong([read(word)], named, KNOWN | {word}), "if there is such a file, it is"


@pytest.mark.parametrize(
    ("command", "words", "idle"),
    [
        ("true inbox.txt", (), True),
        ("/bin/true inbox.txt; : a.md && echo b.md", (), True),
        ("echo done > report.md", ("report.md",), True),
        ("true < inbox.txt", ("inbox.txt",), False),
        ("true; cat inbox.txt", ("cat", "inbox.txt"), False),
        ('echo "$(cat inbox.txt)"', ("cat", "inbox.txt"), False),
    ],
)
def test_a_program_that_looks_at_no_file_touches_none(
    command: str, words: tuple[str, ...], idle: bool
) -> None:
    assert (words_of(command), looks_at_nothing(command)) == (words, idle)
