"""Which troubles there are, and when they are over: of a tool server, and of the day's score."""

from core.model.announcements import Announced
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.troubles import Happened, settled_by, troubles_of
from core.rules.scoring.replaying import Drop
from tests.stage import at

DAY = at("16 10:00").date()
CLOCK = TroubleKey(TroubleKind.SERVER, "clock")
ANNOUNCED = {CLOCK: Announced(("no such file",), "The tool server clock did not start")}


def test_which_one_and_why_and_what_to_do() -> None:
    happened = Happened((), DAY, servers={"clock": "no such file", "mail": ""})
    (trouble,) = troubles_of(happened)
    assert trouble.key == CLOCK
    assert trouble.notice.title == "The tool server clock did not start"
    assert trouble.notice.message.startswith("no such file. ")
    assert "[mcp.servers.clock] in config.toml" in trouble.notice.message


def test_it_is_over_when_it_starts_or_is_no_longer_configured() -> None:
    known = {"clock"}
    started = Happened((), DAY, servers={"clock": ""}, known_servers=known)
    assert settled_by(started, ANNOUNCED) == [CLOCK]
    assert settled_by(Happened((), DAY, known_servers=()), ANNOUNCED) == [CLOCK]


def test_a_beat_without_a_batch_says_nothing_about_it() -> None:
    assert settled_by(Happened((), DAY, known_servers={"clock"}), ANNOUNCED) == []


def test_a_drop_of_the_score_names_what_cost_the_most() -> None:
    (trouble,) = troubles_of(Happened((), DAY, drop=Drop(10, -20, None, "task:mail", -25)))
    assert trouble.notice.message == (
        "Today's score fell from 10 to -20, 25 of it by mail: heartbeat score says why."
    )
    (trouble,) = troubles_of(Happened((), DAY, drop=Drop(10, -20, None, "", -30)))
    assert trouble.notice.message.startswith("Today's score fell from 10 to -20: ")
