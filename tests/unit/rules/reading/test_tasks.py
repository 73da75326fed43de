"""Reading tasks: which lines are tasks, what their fields say, what is context."""

import pytest

from core.kinds import read_document
from core.model.document import Document, Task


def read(text: str) -> Document:
    return read_document(text.encode())


def task_of(line: str) -> Task:
    (task,) = read(f"## Tasks\n{line}\n").tasks
    return task


def codes(text: str) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in read(text).diagnostics]


def codes_of(line: str) -> list[str]:
    return [one.code for one in read(f"## Tasks\n{line}\n").diagnostics if one.code != "HB208"]


def hint_of(line: str) -> str:
    return next(one.hint for one in read(f"## Tasks\n{line}\n").diagnostics if one.code != "HB208")


# -- where tasks stand -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heading",
    ["## Tasks", "## tasks", "## TASKS", "##   Tasks  ", "## Tasks ##", "   ## Tasks", "##\tTasks"],
)
def test_tasks_are_under_the_level_2_heading_in_any_case(heading: str) -> None:
    assert [task.id for task in read(f"{heading}\n- [ ] a | b\n").tasks] == ["a"]


@pytest.mark.parametrize(
    "heading",
    [
        "# Tasks",
        "### Tasks",
        "##Tasks",
        "## Tasks:",
        "## My tasks",
        "    ## Tasks",
        "- ## Tasks",
        "> ## Tasks",
        "Tasks\n---",
        r"\## Tasks",
    ],
)
def test_no_other_heading_starts_them(heading: str) -> None:
    assert read(f"{heading}\n- [ ] a | b\n").tasks == ()


@pytest.mark.parametrize("heading", ["# Next", "## Next", "#", "##", "## Notes ##"])
def test_they_end_at_the_next_level_1_or_2_heading(heading: str) -> None:
    assert [task.id for task in read(f"## Tasks\n- [ ] a | b\n{heading}\n- [ ] c\n").tasks] == ["a"]


@pytest.mark.parametrize(
    "line", ["### Later", "#### Later", "Later\n---", "---", "- ## Later", "> # Later", "text"]
)
def test_nothing_else_ends_them(line: str) -> None:
    assert [task.id for task in read(f"## Tasks\n- [ ] a | b\n\n{line}\n- [ ] c\n").tasks] == [
        "a",
        "c",
    ]


def test_two_sections_of_tasks_both_count() -> None:
    assert [
        task.id for task in read("## Tasks\n- [ ] a\n## Other\n- [ ] b\n## tasks\n- [ ] c\n").tasks
    ] == ["a", "c"]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n- [ ] b\n```",
        "~~~text\n- [ ] b\n~~~",
        "````\n```\n- [ ] b\n````",
        "<!-- - [ ] b -->",
        "<!--\n- [ ] b\n\n- [ ] c\n-->",
        "> - [ ] b",
    ],
)
def test_what_is_in_a_fence_a_comment_or_a_quotation_does_not_count(hidden: str) -> None:
    document = read(f"## Tasks\n- [ ] before\n\n{hidden}\n\n- [ ] after\n")
    assert [task.id for task in document.tasks] == ["before", "after"]


def test_a_heading_inside_a_fence_or_comment_neither_starts_nor_ends_the_tasks() -> None:
    assert read("```\n## Tasks\n```\n- [ ] a | b\n").tasks == ()
    assert [
        task.id
        for task in read("## Tasks\n<!--\n## Notes\n-->\n- [ ] a\n```\n# x\n```\n- [ ] b\n").tasks
    ] == [
        "a",
        "b",
    ]


# -- a task line -----------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", ["-", "*", "+"])
@pytest.mark.parametrize(("box", "checked"), [("[ ]", False), ("[x]", True), ("[X]", True)])
def test_every_marker_and_every_box(marker: str, box: str, checked: bool) -> None:
    task = task_of(f"{marker} {box} mail | Read the mail")
    assert (task.id, task.description, task.checked, task.line) == (
        "mail",
        "Read the mail",
        checked,
        2,
    )


