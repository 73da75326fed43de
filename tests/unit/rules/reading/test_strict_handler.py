"""python-frontmatter with our handler, next to what the library's own handler makes of the same
files: each of these would be a fault, so the handler is needed."""

import subprocess
import sys
from collections.abc import Mapping
from datetime import date

import frontmatter
import pytest
import yaml
from frontmatter.default_handlers import YAMLHandler

from core.model.document import FrontmatterValue
from core.rules.reading.blocks import split_lines
from core.rules.reading.findings import Findings
from core.rules.reading.front_block import FrontBlock
from core.rules.reading.prompts import read_prompt
from core.rules.reading.strict_handler import FileParts, StrictHandler, read_parts

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcd", "bcde", strict=True)
)


def file_of(front: str) -> str:
    return f"---\n{front}\n---\nDo it.\n"


def ours(text: str) -> tuple[FileParts, list[tuple[int, str]]]:
    findings = Findings()
    parts = read_parts(FrontBlock(split_lines(text), text, findings))
    return parts, [(one.line, one.code) for one in findings.sorted()]


def values_of(found: Mapping[str, FrontmatterValue]) -> dict[str, object]:
    return {key: entry.value for key, entry in found.items()}


# -- the values ------------------------------------------------------------------------------------


def test_aliases_do_not_multiply() -> None:
    theirs = frontmatter.loads(file_of(LAUGHS)).metadata
    assert len(str(theirs)) > 500 * len(LAUGHS)

    parts, codes = ours(file_of(LAUGHS))
    assert parts.front.values == {}
    assert codes == [(line, "HB104") for line in (2, 3, 4, 5, 6)]


def test_brackets_do_not_crash_the_interpreter() -> None:
    bomb = "---\na: " + "[" * 25_000 + "]" * 25_000 + "\n---\n"
    program = "import sys, frontmatter; frontmatter.loads(sys.stdin.read())"
    theirs = subprocess.run([sys.executable, "-c", program], input=bomb, text=True, check=False)
    assert theirs.returncode != 0

    assert ours(bomb)[1] == [(2, "HB105")]


@pytest.mark.parametrize(
    ("written", "theirs"),
    [
        ("2024-01-15", date(2024, 1, 15)),
        ("22:00", 1320),
        ("010", 8),
        ("0x10", 16),
        ("1_000", 1000),
        ("yes", True),
        ("off", False),
    ],
)
def test_a_value_stays_as_it_is_written(written: str, theirs: object) -> None:
    assert frontmatter.loads(file_of(f"a: {written}"))["a"] == theirs
    assert values_of(ours(file_of(f"a: {written}"))[0].front.values) == {"a": written}


def test_of_two_equal_keys_the_first_counts_and_the_second_is_reported() -> None:
    text = file_of("gate: first\ngate: second")
    assert frontmatter.loads(text)["gate"] == "second"

    parts, codes = ours(text)
    assert values_of(parts.front.values) == {"gate": "first"}
    assert codes == [(3, "HB103")]


def test_a_merged_key_is_not_taken_over() -> None:
    text = file_of("title: A\ngate: {<<: {command: rm}}")
    assert frontmatter.loads(text)["gate"] == {"command": "rm"}

    parts, codes = ours(text)
    assert values_of(parts.front.values) == {"title": "A"}
    assert codes == [(3, "HB104")]


def test_a_tag_makes_no_other_thing_of_a_text() -> None:
    text = file_of("a: !!binary aGk=")
    assert frontmatter.loads(text)["a"] == b"hi"
    assert ours(text)[1] == [(2, "HB104")]


@pytest.mark.parametrize(
    ("front", "error", "code"),
    [
        ("a: !!python/object/apply:os.system [ls]", yaml.YAMLError, "HB104"),
        ("a: [1", yaml.YAMLError, "HB102"),
        ("a: \x07", yaml.YAMLError, "HB102"),
        ("a: {[1]: 2}", yaml.YAMLError, "HB102"),
    ],
)
def test_what_cannot_be_read_is_a_finding_and_not_an_exception(
    front: str, error: type[Exception], code: str
) -> None:
    with pytest.raises(error):
        frontmatter.loads(file_of(front))

    parts, codes = ours(file_of(f"title: A\n{front}\nb: 1"))
    assert values_of(parts.front.values) == {"title": "A", "b": 1}
    assert parts.body == "Do it."
    assert codes == [(3, code)]


