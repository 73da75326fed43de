"""The frontmatter and its strict YAML: its values are read, and a bad line only loses itself."""

import pytest

from core.kinds import read_document
from core.model.change import SetHeader
from core.model.document import Document
from core.rules.reading.prompts import read_prompt
from core.rules.reading.strict_yaml import (
    MAXIMUM_DEPTH,
    MAXIMUM_VALUES,
    YamlProblem,
    read_yaml,
    resolve,
)
from core.rules.writing.edits import changed_bytes


def read(*lines: str) -> Document:
    return read_document(
        "\n".join(["---", *lines, "---", "## Tasks", "- [ ] a | b | run: true", ""]).encode()
    )


def values(document: Document) -> dict[str, object]:
    return {key: entry.value for key, entry in document.frontmatter.values.items()}


def found(document: Document) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in document.diagnostics]


WHOLE_FRONTMATTER = (
    "version: 1                        # Schema version",
    "last_wake: 2024-01-15T10:30:00Z   # Last execution timestamp",
    "next_wake: 2024-01-15T10:35:00Z",
    "status: idle",
    "error_count: 0",
    "last_error: null",
)


def test_all_nine_keys_are_known() -> None:
    document = read(
        *WHOLE_FRONTMATTER, "timezone: Europe/Berlin", "format: auto", "active: 09:00-18:00 mon-fri"
    )
    assert found(document) == []
    assert document.held is None
    assert values(document) == {
        "version": 1,
        "last_wake": "2024-01-15T10:30:00Z",
        "next_wake": "2024-01-15T10:35:00Z",
        "status": "idle",
        "error_count": 0,
        "last_error": None,
        "timezone": "Europe/Berlin",
        "format": "auto",
        "active": "09:00-18:00 mon-fri",
    }


def test_a_file_without_frontmatter_has_none() -> None:
    for text in (
        b"",
        b"# Heartbeat\n",
        b"\n---\nversion: 1\n---\n",
        b"Text\n---\nversion: 1\n---\n",
        b"----\na: 1\n----\n",
    ):
        assert read_document(text).frontmatter.last_line == 0


def test_a_rule_at_the_top_of_a_file_is_not_frontmatter() -> None:
    document = read_document(b"---\n\nJust some text.\n")
    assert document.frontmatter.last_line == 0
    assert document.diagnostics == ()
    assert document.active


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_every_line_end_and_a_bom_are_understood(bom: str, end: str) -> None:
    document = read_document(
        f"{bom}---{end}version: 1{end}status: idle{end}---{end}# Hi{end}".encode()
    )
    assert values(document) == {"version": 1, "status": "idle"}
    assert document.frontmatter.last_line == 4


def test_values_know_where_they_are_so_that_writing_changes_nothing_else() -> None:
    document = read("status:   idle   # now", "error_count: 12")
    written = {
        key: document.text[entry.start : entry.end]
        for key, entry in document.frontmatter.values.items()
    }
    assert written == {"status": "idle", "error_count": "12"}
    assert document.frontmatter.values["error_count"].line == 3


@pytest.mark.parametrize("marks", ["\ufeff", "\ufeff\ufeff"])
def test_a_bom_below_the_fence_moves_no_value(marks: str) -> None:
    """A line that was pasted from another file may start with one."""
    document = read(f"{marks}status: idle # now", "error_count: 12")
    entries = document.frontmatter.values
    assert {key: document.text[one.start : one.end] for key, one in entries.items()} == {
        "status": "idle",
        "error_count": "12",
    }

    changed = changed_bytes(document, [SetHeader("status", "error")]).decode()
    assert changed == document.text.replace("idle", "error")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_what_only_yaml_takes_for_a_line_end_moves_no_line(separator: str) -> None:
    document = read(f"last_error: 'a{separator} b'", "error_count: many", "mine: [1")
    assert found(document) == [(2, "HB102"), (3, "HB107"), (4, "HB102")]
    assert document.frontmatter.values["error_count"].line == 3


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("version: 2", "HB107"),
        ("status: sleepy", "HB107"),
        ("error_count: many", "HB107"),
        ("error_count: true", "HB107"),
        ("format: contrakt", "HB107"),
        ("timezon: Europe/Berlin", "HB106"),
        ("owner: me", "HB106"),
        ("timezone: Europe/Berlim", "HB108"),
        ("active: mornings", "HB108"),
    ],
)
def test_a_value_or_key_that_is_not_understood_is_reported_at_its_place(
    line: str, code: str
) -> None:
    assert found(read("last_error: null", line)) == [(3, code)]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("timezon: x", "timezone"),
        ("status: idel", "idle"),
        ("format: contrakt", "contract"),
        ("timezone: Europe/Berlim", "Europe/Berlin"),
    ],
)
def test_a_misspelt_key_or_value_suggests_the_nearest_one(line: str, meant: str) -> None:
    assert meant in read(line).diagnostics[0].hint


@pytest.mark.parametrize(
    "line",
    [
        "timezone: Nowhere/Never",
        "active: sometimes",
        "active: [09:00",
        "timezone: &a UTC",
        "active: !!str x",
    ],
)
def test_without_a_readable_zone_or_hours_nothing_starts_by_itself(line: str) -> None:
    assert read("version: 1", line).held


@pytest.mark.parametrize("line", ["status: sleepy", "mine: [1", "version: 7", "error_count: &a 1"])
def test_any_other_bad_line_holds_nothing_back(line: str) -> None:
    assert read("active: 09:00-18:00", line).held is None