@pytest.mark.parametrize("indent", ["  ", "    ", "\t", "          "])
def test_indented_task_lines_count(indent: str) -> None:
    assert [task.id for task in read(f"## Tasks\n- [ ] a\n{indent}- [ ] b\n").tasks] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "checked"),
    [
        ("- Check the mail", False),
        ("* Check the mail", False),
        ("+ Check the mail", False),
        ("1. Check the mail", False),
        ("2) Check the mail", False),
        ("   - Check the mail", False),
        ("1. [ ] Check the mail", False),
        ("2) [x] Check the mail", True),
    ],
)
def test_list_items_are_tasks_without_a_box_and_with_a_number(line: str, checked: bool) -> None:
    task = task_of(line)
    assert (task.id, task.description) == ("check_the_mail", "Check the mail")
    assert task.checked is checked
    assert codes_of(line) == []


def test_an_item_without_a_box_has_the_same_fields() -> None:
    task = task_of("1. mail | Read the mail | optional | run: true | daily:09:00")
    assert (task.id, task.required, task.run) == ("mail", False, "true")
    assert task.schedule == "daily:09:00"


def test_an_item_without_a_box_takes_no_id_from_a_task_that_has_one() -> None:
    text = "## Tasks\n- a\n- [ ] a | 1\n- a\n- [ ] a | 2\n1. a_2\n"
    assert [task.id for task in read(text).tasks] == ["a_3", "a", "a_4", "a_2", "a_2_2"]


@pytest.mark.parametrize("line", ["- [ ](https://example.org) a", "- [x][y] a", "- [P1] a"])
def test_a_link_or_a_word_in_brackets_is_not_a_box(line: str) -> None:
    task = task_of(line)
    assert (task.description, task.checked) == (line[2:], False)


@pytest.mark.parametrize(
    ("line", "checked"),
    [("- [] a", False), ("- [  ] a", False), ("1. [] a", False), ("- [ x ] a", True)],
)
def test_a_box_of_another_width_is_read_as_it_looks_and_reported(line: str, checked: bool) -> None:
    task = task_of(line)
    assert (task.id, task.description, task.checked) == ("a", "a", checked)
    assert codes_of(line) == ["HB214"]
    assert ("- [x] a" if checked else "- [ ] a") in hint_of(line)


@pytest.mark.parametrize(
    "line",
    ["- [y] a", "  - [y] a", "- [-] a", "1. [?] a", "-[ ] a", "*[x] a", "[] a", "- [x]: a"],
)
def test_what_only_looks_like_a_task_is_reported_and_can_never_run(line: str) -> None:
    document = read(f"## Tasks\n{line}\n- [ ] b | c | run: true\n")
    assert [task.id for task in document.tasks] == ["b"]
    assert [one.code for one in document.diagnostics] == ["HB219"]
    assert "- [ ]" in document.diagnostics[0].hint or "- [x]" in document.diagnostics[0].hint
    assert len(document.never_run) == 1


@pytest.mark.parametrize("line", ["-", "1.", "---", "* * *", "> quoted", "[x]: https://x.org", "["])
def test_a_mark_a_rule_a_quotation_or_a_definition_is_quiet_context(line: str) -> None:
    document = read(f"## Tasks\n- [ ] a | b | run: true\n\n{line}\n")
    assert [task.id for task in document.tasks] == ["a"]
    assert document.diagnostics == ()


# -- text among the tasks --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Please be brief.",
        "| task | when |\n|---|---|\n| mail | daily |",
        "Two lines\nof one sentence.",
        "42",
        "    indented code",
    ],
)
def test_a_table_or_a_sentence_is_context_and_reported_once(text: str) -> None:
    document = read(f"## Tasks\n{text}\n\n- [ ] a | b | run: true\n")
    assert [task.id for task in document.tasks] == ["a"]
    assert [(one.line, one.code) for one in document.diagnostics] == [(2, "HB220")]
    assert text.splitlines()[0].strip() in document.context
    assert len(document.never_run) == 0


def test_a_section_that_reads_as_text_can_never_run() -> None:
    document = read("## Tasks\nCheck the mail every morning.\nThen tell me.\n")
    assert [one.code for one in document.diagnostics] == ["HB218", "HB220"]
    assert len(document.never_run) == 1


