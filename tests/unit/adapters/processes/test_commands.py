"""What is kept of what a command prints."""

from hypothesis import given
from hypothesis import strategies as st

from core.adapters.processes.commands import HALF, CapturedOutput
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
