"""Reading whole files: which files are read at all, their format, what makes a plain file
active, the review."""

from pathlib import Path

import pytest

from core.kinds import read_document
from core.model.document import Document, NodeKind
from core.rules.reading.blocks import MAXIMUM_BYTES


def read(text: str) -> Document:
    return read_document(text.encode())


def codes(document: Document) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in document.diagnostics]


TASKS = "# Heartbeat\n\n## Tasks\n- [ ] a | b | run: true\n"


# -- bytes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff", "\ufeff\ufeff"])
def test_utf_8_with_or_without_bom_and_every_line_end(bom: str, end: str) -> None:
    data = (bom + TASKS.replace("\n", end)).encode()
    document = read_document(data)
    assert [(task.id, task.line) for task in document.tasks] == [("a", 4)]
    assert document.context == "# Heartbeat"
    assert (document.bom + document.text).encode("utf-8", "surrogateescape") == data


def test_mixed_line_ends_each_end_a_line() -> None:
    assert [line.text for line in read("a\nb\rc\r\nd\n\re").lines] == ["a", "b", "c", "d", "", "e"]


@pytest.mark.parametrize(
    "character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f"]
)
@pytest.mark.parametrize(
    "place",
    [
        "## Tasks{}\n- [ ] b\n",
        "x{}## Tasks\n- [ ] b\n",
        "x{}- [ ] b\n",
        "## Tasks\n- [ ] a | x{}- [ ] b | y\n",
    ],
)
def test_no_other_character_ends_a_line(character: str, place: str) -> None:
    document = read(place.format(character))
    assert "b" not in [task.id for task in document.tasks]
    assert len(document.lines) == place.count("\n")


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"x" * (MAXIMUM_BYTES + 1), "HB001", 0),
        (TASKS.encode("utf-16"), "HB002", 1),
        ("# Caf\u00e9\n".encode("latin-1"), "HB002", 1),
        (b"# A\n\n\xe2\x82", "HB002", 3),
        (b"# A\r\r\xff", "HB002", 3),
        (b"\xed\xa0\x80", "HB002", 1),
        (b"\xc0\xaf", "HB002", 1),
        (b"# A\n## Tasks\n\0", "HB003", 3),
        (b"# A\r\n\0", "HB003", 2),
    ],
)
def test_a_refused_file_gives_one_error_no_items_and_keeps_its_bytes(
    data: bytes, code: str, line: int
) -> None:
    document = read_document(data)
    assert document.refused
    assert codes(document) == [(line, code)]
    assert not document.active
    assert document.tasks == ()
    assert (document.bom + document.text).encode("utf-8", "surrogateescape") == data


def test_a_file_of_exactly_1_mib_is_read() -> None:
    start = TASKS.encode()
    document = read_document(start + b"\n" * (MAXIMUM_BYTES - len(start)))
    assert not document.refused
    assert len(document.tasks) == 1


def test_an_empty_file_has_nothing_and_nothing_is_wrong_with_it() -> None:
    for data in (b"", b"\n\n  \n", b"\xef\xbb\xbf"):
        document = read_document(data)
        assert (document.active, document.diagnostics, document.context.strip()) == (False, (), "")


# -- format ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("## Tasks\n", "contract"),
        ("## Pending Actions\n", "actions"),
        ("## Pending Actions\n## Tasks\n", "mixed"),
        ("Words\n", "plain"),
        ("", "plain"),
        ("## Active Tasks\n- [ ] a\n", "plain"),
        ("```\n## Tasks\n```\n", "plain"),
        ("<!--\n## Tasks\n-->\n", "plain"),
        ("# Tasks\n", "plain"),
        ("## Proactive Review\nx\n", "plain"),
        ("---\nformat: plain\n---\n## Tasks\n- [ ] a\n", "plain"),
        ("---\nformat: contract\n---\nWords\n", "contract"),
        ("---\nformat: actions\n---\n## Tasks\n", "actions"),
        ("---\nformat: auto\n---\n## Tasks\n", "contract"),
        ("---\nformat: nonsense\n---\n## Tasks\n", "contract"),
    ],
)
def test_the_frontmatter_decides_the_format_else_the_headings(text: str, form: str) -> None:
    assert read(text).format == form


