"""When a change has settled, and which names count."""

import pytest

from core.rules.residing.watching import Files, believed, doubtful, is_noise, read_due, with_event


def test_nothing_has_happened_so_nothing_is_due() -> None:
    assert read_due(None, None) is None


def test_a_change_is_looked_at_300_ms_after_its_last_step() -> None:
    changes = with_event(None, 10.0, "a", written=False)
    changes = with_event(changes, 10.1, "a", written=False)
    assert read_due(changes, None) == pytest.approx(10.4)


def test_a_file_that_never_rests_is_looked_at_after_2_s() -> None:
    changes = None
    for step in range(30):
        changes = with_event(changes, 10.0 + step / 10, "a", written=False)
    assert read_due(changes, None) == pytest.approx(12.0)


def test_a_file_that_is_still_being_written_is_given_2_s() -> None:
    changes = with_event(None, 10.0, "a", written=True)
    assert read_due(changes, None) == pytest.approx(12.0)
    closed = with_event(changes, 10.8, "a", written=False)
    assert read_due(closed, None) == pytest.approx(11.1)


def test_another_files_close_does_not_end_the_wait() -> None:
    changes = with_event(with_event(None, 10.0, "a", written=True), 10.1, "b", written=False)
    assert read_due(changes, None) == pytest.approx(12.0)


def test_a_doubtful_file_gets_its_second_look_1_s_later() -> None:
    assert read_due(None, 10.0) == pytest.approx(11.0)
    assert not believed(10.0, 10.9)
    assert believed(10.0, 11.0)


def test_a_file_without_doubt_is_never_past_its_doubt() -> None:
    assert not believed(None, 1e9)


def test_a_new_step_while_in_doubt_is_looked_at_as_soon_as_it_rests() -> None:
    assert read_due(with_event(None, 10.2, "a", written=False), 10.0) == pytest.approx(10.5)


@pytest.mark.parametrize(("last", "size"), [(100, None), (100, 0), (100, 50)])
def test_a_file_that_vanished_or_shrank_to_half_is_doubtful(last: int, size: int | None) -> None:
    assert doubtful(last, size)


@pytest.mark.parametrize(
    ("last", "size"), [(None, None), (None, 0), (0, 0), (0, None), (100, 51), (100, 200)]
)
def test_other_files_are_believed_at_once(last: int | None, size: int | None) -> None:
    assert not doubtful(last, size)


@pytest.mark.parametrize(
    "name",
    [
        "news.md~",
        ".news.md.swp",
        "4913",
        ".#news.md",
        "#news.md#",
        ".HEARTBEAT.md.heartbeat-0a1b2c3d",
        ".HEARTBEAT.md.heartbeat-0a1b2c3d.part",
        "news.sync-conflict-20260115-140000-ABCDEFG.md",
        "news (Ann's conflicted copy 2026-01-15).md",
    ],
)
def test_what_editors_sync_clients_and_the_program_leave_is_noise(name: str) -> None:
    assert is_noise(name)
    assert not Files(suffix=".md").count(name)


def test_the_file_counts_in_any_letter_case_and_prompts_by_their_ending() -> None:
    files = Files(frozenset({"heartbeat.md"}))
    assert files.count("HeartBeat.MD")
    assert not files.count("notes.md")
    assert Files(suffix=".md").count("news.md")
    assert not Files(suffix=".md").count(".heartbeat-state.json")
