"""What is kept of what a command prints, and what is told of it while it runs."""

from hypothesis import given
from hypothesis import strategies as st

from core.adapters.processes.commands import HALF, LONGEST_TOLD, CapturedOutput, Telling
from core.model.process import OUTPUT_LIMIT


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_what_fits_is_kept_as_it_is(pieces: list[bytes]) -> None:
    output = CapturedOutput()
    for piece in pieces:
        output.add(piece)
    assert output.text() == b"".join(pieces).decode(errors="replace")


@given(st.lists(st.integers(0, 300_000), min_size=1, max_size=12))
def test_the_first_and_the_last_half_of_long_output_are_kept_however_it_arrives(
    sizes: list[int],
) -> None:
    printed = b"".join(b"%07d\n" % number for number in range(sum(sizes) // 8 + 1))[: sum(sizes)]
    output = CapturedOutput()
    position = 0
    for size in sizes:
        output.add(printed[position : position + size])
        position += size
    text = output.text()
    if len(printed) <= 2 * HALF:
        assert text == printed.decode()
    else:
        notice = f"\n[… {len(printed) - 2 * HALF} bytes left out …]\n"
        assert text == printed[:HALF].decode() + notice + printed[-HALF:].decode()
    assert len(text.encode()) <= OUTPUT_LIMIT


def printed(*pieces: bytes) -> CapturedOutput:
    output = CapturedOutput()
    for piece in pieces:
        output.add(piece)
    return output


def test_the_last_whole_line_is_never_a_part_of_one_nor_blank() -> None:
    assert printed().last_whole_line() == ""
    assert printed(b"part of a secr").last_whole_line() == ""
    assert printed(b"one\ntwo\n \n", b"par").last_whole_line() == "two"
    assert printed(b" 10 %\r 20 %\r 3").last_whole_line() == "20 %"
    assert printed(b"x\n" * HALF, b"end\n").last_whole_line() == "end"


def test_a_line_that_is_too_long_is_left_out() -> None:
    long = b"x" * LONGEST_TOLD
    assert printed(long, b"\n").last_whole_line() == ""
    assert printed(b"one\n", long[:-10], b"\n").last_whole_line().startswith("xxx")
    assert printed(long, b"\nafter\n").last_whole_line() == "after"


class Watched:
    """A command whose lines are told, and a clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.told: list[str] = []
        self.output = CapturedOutput()
        self.telling = Telling(self.output, self.told.append, lambda: self.now)

    def prints(self, piece: bytes) -> None:
        self.output.add(piece)
        self.telling.printed()
        self.telling.tell()


def test_of_a_short_command_nothing_is_told() -> None:
    watched = Watched()
    watched.prints(b"one\n")
    watched.now += 0.75
    watched.prints(b"two\n")
    assert (watched.told, watched.telling.wait_limit()) == ([], 0.25)


def test_lines_are_told_at_most_once_per_second_and_the_last_one_is_never_lost() -> None:
    watched = Watched()
    assert watched.telling.wait_limit() is None  # nothing wakes up where nothing is printed
    watched.prints(b"one\n")
    watched.now += 1
    watched.telling.tell()
    watched.now += 0.25
    watched.prints(b"two\n")
    watched.prints(b"three\n")
    assert (watched.told, watched.telling.wait_limit()) == (["one"], 0.75)
    watched.now += 0.75
    watched.telling.tell()
    assert (watched.told, watched.telling.wait_limit()) == (["one", "three"], None)


def test_the_same_line_again_is_not_told_again() -> None:
    watched = Watched()
    for _ in range(3):
        watched.prints(b"waiting\n")
        watched.now += 5

    assert watched.told == ["waiting"]


def test_nothing_is_computed_where_nobody_listens() -> None:
    telling = Telling(CapturedOutput(), None, lambda: 0.0)
    telling.printed()
    assert telling.wait_limit() is None
