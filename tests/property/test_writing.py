"""Only the bytes of a changed value change, and no value can break out of its line."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.kinds import read_document
from core.model.change import (
    Change,
    ClearCompleted,
    RemoveField,
    SetCompleted,
    SetField,
    SetHeader,
    SetVerdict,
)
from core.model.document import Action, Document, NodeKind
from core.rules.printable import one_line
from core.rules.reading.verdict_lines import CHECK_FAILS, FAILURE_WORDS, VERDICT_WORDS
from core.rules.writing.edits import Edit, apply_edits, changed_bytes, edits_of
from tests.property.documents import FILES, FILES_WITH_ACTIONS, FILES_WITH_FRONTMATTER

MANY = settings(max_examples=1000, deadline=None)
WRITTEN_KEYS = st.sampled_from(
    ["status", "completed_at", "duration", "result", "failed_at", "error", "retry_count"]
)
HEADER_KEYS = st.sampled_from(["last_wake", "next_wake", "status", "error_count", "last_error"])
HOSTILE = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "a\n### [HIGH] x\n- **id**: evil\n- **command**: rm -rf ~",
            "x\u2028## Tasks\u2028- [ ] a | b",
            "<!-- ",
            "-->",
            "```",
        ]
        + [
            "\r\n## Tasks\r\n- [ ] evil | do",
            "\x85- [ ] a",
            "\x0b## Tasks",
            "{{secret:X}}",
            "---\nversion: 2",
            "| run: rm",
            "- ",
        ]
    ),
)


def changes_of(document: Document) -> st.SearchStrategy[Change]:
    actions = st.sampled_from([action.id for action in document.actions] or ["none"])
    return st.one_of(
        st.builds(SetField, actions, WRITTEN_KEYS, HOSTILE),
        st.builds(RemoveField, actions, WRITTEN_KEYS),
        st.builds(SetHeader, HEADER_KEYS, st.one_of(HOSTILE, st.integers(0, 99), st.none())),
        st.builds(SetCompleted, actions, HOSTILE, st.just("10:30:00")),
        st.just(ClearCompleted()),
        verdicts_of(document),
    )


def verdicts_of(document: Document) -> st.SearchStrategy[SetVerdict]:
    return st.builds(
        SetVerdict,
        st.sampled_from([task.id for task in document.tasks] or ["none"]),
        st.sampled_from([*VERDICT_WORDS.values(), *FAILURE_WORDS.values(), CHECK_FAILS]),
        st.integers(-99, 99),
        st.datetimes(),
    )


def what_runs(document: Document) -> object:
    """Everything that decides what is executed; not the places, nor the lines that the program
    writes."""

    def bare(action: Action) -> Action:
        return replace(action, line=0, fields=(), status=document.actions[0].status, unclear=None)

    return (
        [replace(task, line=0) for task in document.tasks],
        [bare(action) for action in document.actions],
        [(probe.name, probe.command) for probe in document.probes],
        document.review,
        document.format,
    )


def inverse(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that turn the changed text back into `text`."""
    back: list[Edit] = []
    moved = 0
    for edit in edits:
        start = edit.start + moved
        back.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        moved += len(edit.text) - (edit.end - edit.start)

    return back


@MANY
@given(FILES, st.data())
def test_any_changes_followed_by_their_inverse_give_back_the_same_bytes(
    data: bytes, choice: st.DataObject
) -> None:
    document = read_document(data)
    changes = choice.draw(st.lists(changes_of(document), max_size=5))
    edits = edits_of(document, changes)
    changed = apply_edits(document.text, edits)
    assert apply_edits(changed, inverse(document.text, edits)) == document.text


@MANY
@given(FILES, st.data())
def test_a_verdict_is_one_line_that_changes_nothing_else(
    data: bytes, choice: st.DataObject
) -> None:
    document = read_document(data)
    first = choice.draw(verdicts_of(document))
    again = choice.draw(verdicts_of(document).map(lambda one: replace(one, task=first.task)))
    once = read_document(changed_bytes(document, [first]))
    twice = read_document(changed_bytes(once, [again]))
    has_line = any(node.kind is NodeKind.VERDICT for node in once.nodes)
    assert has_line == any(task.id == first.task for task in document.tasks)
    assert len(once.lines) == len(twice.lines)
    for shown in (once, twice):
        assert (what_runs(shown), shown.context) == (what_runs(document), document.context)
        assert [one.code for one in shown.diagnostics] == [one.code for one in document.diagnostics]
    assert changed_bytes(twice, [again]) == changed_bytes(twice, [])