def test_with_format_contract_actions_are_context_and_that_is_reported() -> None:
    document = read(
        "---\nformat: contract\n---\n## Tasks\n- [ ] a | b | cmd:x\n## Pending Actions\n### X\n- "
        "id: x\n- command: y\n"
    )
    assert (len(document.tasks), len(document.actions)) == (1, 0)
    assert codes(document) == [(6, "HB608")]
    assert "- command: y" in document.context


def test_with_format_actions_tasks_are_context_and_that_is_reported() -> None:
    document = read(
        "---\nformat: actions\n---\n## Tasks\n- [ ] a\n## Pending Actions\n### X\n- **id**: x\n- "
        "**command**: y\n"
    )
    assert (len(document.tasks), len(document.actions)) == (0, 1)
    assert codes(document) == [(4, "HB608")]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("# Tasks\nx\n", 1, "HB604"),
        ("### Pending Actions\nx\n", 1, "HB604"),
        ("## Tasks:\nx\n", 1, "HB604"),
        ("## Taks\nx\n", 1, "HB605"),
        ("## Pending Action\nx\n", 1, "HB605"),
        ("## Complete Today\nx\n", 1, "HB605"),
        ("x\n\nTasks\n-----\n", 3, "HB603"),
        ("x\n```\nnever closed\n", 2, "HB601"),
        ("x\n<!-- never closed\n", 2, "HB602"),
    ],
)
def test_a_heading_or_mark_that_does_not_do_what_was_meant_is_reported(
    text: str, line: int, code: str
) -> None:
    assert codes(read(text)) == [(line, code)]


@pytest.mark.parametrize(
    "text",
    [
        "## Notes\nx\n",
        "## Task list\nx\n",
        "## Review\nx\n",
        "# Heartbeat\nx\n",
        "## Active Tasks\nx\n",
    ],
)
def test_an_ordinary_heading_is_not_reported(text: str) -> None:
    assert codes(read(text)) == []


# -- plain files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "\t",
        "# Heading",
        "###### Small",
        "   ## Indented",
        "<!-- comment -->",
        "<!--\nover\n\n# several\nlines\n-->",
        "- [ ] box",
        "* [ ] box",
        "  + [ ] box",
        "- <!-- in a list -->",
        "<!-- a --> <!-- b -->",
    ],
)
def test_blank_lines_comments_headings_and_unchecked_boxes_are_not_active(line: str) -> None:
    assert not read(f"{line}\n").active


@pytest.mark.parametrize(
    "line",
    [
        "words",
        "- item",
        "- [x] done",
        "- [X] done",
        "1. [ ] numbered",
        "> quoted",
        "---",
        "```\n```",
        "    code",
        "<!-- c --> words",
        "words <!-- c -->",
        "<!-- a --> words <!-- b -->",
        "<b>html</b>",
        "- [y] odd",
        "[ ] bare",
        "#no heading",
        "| a | b |",
    ],
)
def test_any_other_line_is_active(line: str) -> None:
    assert read(f"{line}\n").active
    assert read(f"# Title\n\n- [ ] box\n{line}\n<!-- c -->\n").active


def test_a_plain_file_goes_to_the_model_verbatim() -> None:
    text = "# Heartbeat\r\n\r\n- [ ] box\r\n\r\n\r\n  Say hi.  \r\n<!-- c -->"
    assert read(text).context == text
    assert (
        read("---\nformat: plain\nversion: 1\n---\n## Tasks\n- [ ] a | b\n").context
        == "## Tasks\n- [ ] a | b\n"
    )


def test_the_review_and_what_is_done_are_not_part_of_a_plain_file() -> None:
    document = read(
        "# Mine\nLook at the sky.\n## Proactive Review\nAnything?\n## Completed\n"
        "- [x] sweep the yard\n## Notes\nBe short.\n"
    )
    assert document.context == "# Mine\nLook at the sky.\n## Notes\nBe short.\n"
    assert (document.review, document.is_plain_item) == ("Anything?", True)

    assert not read("# Mine\n\n## Completed\n- [x] sweep the yard\nIt was fun.\n").active
    review = read("# Mine\n\n## Proactive Review\nAnything?\n")
    assert (review.active, review.is_plain_item, review.review) == (True, False, "Anything?")