def test_an_action_among_the_tasks_is_reported_and_its_lines_are_no_tasks() -> None:
    text = "- **id**: x\n- **command**: rm x\n"
    for heading in ("### [HIGH] X", "### X", "#### [LOW] X"):
        document = read(f"## Tasks\n- a\n{heading}\n{text}### Later\n- b\n")
        assert [task.id for task in document.tasks] == ["a", "b"]
        assert len(document.never_run) == 1
        assert "HB606" in [one.code for one in document.diagnostics]


def test_an_item_that_begins_in_bold_is_a_task() -> None:
    document = read("## Tasks\n### Morning\n- **Mail**: read it\n- **News**: read them\n")
    assert [task.description for task in document.tasks] == [
        "**Mail**: read it",
        "**News**: read them",
    ]


# -- details ---------------------------------------------------------------------------------------


def details_of(text: str) -> list[tuple[str, str]]:
    return [(task.id, task.details) for task in read(f"## Tasks\n{text}\n").tasks]


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("- [ ] a\n  - one\n  - two", "- one\n- two"),
        ("- [ ] a\n\n  A paragraph\n  of two lines.", "A paragraph\nof two lines."),
        ("- [ ] a\n    - one\n        - deeper", "- one\n    - deeper"),
        ("- [ ] a\n\t- one", "- one"),
        ("1. a\n  - one\n   1. two", "- one\n 1. two"),
        ("- a\n  > said\n\n  more", "> said\n\nmore"),
        ("- a\n  ```\n  - [ ] code\n\n  ```", "```\n- [ ] code\n\n```"),
        ("- a\n  | x | y |", "| x | y |"),
    ],
)
def test_what_is_indented_under_a_task_is_its_details(text: str, details: str) -> None:
    document = read(f"## Tasks\n{text}\n\n## Notes\nx\n")
    assert [task.details for task in document.tasks] == [details]
    assert [one.code for one in document.diagnostics if one.code != "HB208"] == []
    assert document.context == "## Notes\nx"


def test_details_end_where_the_indentation_does() -> None:
    assert details_of("- [ ] a\n  one\n- b\n  two\n\ntext\n  three") == [("a", "one"), ("b", "two")]
    assert details_of("- [ ] a\n  - [ ] b\n    two\n  one") == [("a", "one"), ("b", "two")]
    assert details_of("  - [ ] a\n  - b") == [("a", ""), ("b", "")]
    assert details_of("- [ ] a\n### Later\n  - b") == [("a", ""), ("b", "")]


def test_an_indented_box_is_a_task_and_not_a_detail() -> None:
    assert details_of("- [ ] a\n  - one\n  - [ ] b\n  - two") == [("a", "- one\n- two"), ("b", "")]


@pytest.mark.parametrize("box", ["- []", "1. [ ]", "- [  ]"])
def test_an_indented_box_of_another_form_is_a_task_too(box: str) -> None:
    document = read(f"## Tasks\n- [ ] a\n  - one\n  {box} b\n    two\n")
    assert [(task.id, task.details) for task in document.tasks] == [("a", "- one"), ("b", "two")]
    found = [one.code for one in document.diagnostics if one.code != "HB208"]
    assert found == ([] if box == "1. [ ]" else ["HB214"])


@pytest.mark.parametrize("box", ["- [-]", "- [y]", "2) [?]"])
def test_an_indented_mark_that_is_no_box_is_told_and_stays_a_detail(box: str) -> None:
    document = read(f"## Tasks\n- [ ] a\n  - one\n  {box} b\n")
    assert [(task.id, task.details) for task in document.tasks] == [("a", f"- one\n{box} b")]
    assert [one.code for one in document.diagnostics if one.code != "HB208"] == ["HB219"]
    assert document.never_run == (4,)


@pytest.mark.parametrize("line", ["- [P1] b", "- [b](https://x.org)", "- [x][y]", "[-] b"])
def test_other_brackets_below_a_task_are_quiet_details(line: str) -> None:
    document = read(f"## Tasks\n- [ ] a\n  {line}\n")
    assert [task.details for task in document.tasks] == [line]
    assert document.never_run == ()


