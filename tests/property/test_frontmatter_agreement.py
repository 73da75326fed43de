"""Any text: python-frontmatter with our handler, the lossless reader and the reader of prompts find
the same frontmatter, the same values at the same places, the same faults and the same body.

A second opinion comes from a few plain lines here, and for the values from the YAML library's own
loader of texts.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import frontmatter
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.kinds import read_document
from core.model.diagnostic import Diagnostic
from core.model.document import FrontmatterValue, NodeKind
from core.rules.reading.blocks import BOM, split_lines
from core.rules.reading.findings import Findings
from core.rules.reading.front_block import FrontBlock
from core.rules.reading.prompts import read_prompt
from core.rules.reading.strict_handler import StrictHandler
from core.rules.reading.strict_yaml import resolve

BLOCK_CODES = {"HB101", "HB102", "HB103", "HB104", "HB105"}

FENCES = st.one_of(
    st.just("---"),
    st.sampled_from(["--- ", "---\t", "----", "--", "...", "--- # x", "---\x0c", "---\u2028"])
    | st.sampled_from([" ---", "\ufeff---", "---x", "\xa0---", "+++", "{"]),
)
KEYS = st.sampled_from(
    ["title", "gate", "status", "a", "a", "content", "handler", "self", "'q'", '"q"', "é", "<<"]
)
VALUES = st.one_of(
    st.sampled_from(
        ["1", "010", "22:00", "yes", "2024-01-15", "~", "", "'x'", '"\\u2028"', "1_000"]
    )
    | st.sampled_from(
        ["&a [1]", "*a", "!!str x", "!!python/object:os.system x", "[1, x]", "[", "{"]
    )
    | st.sampled_from(["{b: 1, b: 2}", "{b: on}", "'x\u2028 y'", "x # y", "|", ">-", "a: b", "@x"])
    | st.sampled_from(["x\u2028b: 1", "x\x85", "\ufeffx", "\x07", "😀", "'😀' # é"]),
    st.text(max_size=6),
)
YAML_LINES = st.one_of(
    st.builds("{}: {}".format, KEYS, VALUES),
    st.builds("{}: {}".format, KEYS, VALUES),
    st.sampled_from(["", "  ", "# remark", "  more", "- a", "  - a", "\tx: 1", "just words", "..."])
    | st.sampled_from(["%YAML 1.1", "? x", ": y", "\ufeffb: 2", "\u2028b: 2", "# \x85b: 2", "{}"]),
)
BODY_LINES = st.one_of(
    st.sampled_from(
        ["", "Do it.", "---", "```", "## Tasks", "- [ ] a | b", "...", "\x0c", "\u2028"]
    ),
    st.text(max_size=8),
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\r\r\n", "\n\r"])


def line_of(lines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(str.__add__, lines, ENDS)


FILES = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(
        ["", "", "", BOM, BOM + BOM, "\n", "\r", " ", "\x0c", "\u2028", "# x\n", "\x85"]
    ),
    line_of(FENCES),
    st.lists(line_of(YAML_LINES), max_size=5).map("".join),
    FENCES,
    ENDS,
    st.lists(line_of(BODY_LINES), max_size=4).map("".join),
    st.sampled_from(["", "---", "end", "\x0c", "\u2028", " "]),
)
TEXTS = st.one_of(FILES, FILES, FILES, st.text(max_size=40)).filter(lambda text: "\0" not in text)


class Parts(NamedTuple):
    """A file as the plain lines below take it apart."""

    last_line: int
    inner: str
    body: str


def expected_parts(text: str) -> Parts:
    lines = file_lines(text)
    fences = [
        number
        for number, line in enumerate(lines, 1)
        if line.removesuffix("\n").removesuffix("\r").rstrip(" \t") == "---"
    ]
    if fences[:1] != [1] or len(fences) < 2:
        return Parts(0, "", text)

    last = fences[1]
    return Parts(last, "".join(lines[1 : last - 1]), "".join(lines[last:]))


def file_lines(text: str) -> list[str]:
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


class Found(NamedTuple):
    parts: Parts
    values: Mapping[str, FrontmatterValue]
    faults: list[tuple[int, int, str, str]]  # line, column, code, message


def found_by_library(text: str) -> Found:
    findings = Findings()
    handler = StrictHandler(FrontBlock(split_lines(text), text, findings))
    values, body = frontmatter.parse(text, handler=handler)

    faults = faults_in(findings.sorted())
    read = {key: one for key, one in values.items() if isinstance(one, FrontmatterValue)}
    assert len(read) == len(values)

    inner, whole_body = handler.split(text)
    assert whole_body.strip() == body
    last_line = handler.block.last_line
    assert handler.detect(text) == (last_line > 0)

    return Found(Parts(last_line, inner, whole_body), read, faults)


def found_by_reader(whole: str) -> Found:
    document = read_document(whole.encode())
    assert document.bom + document.text == whole

    front = document.frontmatter
    lines = document.lines
    inner = "".join(document.text[one.start : one.end] for one in lines[1 : front.last_line - 1])
    body = "".join(document.text[one.start : one.end] for one in lines[front.last_line :])

    nodes = [node for node in document.nodes if node.kind is NodeKind.FRONTMATTER]
    spans = [(node.first, node.last, node.end) for node in nodes]
    end = len(document.text) - len(body)
    assert spans == ([(1, front.last_line, end)] if front.last_line else [])

    parts = Parts(front.last_line, inner if front.last_line else "", body)
    return Found(parts, front.values, faults_in(document.diagnostics))


def faults_in(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[int, int, str, str]]:
    return sorted(
        (one.line, one.column, one.code, one.message)
        for one in diagnostics
        if one.code in BLOCK_CODES
    )


@settings(max_examples=3000, deadline=None)
@example("---\r\r\ntitle: A\r\n---\r\nBody\r\n")
@example("\n---\ntitle: A\n---\nBody\n")
@example("---\ntitle: A\n---\x0c\nBody\n---\n")
@example("---\ntitle: A\n---\u2028")
@example("---\ntitle: A\n...\nBody\n")
@example("---\n\ufefftitle: A # x\nb: 1\n---\n")
@example("---\ntitle: 'x\u2028 y'\nb: [\n---\n")
@example("---\ncontent: x\nhandler: y\nself: z\n---\n")
@example("---\n---")
@example("---")
@example("")
@given(TEXTS)
def test_the_library_and_both_readers_find_the_same(whole: str) -> None:
    text = whole.lstrip(BOM)
    library = found_by_library(text)

    assert library.parts == expected_parts(text)
    assert library == found_by_reader(whole)

    prompt_file = read_prompt("a", whole.encode())
    assert faults_in(prompt_file.diagnostics) == library.faults
    if prompt_file.prompt:
        assert prompt_file.prompt.body == library.parts.body.strip()


@settings(max_examples=1500, deadline=None)
@example("---\n\ufefftitle: A # x\nb: 1\n---\n")
@example("---\ntitle: 'x\u2028 y'\nb: 1\n---\n")
@example("---\na: x\u2028b: 1\n---\n")
@given(TEXTS)
def test_every_place_is_where_the_file_has_it(text: str) -> None:
    found = found_by_library(text)
    lines = file_lines(text)

    for key, entry in found.values.items():
        assert 1 < entry.line < found.parts.last_line
        assert starts_with_key(lines[entry.line - 1][entry.column - 1 :], key)

        if entry.writable:
            before = sum(map(len, lines[: entry.line - 1])) + entry.column - 1
            assert before <= entry.start <= entry.end <= before + len(lines[entry.line - 1])
            assert reads_as(text[entry.start : entry.end], entry.value)

    for line, column, _, _ in found.faults:
        assert 1 <= line <= max(1, found.parts.last_line - 1)
        assert 1 <= column <= len(lines[line - 1]) + 1


def starts_with_key(rest: str, key: str) -> bool:
    first_word = re.split("[ \n\x85\u2028\u2029]", key)[0]  # `? key` may go over several lines
    return rest.startswith((first_word, "'", '"'))


def reads_as(written: str, value: object) -> bool:
    if written[:1] in ("'", '"'):
        return bool(yaml.safe_load(written) == value)

    return resolve(written) == value


@settings(max_examples=1500, deadline=None)
@given(TEXTS)
def test_what_has_no_fault_is_what_yaml_reads_as_text(text: str) -> None:
    found = found_by_library(text)
    if found.faults:
        return

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    told = yaml.load(found.parts.inner.lstrip(BOM), Loader=loader) or {}
    ours = {key: entry.value for key, entry in found.values.items()}
    assert same(ours, told)


def same(ours: object, told: object) -> bool:
    """Say whether ours is what the loader told, in which every value is still a text."""
    if isinstance(ours, dict) and isinstance(told, dict):
        return ours.keys() == told.keys() and all(same(ours[key], told[key]) for key in ours)
    if isinstance(ours, list) and isinstance(told, list):
        return len(ours) == len(told) and all(map(same, ours, told))
    if isinstance(ours, str):
        return ours == told

    return isinstance(told, str) and resolve(told) == ours
