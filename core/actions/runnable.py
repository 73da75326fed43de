"""How an action of some type runs: what it is given, and how it can end.

Every ending is a value. A run reaches the outside only through the ports of `World`.

Reading a file imports every type of action and runs none. What only a run needs is therefore
imported by the functions that run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.model.action_type import ActionType, LookUp, table_in, text_in
from core.model.light_dataclass import light_dataclass
from core.rules.variables import filled

if TYPE_CHECKING:
    from datetime import datetime

    from core.model.cause import Cause
    from core.model.document import Action
    from core.model.errors import HeartbeatError
    from core.model.occurrence import Outcome
    from core.model.report import NotSent
    from core.ports.world import World


@light_dataclass(frozen=True, slots=True)
class Call:
    """One run of an action."""

    action: Action
    beat: int
    now: datetime
    look_up: LookUp
    on_line: Callable[[str], None] | None = None  # gets the last line of what it prints

    def text(self, key: str) -> str:
        """What is written under the key, as it is written."""
        return text_in(self.action.params, key)

    def filled(self, key: str) -> str:
        """What is written under the key, with the values of its variables."""
        return filled(self.text(key), self.look_up)

    def filled_table(self, key: str) -> dict[str, str]:
        table = table_in(self.action.params, key)
        return {name: filled(value, self.look_up) for name, value in table.items()}


@light_dataclass(frozen=True, slots=True)
class Done:
    """How a run ended. The texts may be of any length and may contain secrets;
    Variables.as_record shortens and redacts them."""

    outcome: Outcome
    result: str = ""
    error: str = ""
    cause: Cause = ()  # of a failure: what tells it from another one, whatever its sentence says


def failed(error: str, cause: str, *more: str) -> Done:
    from core.model.occurrence import Outcome

    return Done(Outcome.FAILED, error=error, cause=(cause, *more))


def raised(error: HeartbeatError) -> Done:
    """What could not be done because of an error, such as a secret that the keyring does not
    give."""
    return failed(error.message, *error.cause)


def after_sending(problem: NotSent | None) -> Done:
    return failed(problem.reason, "not_sent", *problem.cause) if problem else completed("OK")


def cut_off() -> Done:
    from core.model.occurrence import Outcome

    return Done(Outcome.INTERRUPTED, error="it was stopped before it finished", cause=("cut_off",))


def completed(result: str) -> Done:
    from core.model.occurrence import Outcome

    return Done(Outcome.COMPLETED, result)


def unclear(error: str, cause: str, *more: str) -> Done:
    """The person has to write it differently before it can run."""
    from core.model.occurrence import Outcome

    return Done(Outcome.NEEDS_CLARIFICATION, error=error, cause=(cause, *more))


@light_dataclass(frozen=True, slots=True)
class RunnableType(ActionType):
    """A type of action with the way it runs."""

    run: Callable[[World, Call], Done]
