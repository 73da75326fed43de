"""Problems between actions: duplicate ids, missing dependencies, circles, conditions.

Each of them is reported, and an action that cannot run because of another says why.
"""

from collections.abc import Iterator, Mapping, Sequence

from core.model.codes import CODES
from core.model.diagnostic import Unclear
from core.model.document import Action
from core.model.light_dataclass import replace
from core.rules.printable import shown
from core.rules.reading.findings import Findings

MOST_IDS_COMPARED = 200  # with a misspelt dependency
IN_A_CIRCLE = Unclear("its dependencies form a circle", "HB314")
USED_TWICE = Unclear("its id is used twice", "HB302")


def related(actions: list[Action], findings: Findings) -> list[Action]:
    """Return the actions, each with what keeps it from running because of the others."""
    first: dict[str, Action] = {}
    result: list[Action] = []
    for action in actions:
        if action.id in first:
            action = _with_taken_id(action, first[action.id].line, findings)

        first.setdefault(action.id, action)
        result.append(action)

    circles = find_circles({action.id: action.depends_on for action in first.values()})
    _report_circles(circles, first, findings)
    _report_missing_dependencies(result, first, findings)

    if any(action.condition for action in result):
        result = _with_conditions(result, first, findings)

    stuck = {name for circle in circles for name in circle}
    return [
        _marked_unclear(action, IN_A_CIRCLE) if action.id in stuck else action for action in result
    ]


def _marked_unclear(action: Action, reason: Unclear) -> Action:
    """Return the action with this reason not to run, unless it has one already."""
    return replace(action, unclear=action.unclear or reason)


def _with_taken_id(action: Action, first_line: int, findings: Findings) -> Action:
    message = (
        f"The id `{shown(action.id)}` is taken by line {first_line}; this action does not run."
    )
    findings.add("HB302", action.line, 1, message, "Give each action an id of its own.")
    return _marked_unclear(action, USED_TWICE)


def _report_circles(
    circles: list[list[str]], first: Mapping[str, Action], findings: Findings
) -> None:
    fix = "Remove one of these dependencies; none of them runs until then."
    for circle in circles:
        through = ", ".join(shown(other, 20) for other in circle[:6])
        for name in circle:
            message = f"`{shown(name)}` depends on itself, through {through}."
            findings.add("HB314", first[name].line, 1, message, fix)


def _report_missing_dependencies(
    actions: list[Action], first: Mapping[str, Action], findings: Findings
) -> None:
    some_ids = list(first)[:MOST_IDS_COMPARED]
    for action in actions:
        for wanted in action.depends_on:
            if wanted in first:
                continue

            fix = "Check the id, or remove the dependency."
            if close := findings.nearest(wanted, some_ids):
                fix = f"Did you mean `{close}`?"

            message = f"It depends on `{shown(wanted)}`, which does not exist."
            findings.add("HB311", action.line, 1, message, fix)


def _with_conditions(
    actions: list[Action], first: Mapping[str, Action], findings: Findings
) -> list[Action]:
    """Return the actions, each unclear whose condition makes no sense next to the others."""
    # Its parser costs 5 ms, and most files have no condition.
    from core.rules.planning.conditions import names_with, problem_with

    names = names_with(first)
    result: list[Action] = []

    for action in actions:
        holds_id = first[action.id] is action
        problem = problem_with(action.condition, names) if action.condition and holds_id else None
        if problem:
            line = next(field.line for field in action.fields if field.key == "condition")
            findings.add("HB318", line, 1, problem.message, problem.hint or CODES["HB318"].fix)
            reason = Unclear(problem.message.rstrip("."), "HB318", action.condition or "")
            action = _marked_unclear(action, reason)

        result.append(action)

    return result


# -- circles ---------------------------------------------------------------------------------------


def find_circles(needs: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the groups of names that need each other, directly or through others.

    Names outside the graph are ignored. The time is linear in the edges. graphlib gives
    only one circle per search (docs/decisions/0027-libraries-and-oracles.md).
    """
    search = _CircleSearch(needs)
    for root in needs:
        if root not in search.order:
            search.walk_from(root)

    return search.found


class _CircleSearch:
    """Tarjan's strongly connected components, without recursion: a chain may be long."""

    def __init__(self, needs: Mapping[str, Sequence[str]]) -> None:
        self.needs = needs
        self.order: dict[str, int] = {}  # when each name was entered
        self.lowest: dict[str, int] = {}  # the earliest open name that can be reached from it
        self.open_names: dict[str, None] = {}  # a stack that also knows what is in it
        self.path: list[tuple[str, Iterator[str]]] = []  # each with the names still to follow
        self.found: list[list[str]] = []

    def walk_from(self, root: str) -> None:
        self._enter(root)
        while self.path:
            name, rest = self.path[-1]
            following = self._next_unseen(name, rest)
            if following is None:
                self._leave(name)
            else:
                self._enter(following)

    def _enter(self, name: str) -> None:
        self.order[name] = self.lowest[name] = len(self.order)
        self.open_names[name] = None
        self.path.append((name, iter(self.needs[name])))

    def _next_unseen(self, name: str, rest: Iterator[str]) -> str | None:
        """Return the next name to enter, or None when all that it needs were seen."""
        for other in rest:
            if other in self.needs and other not in self.order:
                return other

            if other in self.open_names:
                self.lowest[name] = min(self.lowest[name], self.order[other])

        return None

    def _leave(self, name: str) -> None:
        self.path.pop()
        if self.path:
            before = self.path[-1][0]
            self.lowest[before] = min(self.lowest[before], self.lowest[name])

        if self.lowest[name] != self.order[name]:
            return

        group: list[str] = []
        while not group or group[-1] != name:
            group.append(self.open_names.popitem()[0])

        if len(group) > 1 or name in self.needs[name]:
            self.found.append(sorted(group, key=self.order.__getitem__))