def test_details_are_nodes_of_their_task() -> None:
    nodes = read("## Tasks\n- [ ] a\n  one\n\n  two\n- b\n").nodes
    assert [(node.kind, node.first, node.last, node.owner) for node in nodes[2:5]] == [
        ("details", 3, 3, "a"),
        ("blank", 4, 4, ""),
        ("details", 5, 5, "a"),
    ]


# -- ids -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "identifier"),
    [
        ("- [ ] Check_Email | x", "check_email"),
        ("- [ ] Check   my  Email | x", "check_my_email"),
        ("- [ ] ÄPFEL | x", "äpfel"),
        ("- [ ] a.b/c | x", "a.b/c"),
        ("- [ ] a\u00a0b | x", "a_b"),
        ("- [ ] 日本 | x", "日本"),
    ],
)
def test_an_id_is_lower_case_with_runs_of_spaces_as_one_underscore(
    line: str, identifier: str
) -> None:
    assert task_of(line).id == identifier
    assert codes_of(line) == []


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("Check for new emails and summarize unread", "check_for_new_emails_and_summarize_unread"),
        ("Is the build green?", "is_the_build_green"),
        ("Répondre à Zoë!", "répondre_à_zoë"),
        ("under_score and da-sh", "under_score_and_da-sh"),
        ("a" * 100, "a" * 64),
    ],
)
def test_a_line_without_a_pipe_is_a_task_with_a_slug_as_its_id(text: str, identifier: str) -> None:
    task = task_of(f"- [ ] {text}")
    assert (task.id, task.description) == (identifier, text)
    assert codes_of(f"- [ ] {text}") == []


def test_an_escaped_pipe_is_a_pipe_and_not_a_separator() -> None:
    task = task_of(r"- [ ] count | a \| b | run: ls \| wc -l | verify: cmd:test \| true")
    assert (task.description, task.run, task.verify) == ("a | b", "ls | wc -l", "cmd:test | true")
    one_field = task_of(r"- [ ] yes \| no")
    assert (one_field.id, one_field.description) == ("yes__no", "yes | no")


def test_fields_are_trimmed() -> None:
    task = task_of("- [ ]   mail\t|  Read  it |required|   verify:   cmd:true  ")
    assert (task.id, task.description, task.verify) == ("mail", "Read  it", "cmd:true")


def test_the_defaults() -> None:
    task = task_of("- [ ] mail | Read")
    assert (task.required, task.verify, task.max_attempts) == (True, "task_completed", 3)
    assert (task.schedule, task.run, task.checked, task.unclear) == (None, None, False, None)


FIELDS = ["optional", "verify: cmd:true", "max_attempts: 5", "run: make", "schedule: daily:09:00"]


@pytest.mark.parametrize("shift", range(5))
@pytest.mark.parametrize("upper", [False, True])
def test_fields_come_in_any_order_and_case(shift: int, upper: bool) -> None:
    written = []
    for field in [*FIELDS[shift:], *FIELDS[:shift]]:
        key, colon, value = field.partition(":")
        written.append((key.upper() if upper else key) + colon + value)
    line = f"- [ ] mail | Read | {' | '.join(written)}"
    task = task_of(line)
    assert (task.required, task.verify, task.max_attempts) == (False, "cmd:true", 5)
    assert (task.run, task.schedule, codes_of(line)) == ("make", "daily:09:00", [])


@pytest.mark.parametrize(
    "hint",
    [
        "email_count > 0",
        "weather_sent",
        "file:a.txt fresh<1d",
        "cmd:true",
        "https://x.example is up",
        "two words",
    ],
)
def test_a_bare_remaining_field_is_the_hint(hint: str) -> None:
    assert task_of(f"- [ ] mail | Read | {hint}").verify == hint
    assert task_of(f"- [ ] mail | Read | optional | {hint} | max_attempts: 2").verify == hint
    assert task_of(f"- [ ] mail | Read | verify: {hint}").verify == hint


