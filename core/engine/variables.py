"""The values of `{{name}}` at this moment of a beat. Secrets are fetched only where one is named, and never shown."""

from collections.abc import Callable, Mapping
from datetime import datetime

from core.model.occurrence import Outcome
from core.rules.planning import instant_text
from core.rules.variables import SECRET, redacted

FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)


class Variables:
    def __init__(self, now: datetime, next_wake: datetime | None, secret: Callable[[str], str]) -> None:
        self._now = now
        self._next_wake = next_wake
        self._secret = secret
        self._used: dict[str, str] = {}

    def look_up(self, name: str, outcomes: Mapping[str, Outcome], last_error: str) -> str:
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
                return last_error
            case "failure_count":
                return str(sum(outcome in FAILURES for outcome in outcomes.values()))
            case "completed_count":
                return str(sum(outcome is Outcome.COMPLETED for outcome in outcomes.values()))
            case "next_wake":
                return instant_text(self._next_wake) if self._next_wake else "never"
        key = name.removeprefix(SECRET)
        self._used[key] = self._secret(key)
        return self._used[key]

    def without_secrets(self, text: str) -> str:
        """The text as it may be recorded: the values of secrets are replaced by their names."""
        return redacted(text, self._used)