def test_with_format_plain_there_are_no_items_and_unchecked_boxes_start_nothing() -> None:
    document = read("---\nformat: plain\n---\n## Tasks\n- [ ] a\n")
    assert (document.tasks, document.active) == ((), False)
    assert read("---\nformat: plain\n---\n## Tasks\n- [x] a\n").active


def test_the_plain_sample_is_active_because_of_one_line() -> None:
    sample = Path(__file__).parents[3] / "samples" / "source_formats" / "plain.md"
    text = sample.read_text(encoding="utf-8")
    assert read(text).active
    assert not read(text.replace("- Send a daily weather summary to Telegram\n", "")).active


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n- [ ] Check\n", 2),
        ("# Title\n\n<!-- c -->\n", 1),
        ("---\nversion: 1\n---\n\n# Title\n", 5),
    ],
)
def test_where_every_line_is_inactive_check_says_so_and_how_to_write_it(
    text: str, line: int
) -> None:
    document = read(text)
    assert codes(document) == [(line, "HB607")]
    assert "## Tasks" in document.diagnostics[0].hint


def test_active_and_inactive_lines_are_distinguished() -> None:
    kinds = [
        (node.kind, node.first, node.last)
        for node in read("# T\n- [ ] a\n<!-- c -->\nwords\nmore\n\n").nodes
    ]
    assert kinds == [
        (NodeKind.HEADING, 1, 1),
        (NodeKind.INACTIVE, 2, 3),
        (NodeKind.PLAIN, 4, 5),
        (NodeKind.BLANK, 6, 6),
    ]


# -- review ----------------------------------------------------------------------------------------


def test_the_review_is_the_text_under_its_heading() -> None:
    document = read(
        f"{TASKS}## Proactive review\n\nLook around.\n\n### Rules\n- [ ] silence is fine\n## "
        "Notes\nx\n"
    )
    assert document.review == "Look around.\n\n### Rules\n- [ ] silence is fine"
    assert document.context == "# Heartbeat\n\n## Notes\nx"


@pytest.mark.parametrize("inside", ["", "\n\n", "<!-- write it here -->\n", "<!--\nlater\n-->\n\n"])
def test_an_empty_review_is_none_and_starts_nothing(inside: str) -> None:
    document = read(f"## Proactive Review\n{inside}## Tasks\n- [x] a | b\n")
    assert document.review is None
    assert not document.active


def test_a_review_alone_is_something_to_do() -> None:
    assert read("## Proactive Review\nLook around.\n").active
    assert read("## Tasks\n- [x] a | b\n## Proactive Review\nLook around.\n").active


# -- completed today -------------------------------------------------------------------------------


def test_lines_of_completed_today_are_known_by_their_id() -> None:
    document = read(
        "## Pending Actions\n## completed today\n- [x] a: OK (10:00:00)\n- [ ] b: x\nremark\n- "
        "[X] c: d: e\n"
    )
    assert [(done.id, done.line) for done in document.completed] == [("a", 3), ("c", 6)]
    assert document.context == ""


@pytest.mark.parametrize(
    ("text", "active"),
    [
        ("## Tasks\n", False),
        ("## Tasks\n- [x] a\n", False),
        ("## Tasks\n- [ ] a\n", True),
        ("## Tasks\nwords\n", False),
    ],
)
def test_a_contract_is_active_while_a_task_is_open(text: str, active: bool) -> None:
    assert read(text).active is active


def test_nothing_under_the_probes_is_context() -> None:
    document = read_document(
        b"## Tasks\n- [ ] a | b | run: true\n## Probes\n- mails: count\nmails 5\n<!-- why -->\n"
        b"## Later\nx\n"
    )
    assert document.context == "## Later\nx"
    assert [one.code for one in document.diagnostics] == ["HB701"]