@pytest.mark.parametrize(("written", "value"), [("1", 1), ("100", 100), ("7", 7), ("007", 7)])
def test_attempts_from_1_to_100(written: str, value: int) -> None:
    assert task_of(f"- [ ] mail | Read | max_attempts: {written}").max_attempts == value


@pytest.mark.parametrize(
    "written", ["0", "101", "-1", "many", "3.5", "²", "1000000000000000000000", "٣"]
)
def test_another_number_of_attempts_is_reported_and_3_is_used(written: str) -> None:
    assert task_of(f"- [ ] mail | Read | max_attempts: {written}").max_attempts == 3
    assert codes_of(f"- [ ] mail | Read | max_attempts: {written}") == ["HB206"]


def test_a_command_may_be_in_backticks() -> None:
    assert task_of("- [ ] a | b | run: `make all`").run == "make all"
    assert task_of("- [ ] a | b | run: `date` and `time`").run == "`date` and `time`"


def test_a_schedule_that_cannot_be_read_keeps_the_task_from_running() -> None:
    line = "- [ ] a | b | run: true | schedule: dayly:09:00"
    assert task_of(line).unclear
    assert codes_of(line) == ["HB401"]
    assert "daily:09:00" in hint_of(line)


def test_a_schedule_is_checked_after_another_field_that_cannot_be_read() -> None:
    assert codes_of("- [ ] a | b | run: {{nope}} | schedule: dayly:09:00") == ["HB213", "HB401"]


def test_a_description_may_contain_everything_but_a_pipe() -> None:
    words = "Say “hi” <b> & **bold** `code` [link](x) #tag"
    assert task_of(f"- [ ] a | {words}").description == words


# -- what is reported ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "- [ ]",
        "- [ ] ",
        "- [x]",
        "- [ ]  |",
        "- [ ] | |",
        "- [ ] <!-- write a task here -->",
        "- [ ] <!-- a | b -->",
    ],
)
def test_a_task_without_words_is_an_error_and_no_task(line: str) -> None:
    assert codes(f"## Tasks\n{line}\n- [ ] a | b | run: true\n") == [(2, "HB201")]
    assert [task.id for task in read(f"## Tasks\n{line}\n- [ ] a\n").tasks] == ["a"]


@pytest.mark.parametrize(
    ("line", "identifier"),
    [
        ("- [ ] | Check the mail", "check_the_mail"),
        ("- [ ]   | … | required", "task"),
        ("- [ ] !!!", "task"),
        ("- [ ] \u200b | Read", "read"),
    ],
)
def test_an_empty_id_is_reported_and_made_from_the_words(line: str, identifier: str) -> None:
    assert task_of(line).id == identifier
    assert "HB202" in codes_of(line)


def test_the_second_of_two_equal_ids_gets_a_2_and_is_reported() -> None:
    text = (
        "## Tasks\n- [ ] a | 1 | run: true\n- [ ] A | 2 | run: true\n- [ ] b | 3 | run: "
        "true\n- [ ] a | 4 | run: true\n"
    )
    assert [task.id for task in read(text).tasks] == ["a", "a_2", "b", "a_3"]
    assert codes(text) == [(3, "HB203"), (5, "HB203")]


def test_a_new_id_never_takes_one_that_is_written_further_down() -> None:
    ids = [
        task.id
        for task in read("## Tasks\n- [ ] a | 1\n- [ ] a | 2\n- [ ] a_2 | 3\n- [ ] a_2 | 4\n").tasks
    ]
    assert ids == ["a", "a_3", "a_2", "a_2_2"]


