"""`## Completed Today`: one section, one line per day and id."""

from core.kinds import read_document
from core.model.change import ClearCompleted, SetCompleted
from core.rules.writing.edits import changed_bytes

FILE = (
    b"# H\n\n## Pending Actions\n\n### A\n- **id**: a\n- **command**: true\n\n## Notes\n\nText.\n"
)
BOTH = [SetCompleted("a", "OK", "10:00:00"), SetCompleted("b", "fine", "10:00:05")]


def test_several_successes_of_one_beat_make_one_section_after_the_actions() -> None:
    written = changed_bytes(read_document(FILE), BOTH)
    section = b"## Completed Today\n\n- [x] a: OK (10:00:00)\n- [x] b: fine (10:00:05)\n"
    assert written == FILE.replace(b"\n## Notes", b"\n" + section + b"\n## Notes")


def test_a_later_success_replaces_the_line_of_its_id() -> None:
    once = changed_bytes(read_document(FILE), BOTH)
    again = changed_bytes(read_document(once), [SetCompleted("a", "better", "11:00:00")])
    assert again == once.replace(b"a: OK (10:00:00)", b"a: better (11:00:00)")


def test_a_new_success_goes_below_the_others() -> None:
    once = changed_bytes(read_document(FILE), BOTH)
    more = changed_bytes(read_document(once), [SetCompleted("c", "OK", "11:00:00")])
    assert more == once.replace(b"(10:00:05)\n", b"(10:00:05)\n- [x] c: OK (11:00:00)\n")


def test_a_new_day_clears_the_lines_and_keeps_the_heading() -> None:
    once = changed_bytes(read_document(FILE), BOTH)
    cleared = changed_bytes(read_document(once), [ClearCompleted()])
    assert b"## Completed Today" in cleared
    assert b"- [x]" not in cleared
    refilled = changed_bytes(read_document(cleared), BOTH)
    assert refilled.count(b"## Completed Today") == 1