def test_unclosed_frontmatter_is_an_error_and_holds_everything_back() -> None:
    document = read_document(
        b"---\nversion: 1\nactive: 09:00-10:00\n## Tasks\n- [ ] a | b | run: true\n"
    )
    assert found(document) == [(1, "HB101")]
    assert document.held


def test_hours_inside_frontmatter_that_is_too_large_hold_everything_back() -> None:
    document = read("x: " + "[" * 40, "active: 09:00-10:00")
    assert found(document) == [(2, "HB105")]
    assert document.held


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("mine: [1, 2", "HB102"),
        ("mine: 'never closed", "HB102"),
        ("mine: {a: 1", "HB102"),
        ("just words", "HB102"),
        ("\tmine: 1", "HB102"),
        ("a: b: c", "HB102"),
        ("mine: @x", "HB102"),
        ("status: error", "HB103"),
        ("mine: &a 1", "HB104"),
        ("mine: *a", "HB104"),
        ("<<: {a: 1}", "HB104"),
        ("mine: !!python/object:os.system x", "HB104"),
        ("mine: !local x", "HB104"),
    ],
)
def test_one_bad_line_is_reported_with_its_line_and_the_rest_still_counts(
    bad: str, code: str
) -> None:
    document = read("status: idle", bad, "error_count: 3")
    assert [one for one in found(document) if one[1] != "HB106"] == [(3, code)]
    assert values(document)["status"] == "idle"
    assert values(document)["error_count"] == 3
    assert [task.id for task in document.tasks] == ["a"]


def test_two_bad_lines_are_two_findings() -> None:
    assert found(read("a: [1", "status: idle", "b: {2")) == [(2, "HB102"), (4, "HB102")]


def test_a_bad_nested_block_costs_only_that_block() -> None:
    document = read("mine:", "  - a", "  - [b", "status: idle")
    assert [line for line, _ in found(document)] == [4]
    assert values(document) == {"status": "idle"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("10:30", "10:30"),
        ("22:00", "22:00"),
        ("on", "on"),
        ("off", "off"),
        ("no", "no"),
        ("yes", "yes"),
        ("y", "y"),
        ("2024-01-15", "2024-01-15"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00Z"),
        ("0x10", "0x10"),
        ("010", "010"),
        ("1_000", "1_000"),
        ("1e5", "1e5"),
        (".inf", ".inf"),
        ("=", "="),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("1", 1),
        ("-7", -7),
        ("+7", 7),
        ("0", 0),
        ("1.5", 1.5),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_only_plain_numbers_booleans_and_null_are_more_than_text(
    written: str, value: object
) -> None:
    read_value = read_yaml(f"key: {written}")["key"].value
    assert read_value == value
    assert type(read_value) is type(value)


def test_lists_and_tables_are_read_in_both_spellings() -> None:
    assert read_yaml("a: [1, x]\nb:\n  - 2\n  - y\nc: {d: on}\ne:\n  f:\n    g: 22:00\n")[
        "e"
    ].value == {"f": {"g": "22:00"}}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 25_000, "HB105"),
        ("a: " + "[" * 25_000, "HB105"),
        ("a: " + "{b: " * 25_000, "HB105"),
        ("\n".join(f"{' ' * n}k:" for n in range(MAXIMUM_DEPTH + 3)), "HB105"),
        ("\n".join(f"k{n}: 1" for n in range(MAXIMUM_VALUES + 1)), "HB105"),
        ("a: " + "x" * 70_000, "HB105"),
        ("a: &a [1]\nb: [*a, *a]", "HB104"),
        ("a: {<<: {b: 1}}", "HB104"),
        ("a: {b: 1, b: 2}", "HB103"),
        ("a: 1\n---\nb: 2", "HB102"),
        ("- a\n- b", "HB102"),
        ("word", "HB102"),
        ("\x07: 1", "HB102"),
    ],
)
def test_bombs_and_tricks_are_refused_whatever_their_size(text: str, code: str) -> None:
    with pytest.raises(YamlProblem) as problem:
        read_yaml(text)
    # a list at the top is wrong before it is too deep
    assert problem.value.code == ("HB102" if text.startswith("[") else code)


def test_empty_yaml_and_comments_alone_are_an_empty_table() -> None:
    assert read_yaml("") == {} == read_yaml("# nothing\n\n")


def test_a_value_resolves_to_itself_when_it_is_written_back() -> None:
    assert resolve("idle") == "idle"
    assert resolve("12") == 12


@pytest.mark.parametrize(
    "front",
    [
        "title: A\ngate:\n  command: [x",
        "title: A\ngate: {command: x\nschedule: hourly",
        "title: A\ngate: 1\ngate: {command: x}",
        "title: A\ngate: &g {command: x}",
    ],
)
def test_a_prompt_whose_frontmatter_cannot_be_read_does_not_run_without_its_gate(
    front: str,
) -> None:
    prompt = read_prompt("a", f"---\n{front}\n---\nDo it.\n".encode()).prompt
    assert prompt
    assert prompt.unclear


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029", "\x0b", "\x0c"])
@pytest.mark.parametrize(
    "line", ["version: 1 # note{}timezone: Europe/Berlin", "# note{}timezone: Europe/Berlin"]
)
def test_no_character_inside_a_comment_starts_a_new_key(character: str, line: str) -> None:
    text = f"---\n{line.format(character)}\nstatus: idle\n---\n"
    document = read_document(text.encode())
    assert "timezone" not in document.frontmatter.values
    assert document.frontmatter.text("status") == "idle"
    assert [(one.line, one.code) for one in document.diagnostics] == [(2, "HB102")]
