"""A message says which workspace it comes from."""

from core.model.announcements import Message, with_name
from core.model.report import Notice, NoticeKind


def test_a_title_says_first_what_happened_and_then_where() -> None:
    news = Message(Notice(NoticeKind.FAILURE, "backup failed", "exit code 3"))
    assert with_name(news, "Garden").notice.title == "backup failed · Garden"
    first = Message(Notice(NoticeKind.FIRST, "First beat: 1 kept.", ""))
    assert with_name(first, "Garden").notice.title == "First beat: 1 kept · Garden"


def test_the_words_of_a_notify_action_stay_as_the_person_wrote_them() -> None:
    own = Message(Notice(NoticeKind.ACTION, "Water the plants", "now"))
    assert with_name(own, "Garden") == own
