"""What a person is told where a check fails: "the check asks for …; it found …"."""

from core.model.http import Answer
from tests.fakes.files import FakeFileInspector
from tests.fakes.outside import FakeHttp
from tests.unit.checks.written_check import FakeMeasuring, asked_and_got


def test_each_kind_says_what_it_asks_for_and_what_it_found() -> None:
    assert asked_and_got(FakeMeasuring(probes={"mails": 0}), "mails > 0") == ("> 0", "0")
    assert asked_and_got(FakeMeasuring(probes={"a": 0, "b": 1}), "a > 0 and b == 1") == (
        "`a > 0 and b == 1`",
        "a = 0, b = 1",
    )
    nothing = FakeMeasuring(inspector=FakeFileInspector())
    assert asked_and_got(nothing, "file:report.md") == ("report.md", "no such file")
    lost = FakeMeasuring(http=FakeHttp(Answer(404, "")))
    assert asked_and_got(lost, "http:http://a.example/") == ("status 200 to 299", "status 404")
