"""Characters that hide or reorder text are named where something executes, and nowhere else."""

import pytest

from core.kinds import read_document
from core.model.diagnostic import Diagnostic
from core.rules.reading.prompts import read_prompt

HIDDEN = [
    ("\u200b", "U+200B ZERO WIDTH SPACE"),
    ("\u202e", "U+202E RIGHT-TO-LEFT OVERRIDE"),
    ("\u2066", "U+2066 LEFT-TO-RIGHT ISOLATE"),
    ("\u00ad", "U+00AD SOFT HYPHEN"),
    ("\u00a0", "U+00A0 NO-BREAK SPACE"),
    ("\u3000", "U+3000 IDEOGRAPHIC SPACE"),
    ("\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A"),
    ("\ufe0f", "U+FE0F VARIATION SELECTOR-16"),
    ("\u3164", "U+3164 HANGUL FILLER"),
    ("\u2028", "U+2028 LINE SEPARATOR"),
    ("\x85", "U+0085 NEXT LINE"),
    ("\x0b", "U+000B LINE TABULATION"),
    ("\u200d", "U+200D ZERO WIDTH JOINER"),
]
ACTION = "## Pending Actions\n### A\n- **id**: a\n"
PLACES = [
    "## Tasks\n- [ ] a | b | run: ls {}mail\n",
    "## Tasks\n- [ ] a | b | run: ls \\| grep {}mail\n",
    "## Tasks\n- [ ] a | b | verify: cmd:test {}-f x\n",
    "## Tasks\n- [ ] a | b | http:https://example.org/{}x\n",
    "## Tasks\n- [ ] a | b | run: true | file:re{}port.md\n",
    "## Tasks\n## Probes\n- mails: ls {}mail\n",
    ACTION + "- **command**: ls {}mail\n",
    ACTION + "- **command**: true\n- **working_dir**: so{}rc\n",
    ACTION + "- **command**: true\n- **env**:\n  - A: b{}c\n",
    ACTION + "- **target**: https://exa{}mple.org/\n",
    ACTION + "- **type**: file\n- **operation**: read\n- **params**:\n  - path: no{}tes.md\n",
]


def hidden_in(text: str) -> list[Diagnostic]:
    return [one for one in read_document(text.encode()).diagnostics if one.code == "HB009"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("character", "name"), HIDDEN)
def test_a_hidden_character_in_what_executes_is_named_with_its_place(
    character: str, name: str, place: str
) -> None:
    (found,) = hidden_in(place.format(character))
    before = place.partition("{}")[0]
    assert name in found.message
    assert found.line == before.count("\n") + 1
    assert found.column == len(before.rpartition("\n")[2]) + 1


@pytest.mark.parametrize("place", PLACES)
def test_the_same_places_without_one_are_not_reported(place: str) -> None:
    assert hidden_in(place.format("")) == []
    assert hidden_in(place.format("ä")) == []


@pytest.mark.parametrize(
    "words", ["👩\u200d💻", "❤\ufe0f", "1\ufe0f\u20e3", "می\u200cخواهم", "क्\u200dष"]
)
def test_emoji_and_letters_that_need_a_joiner_are_fine_in_a_command_too(words: str) -> None:
    assert hidden_in(f"## Tasks\n- [ ] a | b | run: echo {words}\n") == []


@pytest.mark.parametrize("character", [one for one, _ in HIDDEN])
def test_words_for_people_may_have_any_character(character: str) -> None:
    assert hidden_in(f"## Tasks\n- [ ] a | Read{character}it | run: true\n") == []
    message = "- **type**: notify\n- **message**: tea{} now\n"
    assert hidden_in(ACTION + message.format(character)) == []


def test_several_in_one_value_are_one_finding() -> None:
    (found,) = hidden_in("## Tasks\n- [ ] a | b | run: l\u200bs\u200b\n")
    assert "and 1 more" in found.message


@pytest.mark.parametrize(
    ("gate", "line", "column"),
    [
        ("  command: l\u200bs\n", 4, 13),
        ('  command: "l\\u200bs"\n', 3, 1),
        ("  command: ls\n  cwd: a\u200bb\n", 5, 9),
        ("  command: ls\n  env:\n    A: b\u200bc\n", 6, 9),
        ("  command: ls\n  allowedDomains: [a\u200bb.org]\n", 5, 21),
    ],
)
def test_a_gate_is_looked_at_too(gate: str, line: int, column: int) -> None:
    text = f"---\ntitle: A\ngate:\n{gate}---\nDo it.\n"
    found = [one for one in read_prompt("a", text.encode()).diagnostics if one.code == "HB009"]
    assert [(one.line, one.column) for one in found] == [(line, column)]
    assert "ZERO WIDTH SPACE" in found[0].message
