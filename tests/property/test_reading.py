"""The reader is total and lossless."""

from hypothesis import given, settings
from hypothesis import strategies as st

from core.kinds import read_document
from core.model.document import Document
from core.rules.reading.prompts import read_prompt
from tests.property.documents import FILES

MANY = settings(max_examples=1000, deadline=None)


def assert_lossless(document: Document, data: bytes) -> None:
    assert (document.bom + document.text).encode("utf-8", "surrogateescape") == data
    assert "".join(document.text[line.start : line.end] for line in document.lines) == document.text
    assert [line.number for line in document.lines] == list(range(1, len(document.lines) + 1))
    assert "".join(document.text[node.start : node.end] for node in document.nodes) == document.text
    covered = [number for node in document.nodes for number in range(node.first, node.last + 1)]
    assert covered == list(range(1, len(document.lines) + 1))


@MANY
@given(st.binary(max_size=300))
def test_any_bytes_give_a_document_whose_lines_and_nodes_tile_them(data: bytes) -> None:
    assert_lossless(read_document(data), data)


@MANY
@given(st.text(max_size=300))
def test_any_text_gives_a_document_whose_lines_and_nodes_tile_it(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert_lossless(read_document(data), data)


@MANY
@given(FILES)
def test_any_heartbeat_file_gives_a_document_whose_lines_and_nodes_tile_it(data: bytes) -> None:
    document = read_document(data)
    assert_lossless(document, data)
    for found in document.diagnostics:
        assert 0 <= found.line <= len(document.lines)
        assert found.column >= 1
        assert found.message
        assert found.hint
    assert len({task.id for task in document.tasks}) == len(document.tasks)
    assert all(
        task.id and len(task.id) <= 80 and 1 <= task.max_attempts <= 100 for task in document.tasks
    )
    assert all(action.id for action in document.actions)


@MANY
@given(FILES)
def test_reading_twice_gives_the_same(data: bytes) -> None:
    assert read_document(data) == read_document(data)


@MANY
@given(FILES)
def test_any_bytes_can_be_a_prompt_file(data: bytes) -> None:
    for found in read_prompt("some-id", data).diagnostics:
        assert found.file == "heartbeat/some-id.md"
