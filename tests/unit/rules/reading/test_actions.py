"""Reading actions: blocks, keys, types, defaults, dependencies."""

from datetime import timedelta

import pytest

from core.kinds import read_document
from core.model.document import Action, Document, Priority


def read(text: str) -> Document:
    return read_document(text.encode())


def block(*lines: str, heading: str = "### [HIGH] Check") -> Document:
    return read("\n".join(["## Pending Actions", "", heading, *lines, ""]))


def type_of(action: Action) -> str:
    return action.type.name if action.type else ""


def action_of(*lines: str, heading: str = "### [HIGH] Check") -> Action:
    (action,) = block(*lines, heading=heading).actions
    return action


def codes_of(*lines: str, heading: str = "### [HIGH] Check") -> list[str]:
    return [one.code for one in block(*lines, heading=heading).diagnostics]


def hint_of(*lines: str, heading: str = "### [HIGH] Check") -> str:
    return block(*lines, heading=heading).diagnostics[0].hint


SHELL = ("- **id**: a", "- **command**: true")


# -- blocks ----------------------------------------------------------------------------------------


def test_each_level_3_heading_under_the_level_2_heading_starts_a_block() -> None:
    document = read(
        "## pending actions\n### [HIGH] First one\n- **id**: one\n- **command**: true\n\n"
        "### [LOW] Second one\n- **id**: two\n- **command**: false\n## Notes\n### [HIGH] Not one\n"
        "- **id**: three\n"
    )
    assert [(one.id, one.name, one.priority, one.line) for one in document.actions] == [
        ("one", "First one", "HIGH", 2),
        ("two", "Second one", "LOW", 6),
    ]
    assert [(one.line, one.code) for one in document.diagnostics] == [(10, "HB606")]


@pytest.mark.parametrize(
    "hidden",
    [
        "<!--\n### [LOW] B\n- **id**: b\n-->",
        "```\n### [LOW] B\n- **id**: b\n```",
        "> ### [LOW] B\n> - **id**: b",
    ],
)
def test_a_block_in_a_comment_a_fence_or_a_quotation_does_not_count(hidden: str) -> None:
    document = read(
        f"## Pending Actions\n### A\n- id: a\n- command: true\n\n{hidden}\n\n### C\n- id: c\n- "
        "command: true\n"
    )
    assert [one.id for one in document.actions] == ["a", "c"]


def test_keys_in_a_comment_do_not_count() -> None:
    assert (
        action_of(*SHELL, "<!-- - **retry**: 5 -->", "<!--", "- **timeout**: 1h", "-->").retry == 1
    )


@pytest.mark.parametrize("priority", list(Priority))
@pytest.mark.parametrize(
    "write", ["### [{}] Name", "### [ {} ] Name", "### [{}]Name", "   ###   [{}]   Name ###"]
)
def test_every_priority(priority: Priority, write: str) -> None:
    for word in (str(priority), priority.lower()):
        action = action_of(*SHELL, heading=write.format(word))
        assert (action.priority, action.name) == (priority, "Name")


def test_no_priority_is_medium() -> None:
    assert action_of(*SHELL, heading="### Name").priority is Priority.MEDIUM
    assert codes_of(*SHELL, heading="### Name") == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [("HIHG", "HIGH"), ("MEDUIM", "MEDIUM"), ("background", "BG"), ("URGENT", "CRITICAL")],
)
def test_an_unknown_priority_is_medium_and_warned_about(written: str, meant: str) -> None:
    heading = f"### [{written}] Name"
    action = action_of(*SHELL, heading=heading)
    assert (action.priority, action.name, action.unclear) == (Priority.MEDIUM, "Name", None)
    assert codes_of(*SHELL, heading=heading) == ["HB305"]
    assert meant in hint_of(*SHELL, heading=heading)


# -- keys ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        "- **{}**: {}",
        "- {}: {}",
        "- **{}:** {}",
        "* **{}**: {}",
        "+ {}: {}",
        "  - **{}**: {}",
        "-   {}:   {}  ",
        "- ** {} **: {}",
    ],
)
def test_bold_is_optional_and_any_list_mark_will_do(form: str) -> None:
    lines = [
        form.format(key, value)
        for key, value in (
            ("id", "a"),
            ("type", "shell"),
            ("command", "echo hi: there"),
            ("retry", "4"),
        )
    ]
    action = action_of(*lines)
    assert (action.id, type_of(action), action.params, action.retry) == (
        "a",
        "shell",
        {"command": "echo hi: there"},
        4,
    )
    assert codes_of(*lines) == []