@pytest.mark.parametrize(
    "identifier",
    ["x" * 65, "x" * 10_000, "a\u200bb", "a\u202eb", "a\x1b[31mb", "a\x07", "\U000e0041a"],
)
def test_an_id_that_cannot_be_kept_as_written_is_reported(identifier: str) -> None:
    line = f"- [ ] {identifier} | Read"
    assert codes_of(line) == ["HB211"]
    assert len(task_of(line).id) <= 64
    assert task_of(line).id.isprintable()


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("max_attemps: 5", "max_attempts:"),
        ("max attempts: 5", "max_attempts:"),
        ("max-attempts: 5", "max_attempts:"),
        ("verfy: x", "verify:"),
        ("schedul: hourly", "schedule:"),
        ("rn: make", "run:"),
        ("timout: 1h", "timeout:"),
        ("dayly:09:00", "daily:"),
        ("evry: 30m", "every:"),
        ("priority: high", "verify:"),
        ("owner: me", "max_attempts:"),
        ("Größe: 3", "run:"),
    ],
)
def test_an_unknown_field_is_an_error_with_the_nearest_one_and_never_a_hint(
    field: str, meant: str
) -> None:
    line = f"- [ ] a | b | {field}"
    (found,) = [one for one in read(f"## Tasks\n{line}\n").diagnostics if one.code != "HB208"]
    assert (found.code, found.severity, found.column) == ("HB215", "error", 15)
    assert meant in found.hint
    task = task_of(line)
    assert task.verify == "task_completed"
    assert task.unclear
    assert task.unclear.code == "HB215"


@pytest.mark.parametrize(("field", "meant"), [("requird", "required"), ("optinal", "optional")])
def test_a_misspelt_need_is_reported_and_not_taken_for_a_hint(field: str, meant: str) -> None:
    line = f"- [ ] a | b | {field}"
    assert codes_of(line) == ["HB205"]
    assert meant in hint_of(line)
    assert task_of(line).verify == "task_completed"


@pytest.mark.parametrize(
    "field",
    ["sandbox: true", "model: fast", "max_usd: 1", "channel: mail", "on: wake(x)", "may: *.md"],
)
def test_a_field_of_a_later_version_is_an_error_that_says_so(field: str) -> None:
    line = f"- [ ] a | b | run: true | {field}"
    assert codes_of(line) == ["HB216"]
    task = task_of(line)
    assert task.unclear
    assert "not supported" in task.unclear.words
    assert task.verify == "task_completed"


@pytest.mark.parametrize(
    ("field", "schedule"),
    [
        ("daily:09:00", "daily:09:00"),
        ("daily: 09:00", "daily: 09:00"),
        ("every: 30m", "every: 30m"),
        ("Weekly: mon,thu:09:00", "Weekly: mon,thu:09:00"),
        ("hourly", "hourly"),
        ("cron:'*/5 * * * *'", "cron:'*/5 * * * *'"),
    ],
)
def test_a_bare_field_that_is_a_schedule_is_the_schedule(field: str, schedule: str) -> None:
    line = f"- [ ] a | b | run: true | {field}"
    task = task_of(line)
    assert (task.schedule, task.verify, task.unclear) == (schedule, "task_completed", None)
    assert codes_of(line) == []


def test_a_bare_schedule_that_cannot_be_read_keeps_the_task_from_running() -> None:
    line = "- [ ] a | b | run: true | daily: 9 in the morning"
    assert codes_of(line) == ["HB401"]
    assert task_of(line).unclear


@pytest.mark.parametrize(("written", "seconds"), [("1h", 3600), ("30s", 30), ("1h30m", 5400)])
def test_a_command_has_the_timeout_that_is_written(written: str, seconds: int) -> None:
    line = f"- [ ] a | b | run: true | timeout: {written}"
    assert task_of(line).timeout.total_seconds() == seconds
    assert codes_of(line) == []
    assert task_of("- [ ] a | b | run: true").timeout.total_seconds() == 300


@pytest.mark.parametrize("written", ["soon", "0s"])
def test_a_timeout_that_cannot_be_read_keeps_the_task_from_running(written: str) -> None:
    line = f"- [ ] a | b | run: true | timeout: {written}"
    assert codes_of(line) == ["HB403"]
    assert task_of(line).unclear


def test_a_timeout_without_a_command_is_reported() -> None:
    assert codes_of("- [ ] a | b | timeout: 1h") == ["HB222"]


