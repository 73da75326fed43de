"""`## Completed Today`: one section, one line per day and id."""

from core.kinds import read_document
from core.model.change import ClearCompleted, SetCompleted
from core.rules.writing.completed_lines import sameness
from core.rules.writing.edits import changed_bytes

FILE = (
    b"# H\n\n## Pending Actions\n\n### A\n- **id**: a\n- **command**: true\n\n## Notes\n\nText.\n"
)
OWN = frozenset(map(sameness, ("a: OK (10:00:00)", "b: fine (10:00:05)")))
BOTH = [SetCompleted("a", "OK", "10:00:00"), SetCompleted("b", "fine", "10:00:05")]


def test_several_successes_of_one_beat_make_one_section_after_the_actions() -> None:
    written = changed_bytes(read_document(FILE), BOTH)
    section = b"## Completed Today\n\n- [x] a: OK (10:00:00)\n- [x] b: fine (10:00:05)\n"
    assert written == FILE.replace(b"\n## Notes", b"\n" + section + b"\n## Notes")


def test_a_later_success_replaces_the_line_of_its_id() -> None:
    once = changed_bytes(read_document(FILE), BOTH)
    again = changed_bytes(read_document(once), [SetCompleted("a", "better", "11:00:00", OWN)])
    assert again == once.replace(b"a: OK (10:00:00)", b"a: better (11:00:00)")


def test_a_new_success_goes_below_the_others() -> None:
    once = changed_bytes(read_document(FILE), BOTH)
    more = changed_bytes(read_document(once), [SetCompleted("c", "OK", "11:00:00")])
    assert more == once.replace(b"(10:00:05)\n", b"(10:00:05)\n- [x] c: OK (11:00:00)\n")


def test_a_new_day_clears_the_lines_and_keeps_the_heading() -> None:
    once = changed_bytes(read_document(FILE), BOTH)
    cleared = changed_bytes(read_document(once), [ClearCompleted(OWN)])
    assert b"## Completed Today" in cleared
    assert b"- [x]" not in cleared
    refilled = changed_bytes(read_document(cleared), BOTH)
    assert refilled.count(b"## Completed Today") == 1


def test_the_persons_own_lines_stay_also_where_they_look_like_the_programs() -> None:
    mine = b"- [x] action-000: Set up (09:00:00)\n- [x] a: by hand (10:00:00)\n- [x] tea\n"
    once = changed_bytes(read_document(FILE), BOTH)
    mixed = once.replace(b"Today\n\n", b"Today\n\n" + mine)
    cleared = changed_bytes(read_document(mixed), [ClearCompleted(OWN)])
    assert cleared == mixed.replace(b"- [x] a: OK (10:00:00)\n- [x] b: fine (10:00:05)\n", b"")
    again = changed_bytes(read_document(mixed), [SetCompleted("a", "new", "11:00:00", OWN)])
    assert again == mixed.replace(b"a: OK (10:00:00)", b"a: new (11:00:00)")
    first = changed_bytes(read_document(cleared), [SetCompleted("a", "new", "11:00:00")])
    assert all(line in first for line in mine.splitlines())
    assert first.count(b"- [x] a:") == 2


def test_a_line_is_known_again_in_another_zone_and_by_nothing_less() -> None:
    assert sameness("a: OK (10:20:03)") == sameness("a: OK (23:35:03)")
    assert sameness("a: OK (10:20:03)") != sameness("a: OK (10:21:03)")
    assert sameness("a: OK (10:20:03)") != sameness("a: KO (10:20:03)")
    assert sameness("short") == "short"
