"""When what was just approved runs, in words. Pure: the plan is an argument."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import assert_never

from core.model.approval import Reviewed
from core.model.light_dataclass import light_dataclass
from core.model.plan import Decision, Plan, Planned
from core.rules.printable import one_line

InWords = Callable[[datetime, datetime], str]  # an instant, and now


@light_dataclass(frozen=True, slots=True)
class Starting:
    """What starts beats in this workspace by itself."""

    is_watched: bool  # a resident is running
    held_back: str = ""  # why that starts nothing now, such as "paused until 14:30"; empty: it does

    @property
    def is_by_itself(self) -> bool:
        return self.is_watched and not self.held_back


def items_of(approved: Collection[Reviewed], plan: Plan) -> tuple[Planned, ...]:
    """The items that need what was approved, in the order of the plan."""
    keys = {key for one in approved for key in one.executable.needed_by}
    return tuple(item for item in plan.items if item.key in keys)


def worth_offering(items: Sequence[Planned], starting: Starting) -> tuple[Planned, ...]:
    """What a person may want to run now: not what starts now anyway, and not what cannot run."""
    return tuple(
        item
        for item in items
        if item.decision in (Decision.RUN, Decision.WAIT)
        and not (item.decision is Decision.RUN and starting.is_by_itself)
    )


def coming_lines(
    approved: Collection[Reviewed], plan: Plan, starting: Starting, in_words: InWords
) -> Iterator[str]:
    items = items_of(approved, plan)
    yield from (_line(item, plan.now, starting, in_words) for item in items)

    for one in approved:
        if not one.executable.needed_by:
            yield f"{one_line(one.executable.id, 60)}: it is used from the next beat on."

    if not items:
        return

    if not starting.is_watched:
        yield "Nothing watches this workspace. To run what is due: heartbeat run"
    elif starting.held_back:
        yield f"Heartbeat is {starting.held_back}. To run what is due anyway: heartbeat run"


def _line(item: Planned, now: datetime, starting: Starting, in_words: InWords) -> str:
    name = one_line(item.id, 60)
    match item.decision:
        case Decision.RUN:
            return f"{name}: it starts now." if starting.is_by_itself else f"{name}: it is due."
        case Decision.WAIT if item.next:
            return f"{name}: it runs {_when(in_words(item.next, now))}."
        case Decision.WAIT | Decision.BLOCKED:
            return f"{name}: it does not run yet: {item.reason.rstrip('.')}."
        case Decision.SKIP:
            return f"{name}: it does not run by itself: {item.reason.rstrip('.')}."
        case _:
            assert_never(item.decision)


def _when(words: str) -> str:
    """`at 09:00`, `on Thu 19 Nov 09:00`."""
    return f"at {words}" if words[:1].isdigit() else f"on {words}"