@pytest.mark.parametrize(
    ("hint", "fix"),
    [
        ("report.txt exists", "file:report.txt"),
        ("`out/report` exists.", "file:out/report"),
        ("report.txt is there", "file:report.txt"),
    ],
)
def test_a_check_that_is_a_sentence_is_reported_with_the_check_to_write(
    hint: str, fix: str
) -> None:
    for field in (f"verify: {hint}", hint):
        line = f"- [ ] a | b | {field}"
        (found,) = read(f"## Tasks\n{line}\n").diagnostics
        assert (found.code, found.severity) == ("HB221", "warning")
        assert fix in found.hint


def test_a_misspelt_kind_of_check_is_reported_with_the_right_one() -> None:
    (found,) = read("## Tasks\n- [ ] a | b | verify: fiel:report.txt\n").diagnostics
    assert (found.code, found.hint) == ("HB212", "Write `file:report.txt`.")


@pytest.mark.parametrize(
    "line",
    ["- [ ] mail\uff5cRead\uff5crequired", "- [ ] mail | Read \uff5c run: true", "- mail \uff5c x"],
)
def test_a_wide_bar_is_reported_with_the_fix(line: str) -> None:
    (found,) = [one for one in read(f"## Tasks\n{line}\n").diagnostics if one.code != "HB208"]
    assert (found.code, found.severity) == ("HB217", "warning")
    assert found.column == line.index("\uff5c") + 1
    assert "`|`" in found.hint


@pytest.mark.parametrize("field", ["verify:", "run: ", "schedule:", "max_attempts:"])
def test_a_field_without_a_value_is_reported(field: str) -> None:
    assert codes_of(f"- [ ] a | b | {field} | optional") == ["HB205"]


@pytest.mark.parametrize(
    "fields",
    [
        "required | optional",
        "run: a | run: b",
        "verify: x | y",
        "max_attempts: 2 | max_attempts: 3",
    ],
)
def test_a_field_that_appears_twice_is_reported_and_the_first_holds(fields: str) -> None:
    line = f"- [ ] a | b | {fields}"
    assert codes_of(line) == ["HB204"]
    task = task_of(line)
    assert (task.required, task.run, task.max_attempts) in [
        (True, None, 3),
        (True, "a", 3),
        (True, None, 2),
    ]


@pytest.mark.parametrize(
    "field", ["run: true", "verify: cmd:true", "Schedule: hourly", "max_attempts: 2"]
)
def test_a_field_in_the_place_of_the_description_is_reported(field: str) -> None:
    assert "HB207" in codes_of(f"- [ ] mail | {field}")
    assert f"mail | what to do | {field}" in hint_of(f"- [ ] mail | {field} | run: true")


def test_a_missing_description_is_reported() -> None:
    assert codes_of("- [ ] mail | optional") == ["HB207"]
    assert task_of("- [ ] mail | | optional").description == "mail"


def test_more_than_7_tasks_and_a_hint_that_cannot_be_measured_are_advice() -> None:
    eight = "## Tasks\n" + "".join(f"- [ ] t{n} | x | run: true\n" for n in range(8))
    assert codes(eight) == [(9, "HB210")]
    assert codes(eight.replace("- [ ] t7 | x | run: true\n", "")) == []
    assert [one.severity for one in read("## Tasks\n- [ ] a | b | verify: done\n").diagnostics] == [
        "info"
    ]


@pytest.mark.parametrize(
    "hint",
    [
        "cmd:true",
        "file:a",
        "http:http://x/",
        "https://x",
        "json:a#/b == 1",
        "n > 0",
        "n",
        "n > 0 and n < 9",
        'n == "no such name"',
    ],
)
def test_a_check_or_an_expression_over_probes_can_be_measured(hint: str) -> None:
    assert codes(f"## Tasks\n- [ ] a | b | verify: {hint}\n## Probes\n- n: echo 1\n") == []


@pytest.mark.parametrize("hint", ["task_completed", "n was seen", "other"])
def test_a_label_cannot_be_measured(hint: str) -> None:
    assert codes(f"## Tasks\n- [ ] a | b | verify: {hint}\n## Probes\n- n: echo 1\n") == [
        (2, "HB208")
    ]


