"""The values of `{{name}}` at this moment of a beat. Secrets are fetched only where one is named, and never shown."""

from collections.abc import Callable
from datetime import datetime

from core.model.occurrence import Outcome
from core.rules.planning import instant_text
from core.rules.redacting_secrets import without_secrets
from core.rules.variables import SECRET
from core.rules.writing.harmless import one_line

FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)


class Variables:
    def __init__(self, now: datetime, next_wake: datetime | None, secret: Callable[[str], str]) -> None:
        self.outcomes: dict[str, Outcome] = {}  # of this beat's actions so far
        self.last_error = ""
        self._now = now
        self._next_wake = next_wake
        self._secret = secret
        self._used: dict[str, str] = {}

    def look_up(self, name: str) -> str:
        match name:
            case "date":
                return f"{self._now:%Y-%m-%d}"
            case "time":
                return f"{self._now:%H:%M}"
            case "timestamp":
                return instant_text(self._now)
            case "weekday":
                return f"{self._now:%A}"
            case "last_error":
                return self.last_error
            case "failure_count":
                return str(sum(outcome in FAILURES for outcome in self.outcomes.values()))
            case "completed_count":
                return str(sum(outcome is Outcome.COMPLETED for outcome in self.outcomes.values()))
            case "next_wake":
                return instant_text(self._next_wake) if self._next_wake else "never"
        key = name.removeprefix(SECRET)
        if key not in self._used:
            self._used[key] = self._secret(key)
        return self._used[key]

    def without_secrets(self, text: str) -> str:
        """The text without the values of the secrets that this beat has used."""
        return without_secrets(text, self._used) if self._used else text

    def as_record(self, text: str) -> str:
        """The text as it may be recorded: first without secrets, then one line. A secret that is cut is not found."""
        return one_line(self.without_secrets(text))