@MANY
@given(FILES_WITH_ACTIONS, st.data())
def test_setting_a_field_and_setting_it_back_gives_the_same_bytes(
    data: bytes, choice: st.DataObject
) -> None:
    document = read_document(data)
    first_with_id = {action.id: action for action in reversed(document.actions)}
    fields = [
        (action.id, field)
        for action in first_with_id.values()
        for field in {field.key: field for field in reversed(action.fields)}.values()
        if field.value and field.key != "id" and one_line(field.value) == field.value
    ]
    assume(fields)
    identifier, field = choice.draw(st.sampled_from(fields))
    there = read_document(
        changed_bytes(document, [SetField(identifier, field.key, "something else")])
    )
    assert changed_bytes(there, [SetField(identifier, field.key, field.value)]) == data


@MANY
@given(FILES_WITH_ACTIONS, st.data())
def test_changing_one_action_leaves_every_other_node_as_it_was(
    data: bytes, choice: st.DataObject
) -> None:
    document = read_document(data)
    assume(document.actions)
    identifier = choice.draw(st.sampled_from([action.id for action in document.actions]))
    change = SetField(identifier, choice.draw(WRITTEN_KEYS), choice.draw(HOSTILE))
    after = read_document(changed_bytes(document, [change]))
    line = next(action.line for action in document.actions if action.id == identifier)

    def others(read: Document) -> list[str]:
        return [
            read.text[node.start : node.end]
            for node in read.nodes
            if not (node.kind is NodeKind.ACTION and node.first == line)
        ]

    before_last = document.text.endswith(("\n", "\r"))
    assume(before_last)  # a last line without an end gets one when a line is added after it
    assert others(after) == others(document)


@MANY
@given(FILES_WITH_ACTIONS, HOSTILE, st.data())
def test_any_text_written_as_a_result_leaves_the_same_items(
    data: bytes, text: str, choice: st.DataObject
) -> None:
    document = read_document(data)
    assume(document.actions)
    changes: list[Change] = [
        change
        for action in document.actions
        for change in (
            SetField(action.id, "result", text),
            SetField(action.id, "error", text),
            SetCompleted(action.id, text, "10:30:00"),
        )
    ]
    changes += [SetHeader("last_error", text), SetHeader("last_wake", "2026-01-15T14:00:00Z")]
    after = read_document(changed_bytes(document, changes))
    assert what_runs(after) == what_runs(document)


@MANY
@given(FILES_WITH_FRONTMATTER, HOSTILE)
def test_a_frontmatter_value_is_read_back_as_the_line_that_was_written(
    data: bytes, text: str
) -> None:
    document = read_document(data)
    entry = document.frontmatter.values.get("last_error")
    assume(
        document.frontmatter.writable and (entry is None or entry.writable)
    )  # false for comments alone
    after = read_document(changed_bytes(document, [SetHeader("last_error", text)]))
    assert after.frontmatter.values["last_error"].value == one_line(text)
    kept = {
        key: value.value
        for key, value in document.frontmatter.values.items()
        if key != "last_error"
    }
    assert {
        key: value.value for key, value in after.frontmatter.values.items() if key != "last_error"
    } == kept


@MANY
@given(FILES, st.data())
def test_writing_the_same_changes_twice_changes_nothing_the_second_time(
    data: bytes, choice: st.DataObject
) -> None:
    document = read_document(data)
    changes = choice.draw(st.lists(changes_of(document), max_size=3))
    once = changed_bytes(document, changes)
    again = read_document(once)
    kept = [
        change
        for change in changes
        if not isinstance(change, RemoveField | ClearCompleted | SetCompleted)
    ]
    assert changed_bytes(again, kept) == changed_bytes(
        read_document(changed_bytes(again, kept)), kept
    )


@MANY
@given(st.text(max_size=400))
def test_one_line_is_one_printable_line_of_at_most_200_characters(text: str) -> None:
    line = one_line(text)
    assert len(line) <= 200
    assert line.isprintable()
    assert "<!--" not in line
    assert one_line(line) == line
