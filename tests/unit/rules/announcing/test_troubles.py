"""A tool server that does not start is a trouble, until it starts or is taken out."""

from core.model.announcements import Announced
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.troubles import Happened, settled_by, troubles_of
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