def test_keys_in_any_letter_case() -> None:
    action = action_of(
        "- **ID**: a",
        "- **Type**: SHELL",
        "- **Command**: true",
        "- **Status**: pending",
        "- **TIMEOUT**: 10s",
    )
    assert (action.id, type_of(action), action.timeout) == (
        "a",
        "shell",
        timedelta(seconds=10),
    )


def test_the_defaults() -> None:
    action = action_of(*SHELL)
    assert (type_of(action), action.status, action.schedule, action.retry) == (
        "shell",
        "PENDING",
        None,
        1,
    )
    assert (action.retry_delay, action.timeout) == (timedelta(seconds=30), timedelta(minutes=5))
    assert (action.depends_on, action.condition, action.sandbox, action.unclear) == (
        (),
        None,
        False,
        None,
    )
    assert action.params == {"command": "true"}


def test_all_common_keys() -> None:
    lines = (
        *SHELL,
        "- **type**: shell",
        "- **status**: FAILED",
        "- **schedule**: every:5m",
        "- **retry**: 3",
        "- **retry_delay**: 0s",
        "- **timeout**: 1h30m",
        "- **condition**: weekday:mon,tue",
        "- **sandbox**: true",
    )
    action = action_of(*lines)
    assert (action.status, action.schedule, action.retry, action.sandbox) == (
        "FAILED",
        "every:5m",
        3,
        True,
    )
    assert (action.retry_delay, action.timeout) == (timedelta(0), timedelta(minutes=90))
    assert action.condition == "weekday:mon,tue"
    assert codes_of(*lines) == []


@pytest.mark.parametrize(
    "key", ["completed_at", "duration", "result", "failed_at", "error", "retry_count"]
)
def test_what_the_program_writes_is_read_without_a_finding(key: str) -> None:
    assert codes_of(*SHELL, f"- **{key}**: something") == []


@pytest.mark.parametrize(
    "status", ["PENDING", "RUNNING", "COMPLETED", "FAILED", "SKIPPED", "NEEDS_CLARIFICATION"]
)
def test_every_status_in_any_case(status: str) -> None:
    assert action_of(*SHELL, f"- **status**: {status}").status == status
    assert action_of(*SHELL, f"- **status**: {status.lower()}").status == status


def test_an_unknown_status_does_not_run() -> None:
    action = action_of(*SHELL, "- **status**: DONE")
    assert action.unclear
    assert codes_of(*SHELL, "- **status**: DONE") == ["HB310"]
    assert "PENDING" in hint_of(*SHELL, "- **status**: PENDNIG")


def test_without_an_id_the_slug_of_the_name_is_used_with_a_warning() -> None:
    heading = "### [LOW] Check the API, now!"
    action = action_of("- **command**: true", heading=heading)
    assert action.id == "check_the_api_now"
    assert codes_of("- **command**: true", heading=heading) == ["HB301"]
    assert "check_the_api_now" in hint_of("- **command**: true", heading=heading)


def test_an_action_with_neither_name_nor_id_is_an_error_and_no_action() -> None:
    document = block("- **command**: true", heading="### [HIGH]")
    assert document.actions == ()
    assert [one.code for one in document.diagnostics] == ["HB313"]


def test_an_id_that_cannot_be_kept_as_written_is_reported() -> None:
    assert codes_of(f"- **id**: {'x' * 65}", "- **command**: true") == ["HB315"]
    assert action_of("- **id**: a\u200bb", "- **command**: true").id == "ab"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("- **comand**: x", "command"),
        ("- **shedule**: hourly", "schedule"),
        ("- **dependson**: b", "depends_on"),
        ("- **time out**: 5m", "timeout"),
    ],
)
def test_a_misspelt_key_is_reported_with_the_nearest_one(line: str, meant: str) -> None:
    assert codes_of(*SHELL, line) == ["HB306"]
    assert meant in hint_of(*SHELL, line)


def test_of_a_key_that_appears_twice_the_first_holds() -> None:
    assert action_of(*SHELL, "- **command**: false").params == {"command": "true"}
    assert codes_of(*SHELL, "- **command**: false") == ["HB306"]


