"""The line scanner agrees with a full Markdown parser about fences, comments, headings and list
items.

Where it differs on purpose:
- a quotation is opaque: what is quoted is somebody else's words, never an instruction, so its lines
  are not compared;
- an underlined heading is text: people write `---` under a sentence as a separator, and a section
  must not end there;
- raw HTML other than a comment hides nothing: a task inside `<details>` is still a task. The
  generator writes none;
- a line with four or more spaces that is still left of its list item's text continues the paragraph
  (CommonMark); markdown-it-py measures it against the item and lets it begin a block;
- lists nested more than 64 deep are text.
"""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.rules.reading.blocks import BlockKind, scan_blocks, split_lines
from core.rules.reading.findings import Findings
from core.rules.reading.frontmatter import read_frontmatter

SAMPLES = sorted((Path(__file__).parents[1] / "samples").rglob("*.md"))
MARKDOWN = MarkdownIt("commonmark")

Marks = dict[str, set[int]]


def marks_of_markdown_it(text: str) -> tuple[Marks, set[int]]:
    """The lines (from 0) of each kind; and the lines that are not compared."""
    marks: Marks = {"fence": set(), "comment": set(), "heading": set(), "item": set()}
    left_out: set[int] = set()
    for token in MARKDOWN.parse(text):
        lines = set(range(*token.map)) if token.map else set()
        match token.type:
            case "fence":
                marks["fence"] |= lines
            case "html_block":
                (
                    marks["comment"] if token.content.lstrip().startswith("<!--") else left_out
                ).update(lines)
            case "heading_open" if token.markup.startswith("#") and token.level == 0:
                marks["heading"] |= lines
            case "list_item_open":
                marks["item"] |= lines
            case "blockquote_open":
                left_out |= lines
    return marks, left_out


def marks_of_ours(text: str) -> Marks:
    blocks = scan_blocks(split_lines(text)).blocks
    return {
        "fence": {i for i, block in enumerate(blocks) if block.kind is BlockKind.FENCE},
        "comment": {i for i, block in enumerate(blocks) if block.kind is BlockKind.COMMENT},
        "heading": {i for i, block in enumerate(blocks) if block.level},
        "item": {i for i, block in enumerate(blocks) if block.in_item},
    }


def assert_agreement(text: str) -> None:
    theirs, left_out = marks_of_markdown_it(text)
    lines = split_lines(text)
    compared = {line.number - 1 for line in lines if line.text.strip(" \t")} - left_out
    ours = marks_of_ours(text)
    for kind, found in theirs.items():
        assert ours[kind] & compared == found & compared, kind


INDENTS = st.sampled_from(["", "", "", " ", "  ", "   ", "    ", "      ", "\t"])
STARTS = st.sampled_from(
    [
        "",
        "",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "2) ",
        "-   ",
        "-",
        "- [ ] ",
        "- [x] ",
        "- - ",
        "# ",
        "## ",
        "### ",
        "#",
        "> ",
    ]
)
BODIES = st.sampled_from(
    [
        "word",
        "two words",
        "a | b",
        "```",
        "~~~",
        "````",
        "``` text",
        "```a`b",
        "<!-- note -->",
        "<!--",
        "-->",
        "---",
    ]
    + [
        "***",
        "===",
        "## Tasks",
        "[ ] task",
        "",
        "",
        "**key**: value",
        "#hash",
        "######## many",
        "* * *",
    ]
)
LINES = st.builds(lambda indent, start, body: indent + start + body, INDENTS, STARTS, BODIES)
TEXTS = st.builds(
    lambda lines, end: end.join(lines),
    st.lists(LINES, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
)


def deep_line_left_of_its_item(text: str) -> bool:
    """The oracle's other difference: see above. Looked for generously, by indentation alone."""
    deepest = 0
    for line in split_lines(text.expandtabs(4)):
        bare = line.text.lstrip(" ")
        indent = len(line.text) - len(bare)
        if bare and 4 <= indent < deepest:
            return True
        while bare[:1] in ("-", "*", "+", "1", "2"):
            bare = bare[1:].lstrip(".) ")
            deepest = max(deepest, len(line.text) - len(bare))
    return False


def quotation_inside(text: str) -> bool:
    return any(line.text.lstrip("-+*0123456789.) \t").startswith(">") for line in split_lines(text))


DIFFERENCES = (deep_line_left_of_its_item, quotation_inside)


@settings(max_examples=3000)
@example("- a\n\n  ```\n  - [ ] b\n  ```\n- [ ] c\n")
@example("- a\nlazy\n  ```\nb\n")
@example("-\n\n  text\n")
@example("- a\t\tb\n\n  c\n")
@example("-\ta\tb\n\n    c\n")
@example("1. a\n2. b\n   - c\n\n     ~~~\n   d\n")
@given(TEXTS)
def test_the_scanner_agrees_with_markdown_it_on_random_files(text: str) -> None:
    if any(differs(text) for differs in DIFFERENCES):
        return
    assert_agreement(text)


@settings(max_examples=1000)
@given(st.text(alphabet="-*+#`~<!>[]x 1.)\n\ta=_", max_size=60))
def test_the_scanner_agrees_with_markdown_it_on_noise(text: str) -> None:
    if any(differs(text) for differs in DIFFERENCES) or "<" in text.replace("<!--", ""):
        return
    assert_agreement(text)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_scanner_agrees_with_markdown_it_on_every_sample(path: Path) -> None:
    try:
        text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return
    lines = split_lines(text)
    front = read_frontmatter(lines, text, Findings())
    body = text[lines[front.last_line - 1].end :] if front.last_line else text
    assert_agreement(body)


@pytest.mark.parametrize(
    ("text", "kind", "ours", "theirs"),
    [
        ("> ## Tasks\n", "heading", set(), set()),
        ("Tasks\n-----\n", "heading", set(), set()),
        ("<details>\n## Tasks\n</details>\n", "heading", {1}, set()),
        ("    - word\n", "item", set(), set()),
        ("   - word\n    ```\n", "item", {0, 1}, {0}),
    ],
)
def test_the_differences_on_purpose_are_these(
    text: str, kind: str, ours: set[int], theirs: set[int]
) -> None:
    assert marks_of_ours(text)[kind] == ours
    assert marks_of_markdown_it(text)[0][kind] == theirs
