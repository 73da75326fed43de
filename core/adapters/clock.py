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
    """Keeps nothing, so that the next call notices when the clock was set or the person
    travelled."""

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
        """Seconds of a clock that cannot be set, and that stops while the machine sleeps."""
        return time.monotonic()

    def _local_zone(self) -> ZoneInfo:
        return self._zone_of_file(LOCALTIME) if LOCALTIME.exists() else ZoneInfo("UTC")

    def _zone_of_file(self, file: Path) -> ZoneInfo:
        """Read a zone file. If it is one of the system's zone files, or a link to one, its path has
        the zone's name."""
        name = os.path.realpath(file).partition("/zoneinfo/")[2]
        zone = read_zone(name) if name else None
        if isinstance(zone, ZoneInfo):
            return zone

        try:
            with file.open("rb") as content:
                return ZoneInfo.from_file(content, key=str(file))
        except (OSError, ValueError) as error:
            raise HeartbeatError(
                f"The time zone in {file} cannot be read: {error}.",
                "Set TZ to a name such as Europe/Berlin.",
            ) from error
