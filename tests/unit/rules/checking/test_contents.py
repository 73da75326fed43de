"""Since when a file has had its content: by what the program saw, not by the file's own time."""

from datetime import UTC, datetime, timedelta

import pytest

from core.model.file_work import KnownContent, NoFile
from core.rules.checking.contents import known_now
from tests.fakes.files import seen

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
OLD = seen("old", NOW - 3 * DAY)
BEFORE = KnownContent(OLD.fingerprint, NOW - 3 * DAY, NOW - DAY)


@pytest.mark.parametrize(
    ("own_time", "since"), [(NOW - DAY, NOW - DAY), (NOW, NOW), (NOW + DAY, NOW)]
)
def test_at_first_sight_the_files_own_time_counts_but_not_one_in_the_future(
    own_time: datetime, since: datetime
) -> None:
    new = seen("new", own_time)
    assert known_now(None, new, NOW) == KnownContent(new.fingerprint, since, NOW)


@pytest.mark.parametrize("own_time", [NOW - 9 * DAY, NOW, NOW + DAY])
def test_the_same_content_stays_as_old_as_it_is(own_time: datetime) -> None:
    known = known_now(BEFORE, seen("old", own_time), NOW)
    assert known == KnownContent(OLD.fingerprint, NOW - 3 * DAY, NOW)


@pytest.mark.parametrize(
    ("own_time", "since"),
    [
        (NOW - DAY / 2, NOW - DAY / 2),  # while nobody looked
        (NOW - 2 * DAY, NOW),  # a copy that kept its time: the last look saw another content
        (NOW + DAY, NOW),
    ],
)
def test_another_content_has_changed_since_the_last_look(
    own_time: datetime, since: datetime
) -> None:
    new = seen("new", own_time)
    assert known_now(BEFORE, new, NOW) == KnownContent(new.fingerprint, since, NOW)


def test_a_file_that_is_gone_is_remembered_as_gone() -> None:
    gone = known_now(BEFORE, NoFile(), NOW)
    assert (gone.fingerprint, gone.since, gone.looked) == (None, NOW, NOW)
    new = seen("new", NOW + DAY)
    assert known_now(gone, new, NOW + DAY) == KnownContent(new.fingerprint, NOW + DAY, NOW + DAY)


def test_a_content_that_comes_back_is_as_old_as_it_was() -> None:
    gone = known_now(known_now(BEFORE, NoFile(), NOW), NoFile(), NOW + DAY)
    back = known_now(gone, OLD, NOW + 2 * DAY)
    assert back == KnownContent(OLD.fingerprint, NOW - 3 * DAY, NOW + 2 * DAY)


def test_a_file_that_was_never_there_is_new() -> None:
    never = known_now(None, NoFile(), NOW)
    assert never == KnownContent(None, NOW, NOW)
    first = seen("first", NOW + DAY)
    assert known_now(never, first, NOW + DAY).since == NOW + DAY