def test_sections_under_format_plain_are_reported_as_plain_text_once() -> None:
    text = (
        "---\nformat: plain\n---\n## Tasks\n- [ ] a | b\n## Pending Actions\n### [HIGH] A\n- "
        "id: a\n"
    )
    found = read(text).diagnostics
    assert [(one.line, one.code) for one in found] == [(4, "HB608"), (6, "HB608")]
    asleep = [
        one for one in read(text.partition("## Pending")[0]).diagnostics if one.code == "HB607"
    ]
    assert [one.hint for one in asleep] == ["Remove `format: plain`."]


# -- what can never run ----------------------------------------------------------------------------


def test_an_action_below_completed_today_is_told() -> None:
    document = read(
        "## Pending Actions\n### [LOW] A\n- **id**: a\n- **command**: true\n## Completed Today\n"
        "- [x] a: OK (10:00:00)\n\n### [HIGH] B\n- **id**: b\n- **command**: true\n"
    )
    assert codes(document) == [(8, "HB321")]
    assert [action.id for action in document.actions] == ["a"]
    assert len(document.never_run) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## Pending Actions\n## Completed Today\n- [ ] b\n", 3),
        ("## Pending Actions\n- [ ] b\n", 2),
        ("## Tasks\n- [x] a\n## Probes\n### [LOW] A\n", 4),
        ("## Pending Actions\n## [HIGH] A\n- **id**: a\n", 2),
        ("## Pending Actions\n#### [HIGH] A\n- **id**: a\n", 2),
    ],
)
def test_other_items_in_the_wrong_place_are_told(text: str, line: int) -> None:
    document = read(text)
    assert codes(document) == [(line, "HB606")]
    assert len(document.never_run) == 1


def test_what_is_ticked_below_completed_today_is_done() -> None:
    """Also a result with a pipe in it, as the program writes it, and a task that the person moved
    there."""
    document = read(
        "## Pending Actions\n## Completed Today\n- [x] a: 3 | 4 (10:00:00)\n- [x] b | Done\n"
    )
    assert codes(document) == []
    assert not document.never_run


def test_boxes_of_a_plain_file_can_never_run_where_nothing_else_is_active() -> None:
    assert len(read("## TODO\n- [ ] a\n- [ ] b\n").never_run) == 2
    assert len(read("## TODO\n- [ ] a\nSay hello.\n").never_run) == 0
    assert len(read("# Title\n<!-- nothing yet -->\n").never_run) == 0


ACTION = "- id: b\n- command: touch x\n"


@pytest.mark.parametrize("heading", ["### [HIGH] Backup", "### Old job"])
@pytest.mark.parametrize("before", ["", "## Pending Actions\n", "## Tasks\n- [x] a\n"])
def test_an_action_below_completed_today_is_told_in_every_file(before: str, heading: str) -> None:
    for lines in (ACTION, f"\n{ACTION}", ACTION.replace("id", "**id**")):
        document = read(f"{before}## Completed Today\n{heading}\n{lines}")
        line = before.count("\n") + 2
        assert (line, "HB321") in codes(document)
        assert document.never_run == (line,)
        assert document.actions == ()


@pytest.mark.parametrize("before", ["", "## Tasks\n- [x] a\n"])
@pytest.mark.parametrize("first", ["- id: b", "- type: shell", "* **command**: touch x y"])
def test_a_heading_with_the_keys_of_an_action_is_one_outside_its_section(
    before: str, first: str
) -> None:
    document = read(f"{before}## Actions\n### Backup\n{first}\n- schedule: hourly\n")
    line = before.count("\n") + 2
    assert [one for one in codes(document) if one[1] == "HB606"] == [(line, "HB606")]
    assert document.never_run == (line,)


@pytest.mark.parametrize(
    "text", ["### Notes\n- a remark\n", "### Notes\n- type: two words\n", "#### B\n- id: b\n"]
)
def test_another_heading_with_a_list_is_no_action(text: str) -> None:
    assert not read(f"## Tasks\n- [x] a\n## Notes\n{text}").never_run
    assert not read(f"## Notes\n{text}").never_run


def test_the_lines_of_an_action_among_the_tasks_are_no_tasks_without_bold_too() -> None:
    document = read("## Tasks\n- [ ] a\n### Backup\n- type: shell\n- command: ls\n")
    assert [task.id for task in document.tasks] == ["a"]
    assert document.never_run == (3,)


