"""The values of `{{name}}` at one point of a beat. Secrets are fetched only where one is named, and
never shown."""

from collections.abc import Callable
from datetime import datetime

from core.model.cause import Cause
from core.model.occurrence import FAILURES, Outcome
from core.rules.planning.attempts import instant_text
from core.rules.printable import one_line
from core.rules.redacting import without_secrets
from core.rules.variables import SECRET


class Variables:
    def __init__(
        self, now: datetime, next_wake: datetime | None, secret: Callable[[str], str]
    ) -> None:
        self.outcomes: dict[str, Outcome] = {}  # of this beat's actions so far
        self.last_error = ""
        self._now = now
        self._next_wake = next_wake
        self._secret = secret
        self._used: dict[str, str] = {}

    def look_up(self, name: str) -> str:
        if not name.startswith(SECRET):
            return self._known()[name]

        key = name.removeprefix(SECRET)
        if key not in self._used:
            self._used[key] = self._secret(key)

        return self._used[key]

    def _known(self) -> dict[str, str]:
        """The variables that are not secrets."""
        outcomes = self.outcomes.values()
        return {
            "date": f"{self._now:%Y-%m-%d}",
            "time": f"{self._now:%H:%M}",
            "timestamp": instant_text(self._now),
            "weekday": f"{self._now:%A}",
            "last_error": self.last_error,
            "failure_count": str(sum(one in FAILURES for one in outcomes)),
            "completed_count": str(sum(one is Outcome.COMPLETED for one in outcomes)),
            "next_wake": instant_text(self._next_wake) if self._next_wake else "never",
        }

    def without_secrets(self, text: str) -> str:
        """The text without the values of the secrets that this beat has used."""
        return without_secrets(text, self._used) if self._used else text

    def as_record(self, text: str) -> str:
        """The text as it may be recorded: first without secrets, then cut to one line. A secret
        that was cut would not be found."""
        return one_line(self.without_secrets(text))

    def as_records(self, cause: Cause) -> Cause:
        """The same for the data of a failure, which may have been printed by a command."""
        return tuple(self.as_record(part) for part in cause)