@pytest.mark.parametrize("key", ["content", "handler", "self", "1", "yes", "2024-13-41"])
def test_every_key_is_only_a_key(key: str) -> None:
    """`loads` makes arguments of a function out of them; that is why `parse` is called."""
    with pytest.raises((TypeError, ValueError)):
        frontmatter.loads(file_of(f"{key}: x"))

    assert values_of(ours(file_of(f"{key}: x"))[0].front.values) == {key: "x"}


# -- the split -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Words first.\n---\ngate: x\n---\nDo it.\n",
        "\n\n---\ngate: x\n---\nDo it.\n",
        "\x0c---\ngate: x\n---\nDo it.\n",
        "# remark\n---\ngate: x\n---\nDo it.\n",
        "-----\ngate: x\n----\nDo it.\n",
    ],
)
def test_only_a_fence_on_the_first_line_opens_it(text: str) -> None:
    assert frontmatter.loads(text, handler=YAMLHandler()).metadata == {"gate": "x"}

    parts, codes = ours(text)
    assert parts.front.last_line == 0
    assert parts.body == text.strip()
    assert codes == []


@pytest.mark.parametrize("fence", ["---\x0c", "---\u2028", "---\xa0", "----"])
def test_only_a_fence_closes_it(fence: str) -> None:
    text = f"---\ntitle: A\n{fence}\nDo it.\n"
    assert frontmatter.loads(text)["title"] == "A"

    parts, codes = ours(text)
    assert parts.front.last_line == 0
    assert codes == [(1, "HB101")]


def test_a_fence_in_the_body_stays_there() -> None:
    body = "One\n\n---\n\nTwo\n---\nThree"
    assert ours(f"---\ntitle: A\n---\n{body}\n")[0].body == body


@pytest.mark.parametrize("front", ["", "---\r\ntitle: A\r\n---\r\n"])
def test_the_body_keeps_its_line_ends(front: str) -> None:
    text = f"{front}One\r\nTwo\r\n"
    assert frontmatter.loads(text).content == "One\nTwo"
    assert ours(text)[0].body == "One\r\nTwo"


class TrustingHandler(StrictHandler):
    """The same handler, had it split the copy that the library hands it."""

    def split(self, text: str) -> tuple[str, str]:
        self.block = FrontBlock(split_lines(text), text, self.block.findings)
        return super().split(text)


@pytest.mark.parametrize(
    "text",
    [
        "---\r\r\ntitle: A\r\nb: 1\r\n---\r\n",  # an empty line is lost
        "---\r\ntitle: A\r\nb: 1\r\n---\r\n",  # positions are too small
        "\n---\ntitle: A\n---\n",  # it is not on the first line
    ],
)
def test_the_library_hands_on_a_copy_that_has_other_places(text: str) -> None:
    block = FrontBlock(split_lines(text), text, Findings())
    trusting, _ = frontmatter.parse(text, handler=TrustingHandler(block))
    strict = ours(text)[0].front.values

    assert trusting != strict
    for entry in strict.values():
        assert text[entry.start : entry.end] == str(entry.value)


# -- what it is for --------------------------------------------------------------------------------


def test_a_prompt_is_read_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Watched(StrictHandler):
        def split(self, text: str) -> tuple[str, str]:
            asked.append(text)
            return super().split(text)

    monkeypatch.setattr("core.rules.reading.strict_handler.StrictHandler", Watched)
    prompt = read_prompt("a", file_of("title: A").encode()).prompt
    assert prompt
    assert (prompt.title, prompt.body) == ("A", "Do it.")
    assert asked == [file_of("title: A").strip()]


def test_it_cannot_write() -> None:
    """`dumps` would put the keys in another order and drop the remarks; writing replaces spans."""
    text = file_of("b: 1  # remark\na: 2")
    handler = StrictHandler(FrontBlock(split_lines(text), text, Findings()))
    post = frontmatter.Post("Do it.", handler, a=2, b=1)

    assert "remark" not in frontmatter.dumps(frontmatter.loads(text))
    with pytest.raises(NotImplementedError):
        frontmatter.dumps(post)