@pytest.mark.parametrize(
    "line",
    [
        "A remark.",
        "- a remark",
        "#### A heading",
        "```\ncode\n```",
        "1. numbered",
        "- two words: x",
        "- key:value",
        "- **bold only**",
    ],
)
def test_a_line_of_a_block_that_is_not_a_key_is_reported_as_not_read(line: str) -> None:
    assert codes_of(*SHELL, line) == ["HB312"]


@pytest.mark.parametrize("line", ["", "<!-- a comment -->", "<!--\nover\nlines\n-->"])
def test_blank_lines_and_comments_are_not_reported(line: str) -> None:
    assert codes_of(*SHELL, line, "- **retry**: 2") == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("- **retry**: often", "HB307"),
        ("- **retry**: 0", "HB307"),
        ("- **retry**: 101", "HB307"),
        ("- **sandbox**: perhaps", "HB307"),
    ],
)
def test_a_value_of_another_kind_is_reported_and_the_action_still_runs(
    line: str, code: str
) -> None:
    assert codes_of(*SHELL, line) == [code]
    assert action_of(*SHELL, line).unclear is None


@pytest.mark.parametrize(
    "line",
    ["- **timeout**: soon", "- **timeout**: 30", "- **timeout**: 0s", "- **retry_delay**: x"],
)
def test_a_duration_that_cannot_be_read_keeps_the_action_from_running(line: str) -> None:
    assert codes_of(*SHELL, line) == ["HB403"]
    assert action_of(*SHELL, line).unclear


def test_a_schedule_that_cannot_be_read_keeps_the_action_from_running() -> None:
    assert codes_of(*SHELL, "- **schedule**: evry:5m") == ["HB401"]
    assert action_of(*SHELL, "- **schedule**: evry:5m").unclear
    assert "every:5m" in hint_of(*SHELL, "- **schedule**: evry:5m")


def test_a_command_may_be_in_backticks() -> None:
    assert action_of("- **id**: a", "- **command**: `make all`").params == {"command": "make all"}


# -- types -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("shell", {"command": "make", "working_dir": "build"}),
        (
            "http",
            {
                "target": "https://x.example",
                "method": "POST",
                "body": "{}",
                "expect_status": "201",
                "expect_body": "ok",
            },
        ),
        ("http", {"url": "https://x.example"}),
        ("file", {"operation": "write", "path": "a", "content": "text"}),
        ("file", {"operation": "append", "path": "a", "content": ""}),
        ("file", {"operation": "READ", "path": "a"}),
        ("file", {"operation": "mkdir", "path": "a"}),
        ("file", {"operation": "delete", "pattern": "*.log", "older_than": "7d"}),
        ("file", {"operation": "move", "source": "a", "destination": "b"}),
        ("file", {"operation": "copy", "path": "a", "destination": "b"}),
        ("notify", {"title": "T", "message": "M", "urgency": "low", "channel": "desktop"}),
    ],
)
@pytest.mark.parametrize("in_params", [False, True])
def test_every_type_with_its_keys_in_the_block_or_in_params(
    kind: str, params: dict[str, str], in_params: bool
) -> None:
    keys = [f"- {key}: {value}" for key, value in params.items()]
    nested = ["- **params**:", *[f"  {line}" for line in keys]] if in_params else keys
    lines = ["- **id**: a", f"- **type**: {kind}", *nested]
    action = action_of(*lines)
    assert (type_of(action), action.params, action.unclear) == (kind, params, None)
    assert codes_of(*lines) == []


def test_a_key_of_the_block_wins_over_params_and_that_is_reported() -> None:
    lines = (
        "- **id**: a",
        "- **params**:",
        "  - command: from params",
        "  - working_dir: sub",
        "- **command**: from the block",
    )
    assert action_of(*lines).params == {"command": "from the block", "working_dir": "sub"}
    assert codes_of(*lines) == ["HB306"]


def test_tables_nest_below_their_key_in_the_block_and_in_params() -> None:
    shell = action_of(*SHELL, "- **env**:", "  - LANG: C", "  - **MODE**: a b")
    assert shell.params["env"] == {"LANG": "C", "MODE": "a b"}
    http = action_of(
        "- **id**: a",
        "- **target**: https://x.example",
        "- **params**:",
        "  - headers:",
        "    - X-From: me",
        "    - Accept: */*",
    )
    assert http.params["headers"] == {"X-From": "me", "Accept": "*/*"}


