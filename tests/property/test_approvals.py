"""Properties of the approval's hash and of what reads and shows commands: any text at all, from
anybody."""

from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.model.approval import Executable, ExecutableKind, Fields, Script
from core.rules.approving.approval import digest_of
from core.rules.approving.command_words import candidates_in, unresolved
from core.rules.printable import visible

TEXT = st.text(alphabet=st.one_of(st.characters(), st.sampled_from('",[]\\:\x00 ab')), max_size=12)
FIELDS = st.lists(st.tuples(TEXT, TEXT), max_size=4).map(tuple)
SCRIPTS = st.lists(st.builds(Script, TEXT, TEXT), max_size=3).map(tuple)
PARTS = st.tuples(TEXT, TEXT, st.sampled_from(ExecutableKind), FIELDS, SCRIPTS)
Parts = tuple[str, str, ExecutableKind, Fields, tuple[Script, ...]]
UNHURRIED = settings(max_examples=300, deadline=None)  # the machine may be busy


def digest(parts: Parts) -> str:
    place, key, kind, fields, scripts = parts
    return digest_of(Executable(key, kind, "", "", 0, fields, (), ()), scripts, place)


@UNHURRIED
@given(PARTS, PARTS)
def test_two_different_things_never_have_one_hash(one: Parts, other: Parts) -> None:
    assert (digest(one) == digest(other)) == (one == other)


@UNHURRIED
@given(PARTS, st.data())
def test_moving_a_character_to_another_text_changes_the_hash(
    parts: Parts, data: st.DataObject
) -> None:
    """The texts side by side are the same; only the border between two of them has moved."""
    place, key, kind, fields, scripts = parts
    texts = [place, key, *(text for pair in (*fields, *scripts) for text in pair)]
    index = data.draw(st.integers(0, len(texts) - 2))
    assume(texts[index])
    moved = [*texts]
    moved[index], moved[index + 1] = texts[index][:-1], texts[index][-1] + texts[index + 1]
    pairs = [*zip(moved[2::2], moved[3::2], strict=True)]
    again: Parts = (
        moved[0],
        moved[1],
        kind,
        tuple(pairs[: len(fields)]),
        tuple(Script(*pair) for pair in pairs[len(fields) :]),
    )
    assert digest(again) != digest(parts)


@UNHURRIED
@given(PARTS, st.data())
def test_a_field_is_not_a_script_and_a_name_not_a_value(parts: Parts, data: st.DataObject) -> None:
    place, key, kind, fields, scripts = parts
    assume(fields)
    last = fields[-1]
    as_script: Parts = (place, key, kind, fields[:-1], (Script(*last), *scripts))
    turned: Parts = (place, key, kind, (*fields[:-1], (last[1], last[0])), scripts)
    assert digest(as_script) != digest(parts)
    assert (digest(turned) == digest(parts)) == (last[0] == last[1])


@UNHURRIED
@given(PARTS)
def test_what_is_only_shown_does_not_count(parts: Parts) -> None:
    place, key, kind, fields, scripts = parts
    one = Executable(key, kind, "", "", 0, fields, (), ())
    other = replace(one, title="x", file="y", line=7, reach=("far",), needed_by=("task:z",))
    assert digest_of(one, scripts, place) == digest_of(other, scripts, place)


@UNHURRIED
@given(
    st.text(
        alphabet=st.one_of(st.characters(), st.sampled_from("'\"\\`$(){}<>|&; \n-=/.*abcsh")),
        max_size=60,
    )
)
def test_any_text_is_read_as_a_command_without_a_complaint(command: str) -> None:
    for one in candidates_in(command, "sub"):
        assert one.path
    unresolved(command)


@UNHURRIED
@given(st.lists(st.text(alphabet="abc./-_", min_size=1, max_size=8), min_size=1, max_size=6))
def test_every_plain_word_is_looked_at(words: list[str]) -> None:
    found = {one.path for one in candidates_in(" ".join(words))}
    assert {word for word in words if not word.startswith("/")} <= found


@UNHURRIED
@given(st.text(alphabet=st.characters(), max_size=40))
def test_what_is_shown_is_printable_and_hides_nothing(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert all(character in shown or f"<U+{ord(character):04X}>" in shown for character in text)