@pytest.mark.parametrize(
    ("text", "never_run"),
    [
        ("## Tasks\n```\n- [ ] a | b\n", (2,)),
        ("## Tasks\n<!-- later\n- [ ] a | b\n", (2,)),
        ("```\n## Tasks\n- [ ] a | b\n", (1,)),
        ("Hello.\n<!--\n## pending actions\n", (2,)),
        ("## Tasks\n- [ ] a\n```\n\n", ()),
        ("Hello.\n```\nnever closed\n", ()),
    ],
)
def test_what_an_open_fence_or_comment_swallows_can_never_run(
    text: str, never_run: tuple[int, ...]
) -> None:
    document = read(text)
    assert document.never_run == never_run
    assert {code for _, code in codes(document)} & {"HB601", "HB602"}


# -- boxes of a plain file -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## TODO\n- [ ] Call Anna\n\nMy notes: I like tea.\n", 2),
        ("Tasks:\n- [ ] a\n", 2),
        ("## Aufgaben\n1. [ ] Anna\n", 2),
        ("## Aufgaben\nBitte:\n2) [ ] Anna\n", 3),
        ("Hello.\n* [ ] a | b | run: true\n", 2),
    ],
)
def test_a_box_that_goes_to_the_model_as_text_is_told_by_check_alone(text: str, line: int) -> None:
    document = read(text)
    assert codes(document) == [(line, "HB609")]
    assert document.never_run == ()
    assert text.splitlines()[line - 1] in document.context


def test_a_box_of_a_plain_file_is_not_told_where_it_is_done_or_the_format_says_plain() -> None:
    assert codes(read("Hello.\n- [x] a\n## Completed\n- [ ] b\n")) == []
    assert codes(read("---\nformat: plain\n---\nHello.\n## Tasks\n- [ ] b\n")) == [(5, "HB608")]


def test_boxes_beside_a_review_alone_go_nowhere() -> None:
    document = read("## Proactive Review\nAnything?\n## TODO\n- [ ] a\n")
    assert codes(document) == [(4, "HB606")]
    assert document.never_run == (4,)


def test_a_numbered_box_outside_the_tasks_is_told_as_any_other() -> None:
    document = read("## Tasks\n- [x] a\n## Aufgaben\n1. [ ] Anna\n2. [x] Bob\n3. call\n")
    assert codes(document) == [(4, "HB606")]
    assert document.never_run == (4,)


# -- completed lines of ids with a colon -----------------------------------------------------------


@pytest.mark.parametrize("done_first", [False, True])
def test_a_completed_line_is_known_by_an_id_with_a_colon(done_first: bool) -> None:
    actions = "".join(
        f"### {name}\n- id: {name}\n- command: true\n" for name in ("back", "back:up", "back:up:2")
    )
    done = "## Completed Today\n- [x] back:up: OK: 1 (10:00:00)\n- [x] back: a (10:00:00)\n"
    parts = [f"## Pending Actions\n{actions}", done]
    document = read("".join(reversed(parts) if done_first else parts))
    assert [one.id for one in document.completed] == ["back:up", "back"]


# -- words that say what to do ---------------------------------------------------------------------


def test_a_heading_of_another_level_among_the_actions_is_told_as_that() -> None:
    (found,) = read("## Pending Actions\n#### [HIGH] A\n- id: a\n").diagnostics
    assert "three `#`" in found.message
    assert found.hint == "Write `### [HIGH] A`."


@pytest.mark.parametrize(
    ("heading", "what"),
    [
        ("## Tasks {#x}", "`{#x}`"),
        ("## Pending\u00a0Actions", "A space of another kind"),
        ("##  Completed  Today", "A space of another kind"),
    ],
)
def test_what_keeps_a_heading_from_being_a_section_is_named(heading: str, what: str) -> None:
    document = read(f"{heading}\n- [ ] a\n")
    (found,) = [one for one in document.diagnostics if one.code == "HB604"]
    assert found.message.startswith(what)
    assert "## " in found.hint
