"""The system's clock and time zone: the only file that asks what time it is."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.rules.timing.zones import read_zone

LOCALTIME = Path("/etc/localtime")


class SystemClock:
    """Nothing is kept: a clock that was set and a person who travelled are seen at the next question."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def zone(self) -> ZoneInfo:
        """The person's zone, as the C library finds it: `TZ`, else /etc/localtime, else UTC."""
        name = os.environ.get("TZ")
        if name is None:
            return self._local_zone()
        name = name.removeprefix(":")
        if name.startswith("/"):
            return self._zone_of_file(Path(name))
        zone = read_zone(name or "UTC")
        if isinstance(zone, Problem):
            raise HeartbeatError(f"TZ is set, but {zone.message}", zone.hint)
        return zone

    def monotonic(self) -> float:
        """Seconds that go on evenly whatever is done to the clock, and stand still while the machine sleeps."""
        return time.monotonic()

    def boot_time(self) -> float:
        """The same with the time asleep, where the system has such a clock: the difference grows by every sleep."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()

    def _local_zone(self) -> ZoneInfo:
        return self._zone_of_file(LOCALTIME) if LOCALTIME.exists() else ZoneInfo("UTC")

    def _zone_of_file(self, file: Path) -> ZoneInfo:
        """A zone file; its name tells the zone where it is, or links to, one of the system's zone files."""
        name = os.path.realpath(file).partition("/zoneinfo/")[2]
        zone = read_zone(name) if name else None
        if isinstance(zone, ZoneInfo):
            return zone
        try:
            with file.open("rb") as content:
                return ZoneInfo.from_file(content, key=str(file))
        except (OSError, ValueError) as error:
            raise HeartbeatError(
                f"The time zone in {file} cannot be read: {error}.", "Set TZ to a name such as Europe/Berlin."
            ) from error