@pytest.mark.parametrize(
    "hint", ["other > 0", "n > other", "n = 1", "file:", "http:x", "json:a == 1", "file:a fresh<x"]
)
def test_what_looks_like_a_check_and_cannot_be_read_is_reported_with_the_fix(hint: str) -> None:
    assert codes(f"## Tasks\n- [ ] a | b | verify: {hint}\n## Probes\n- n: echo 1\n") == [
        (2, "HB212")
    ]


def test_a_ticked_task_is_not_advised_about() -> None:
    assert codes("## Tasks\n- [x] a | b | verify: label\n") == []


def test_a_task_outside_the_section_is_reported_and_context() -> None:
    document = read("## Tasks\n## Later\n- [ ] a | b\n- [ ] no pipe\n")
    found = [(one.line, one.code) for one in document.diagnostics]
    assert found == [(3, "HB606"), (4, "HB606")]
    assert "- [ ] a | b" in document.context
    assert len(document.never_run) == 2


@pytest.mark.parametrize("heading", ["TODO", "Active Tasks", "Aufgaben", "Notes"])
def test_boxes_under_another_heading_are_told_in_a_file_that_is_not_plain(heading: str) -> None:
    document = read(f"## Tasks\n- a\n## {heading}\n- [ ] b\n- [x] done\n- a remark\n")
    assert [one.line for one in document.diagnostics if one.code == "HB606"] == [4]
    assert len(document.never_run) == 1


# -- context ---------------------------------------------------------------------------------------


def test_everything_else_is_context_in_file_order() -> None:
    document = read(
        "---\nstatus: idle\n---\n# Title\n\nBefore.\n\n\n## Tasks\n\nIntro.\n- [ ] a | b\n"
        "  - a remark\n### Sub\n"
        "## Probes\n- n: echo 1\n## Pending Actions\nAbove.\n### [LOW] X\n- **id**: x\n"
        "- **command**: true\n"
        "## Completed Today\n- [x] x: OK (10:00:00)\n## Proactive Review\nLook.\n## Notes\nAfter.\n"
    )
    assert document.context == "# Title\n\nBefore.\n\nIntro.\n### Sub\nAbove.\n## Notes\nAfter."


def test_context_keeps_what_is_in_fences() -> None:
    assert (
        read("## Tasks\n- [ ] a\n## Notes\n```\n- [ ] b | c\n```\n").context
        == "## Notes\n```\n- [ ] b | c\n```"
    )


def test_a_file_of_tasks_alone_has_no_context() -> None:
    assert read("## Tasks\n- [ ] a\n- [x] b\n").context == ""


# -- probes ----------------------------------------------------------------------------------------


def test_probes_are_names_with_commands() -> None:
    document = read("## Tasks\n## Probes\n- mails: ls | wc -l\n* **free**: `df .`\n\n+ x_1: a: b\n")
    assert [(one.name, one.command, one.line) for one in document.probes] == [
        ("mails", "ls | wc -l", 3),
        ("free", "df .", 4),
        ("x_1", "a: b", 6),
    ]
    assert document.diagnostics == ()


@pytest.mark.parametrize(
    "line", ["- mails", "- two words: x", "mails: x", "- : x", "- mails:", "- 1a: x", "- a-b: x"]
)
def test_a_line_that_is_not_a_probe_is_reported(line: str) -> None:
    assert codes(f"## Tasks\n## Probes\n{line}\n") == [(3, "HB701")]


def test_of_two_equal_probes_the_first_is_measured() -> None:
    document = read("## Tasks\n## Probes\n- a: one\n- a: two\n")
    assert [probe.command for probe in document.probes] == ["one"]
    assert [one.code for one in document.diagnostics] == ["HB702"]


# -- other marks -----------------------------------------------------------------------------------


def test_lines_that_other_programs_write_as_items_are_each_told() -> None:
    text = "## Tasks\n- [ ] x\n-[ ] a\n☐ b\n• c\nprose\nmore\n\n> - [ ] quoted\n"
    document = read(text)
    found = [(one.line, one.code) for one in document.diagnostics if one.code != "HB208"]
    expected = [(3, "HB219"), (4, "HB219"), (5, "HB219"), (6, "HB220"), (9, "HB219")]
    assert found == expected
    assert document.never_run == (3, 4, 5, 9)