@pytest.mark.parametrize(
    "lines",
    [("- **env**: LANG=C",), ("- **env**:", "  - LANG=C"), ("- **env**:", "  - just words")],
)
def test_a_table_that_cannot_be_read_keeps_the_action_from_running(lines: tuple[str, ...]) -> None:
    assert codes_of(*SHELL, *lines) == ["HB316"]
    assert action_of(*SHELL, *lines).unclear


def test_a_name_that_appears_twice_in_a_table_is_reported() -> None:
    lines = (*SHELL, "- **env**:", "  - A: 1", "  - A: 2")
    assert action_of(*lines).params["env"] == {"A": "1"}
    assert codes_of(*lines) == ["HB306"]


@pytest.mark.parametrize(
    "lines",
    [
        ("- **retry**: 2", "  - more"),
        ("- **status**: PENDING", "    - a: b"),
        ("- **params**:", "  - command: x", "    - deeper: y"),
    ],
)
def test_lines_nested_where_nothing_nests_are_reported(lines: tuple[str, ...]) -> None:
    found = codes_of("- **id**: a", "- **type**: notify", "- **message**: m", *lines)
    assert "HB312" in found


def test_a_thousand_levels_of_nesting_are_read() -> None:
    lines = [f"{' ' * n}- a{n}: b" for n in range(1, 1000)]
    assert "HB312" in codes_of(*SHELL, "- **retry**: 2", *lines)


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (("- **command**: true",), "shell"),
        (("- **target**: https://x",), "http"),
        (("- **url**: https://x",), "http"),
        (("- **params**:", "  - command: true"), "shell"),
    ],
)
def test_without_a_type_a_command_is_shell_and_a_target_is_http(
    lines: tuple[str, ...], kind: str
) -> None:
    assert type_of(action_of("- **id**: a", *lines)) == kind
    assert codes_of("- **id**: a", *lines) == []


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("- **message**: m",),
        ("- **type**: shel", "- **command**: true"),
        ("- **type**: email",),
    ],
)
def test_an_unknown_or_missing_type_needs_clarification(lines: tuple[str, ...]) -> None:
    action = action_of("- **id**: a", *lines)
    assert action.type is None
    assert action.unclear
    assert "HB303" in codes_of("- **id**: a", *lines)


def test_a_misspelt_type_suggests_the_nearest_one() -> None:
    assert "shell" in hint_of("- **id**: a", "- **type**: shel")


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        (("- **type**: shell",), "command"),
        (("- **type**: http",), "target"),
        (("- **type**: notify", "- **title**: t"), "message"),
        (("- **type**: file", "- **path**: a"), "operation"),
        (("- **type**: file", "- **operation**: read"), "path"),
        (("- **type**: file", "- **operation**: write", "- **path**: a"), "content"),
        (("- **type**: file", "- **operation**: move", "- **source**: a"), "destination"),
        (("- **type**: file", "- **operation**: copy", "- **destination**: a"), "source"),
        (("- **type**: file", "- **operation**: delete"), "path"),
    ],
)
def test_a_missing_key_is_named(lines: tuple[str, ...], missing: str) -> None:
    document = block("- **id**: a", *lines)
    assert [one.code for one in document.diagnostics] == ["HB304"]
    assert f"`{missing}`" in document.diagnostics[0].message
    assert document.actions[0].unclear


@pytest.mark.parametrize(
    "line",
    ["- **target**: ftp://example.org/", "- **url**: file:a.txt", "- **target**: example.org"],
)
def test_a_target_that_is_not_a_web_address_is_reported(line: str) -> None:
    assert codes_of("- **id**: a", "- **type**: http", line) == ["HB319"]


@pytest.mark.parametrize("status", ["2xx", "200-299", "20", "ok", "200, 204"])
def test_a_status_that_no_answer_has_is_reported(status: str) -> None:
    lines = ("- **id**: a", "- **target**: HTTPS://example.org/")
    assert codes_of(*lines, "- **expect_status**: 204") == []
    assert codes_of(*lines, f"- **expect_status**: {status}") == ["HB319"]


def test_an_unknown_operation_suggests_the_nearest_one() -> None:
    lines = ("- **id**: a", "- **type**: file", "- **operation**: wirte", "- **path**: a")
    assert codes_of(*lines) == ["HB309"]
    assert "write" in hint_of(*lines)


