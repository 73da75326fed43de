"""The system's clock and zone, read again each time."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import TZPATH

import pytest

from core.adapters import clock as clock_file
from core.adapters.clock import SystemClock
from core.model.errors import HeartbeatError


def zone_file(name: str) -> Path:
    return next(Path(folder, name) for folder in TZPATH if Path(folder, name).exists())


@pytest.fixture
def localtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In the place of /etc/localtime, and TZ is not set."""
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(clock_file, "LOCALTIME", tmp_path / "localtime")
    return tmp_path / "localtime"


def test_now_is_an_aware_instant_and_goes_on() -> None:
    clock = SystemClock()
    before = clock.now()
    assert before.utcoffset() == timedelta(0)
    assert abs(before - datetime.now(UTC)) < timedelta(minutes=1)
    assert clock.now() >= before


def test_the_zone_is_the_one_that_tz_names_at_this_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    for value, name in [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("", "UTC"),
    ]:
        monkeypatch.setenv("TZ", value)
        assert clock.zone().key == name
    monkeypatch.setenv("TZ", str(zone_file("America/New_York")))
    assert clock.zone().key == "America/New_York"


def test_a_tz_that_is_not_a_zone_is_reported_and_not_taken_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berln")
    with pytest.raises(HeartbeatError) as error:
        SystemClock().zone()
    assert "TZ" in error.value.message
    assert "Europe/Berlin" in error.value.hint


def test_without_tz_it_is_the_zone_that_localtime_links_to(localtime: Path) -> None:
    localtime.symlink_to(zone_file("Europe/Berlin"))
    assert SystemClock().zone().key == "Europe/Berlin"
    localtime.unlink()
    localtime.symlink_to(zone_file("Asia/Tokyo"))
    assert SystemClock().zone().key == "Asia/Tokyo"


def test_a_copied_localtime_still_has_the_offset(localtime: Path) -> None:
    localtime.write_bytes(zone_file("Europe/Berlin").read_bytes())
    zone = SystemClock().zone()
    assert datetime(2026, 7, 1, tzinfo=zone).utcoffset() == timedelta(hours=2)


def test_without_a_zone_file_it_is_utc_as_for_every_program(localtime: Path) -> None:
    assert SystemClock().zone().key == "UTC"


def test_a_localtime_that_is_not_a_zone_file_is_reported(localtime: Path) -> None:
    localtime.write_text("not a zone")
    with pytest.raises(HeartbeatError, match="cannot be read"):
        SystemClock().zone()


def test_the_steady_clock_never_goes_back() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    assert clock.monotonic() >= before