def test_a_key_of_another_type_is_reported_to_do_nothing() -> None:
    assert codes_of(*SHELL, "- **method**: GET") == ["HB308"]
    assert codes_of(*SHELL, "- **params**:", "  - schedule: hourly") == ["HB308"]
    assert action_of(*SHELL, "- **params**:", "  - schedule: hourly").schedule is None


# -- ids and dependencies --------------------------------------------------------------------------


def several(**needs: str) -> Document:
    blocks = [
        f"### {name}\n- **id**: {name}\n- **command**: true\n- **depends_on**: {wanted}\n"
        for name, wanted in needs.items()
    ]
    return read("## Pending Actions\n" + "".join(blocks))


def test_a_duplicate_id_is_an_error_and_the_second_does_not_run() -> None:
    document = read("## Pending Actions\n" + "### X\n- **id**: a\n- **command**: true\n" * 3)
    assert [bool(action.unclear) for action in document.actions] == [False, True, True]
    assert [(one.line, one.code, one.severity) for one in document.diagnostics] == [
        (5, "HB302", "error"),
        (8, "HB302", "error"),
    ]


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("b", ("b",)),
        ("b, c", ("b", "c")),
        ("b,c,,b", ("b", "c")),
        ("[b, c]", ("b", "c")),
        ("", ()),
        ("B", ("b",)),
    ],
)
def test_one_id_or_a_comma_list(written: str, ids: tuple[str, ...]) -> None:
    assert several(a=written, b="", c="").actions[0].depends_on == ids


def test_dependencies_may_be_a_nested_list() -> None:
    assert action_of(*SHELL, "- **depends_on**:", "  - b", "  - c").depends_on == ("b", "c")


def test_an_unknown_dependency_is_reported_with_the_nearest_id() -> None:
    document = several(backup="bakcup2", backup2="")
    assert [(one.line, one.code) for one in document.diagnostics] == [(2, "HB311")]
    assert "backup2" in document.diagnostics[0].hint


@pytest.mark.parametrize(
    ("needs", "stuck"),
    [
        ({"a": "a"}, {"a"}),
        ({"a": "b", "b": "a", "c": "a"}, {"a", "b"}),
        ({"a": "b", "b": "c", "c": "a", "d": ""}, {"a", "b", "c"}),
        ({"a": "b", "b": "a", "c": "d", "d": "c"}, {"a", "b", "c", "d"}),
        ({"a": "b,c", "b": "c", "c": ""}, set()),
    ],
)
def test_none_of_a_circle_runs_and_all_others_do(needs: dict[str, str], stuck: set[str]) -> None:
    document = several(**needs)
    assert {action.id for action in document.actions if action.unclear} == stuck
    assert len([one for one in document.diagnostics if one.code == "HB314"]) == len(stuck)


def test_a_circle_of_thousands_is_found() -> None:
    count = 3000
    document = several(**{f"a{n}": f"a{(n + 1) % count}" for n in range(count)})
    assert all(action.unclear for action in document.actions)


# -- active ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "active"),
    [
        (SHELL, True),
        ((*SHELL, "- **status**: COMPLETED"), False),
        ((*SHELL, "- **status**: FAILED"), False),
        ((*SHELL, "- **status**: COMPLETED", "- **schedule**: hourly"), True),
        (("- **id**: a", "- **type**: shel"), False),
    ],
)
def test_a_file_is_active_while_an_action_may_still_run(
    lines: tuple[str, ...], active: bool
) -> None:
    assert block(*lines).active is active


SECRET = "sk-live-1234567890abcdef"


@pytest.mark.parametrize(
    "line",
    [
        f'body: curl -H "Authorization: Bearer {SECRET}" {{{{nope}}}}',
        f"headers: Authorization {SECRET}",
    ],
)
def test_what_is_wrong_is_remembered_without_what_is_written(line: str) -> None:
    found = action_of("- id: a", "- type: http", "- url: https://a.example", f"- {line}")
    assert found.unclear
    assert SECRET not in found.unclear.about


@pytest.mark.parametrize("key", ["model: fast", "max_usd: 1", "on: wake(x)", "may: *.md"])
def test_a_field_of_a_later_version_is_an_error_that_says_so(key: str) -> None:
    text = f"## Pending Actions\n### A\n- id: a\n- command: true\n- {key}\n"
    document = read_document(text.encode())
    assert [one.code for one in document.diagnostics] == ["HB216"]
    assert document.actions[0].unclear
