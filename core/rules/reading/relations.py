"""What only the actions together show: ids that stand twice, dependencies on nothing, circles, conditions."""

from collections.abc import Mapping
from dataclasses import replace

from core.model.codes import CODES
from core.model.document import Action
from core.rules.reading.circles import circles
from core.rules.reading.findings import Findings, shown


def related(actions: list[Action], findings: Findings) -> list[Action]:
    """The actions, with what keeps one of them from running because of the others."""
    first: dict[str, Action] = {}
    result: list[Action] = []
    for action in actions:
        if action.id in first:
            message = f"The id `{shown(action.id)}` is taken by line {first[action.id].line}; this action does not run."
            findings.add("HB302", action.line, 1, message, "Give each action an id of its own.")
            action = replace(action, unclear=action.unclear or "its id stands twice")
        first.setdefault(action.id, action)
        result.append(action)
    found = circles({action.id: action.depends_on for action in first.values()})
    for circle in found:
        for name in circle:
            message = (
                f"`{shown(name)}` depends on itself, through {', '.join(shown(other, 20) for other in circle[:6])}."
            )
            mend = "Remove one of these dependencies; none of them runs until then."
            findings.add("HB314", first[name].line, 1, message, mend)
    some_ids = list(first)[:200]
    for action in result:
        for wanted in action.depends_on:
            if wanted not in first:
                message = f"It depends on `{shown(wanted)}`, which is not there."
                close = findings.nearest(wanted, some_ids)
                mend = f"Did you mean `{close}`?" if close else "Check the id, or remove the dependency."
                findings.add("HB311", action.line, 1, message, mend)
    if any(action.condition for action in result):
        result = _with_conditions(result, first, findings)
    stuck = {name for circle in found for name in circle}
    return [replace(a, unclear=a.unclear or "its dependencies form a circle") if a.id in stuck else a for a in result]


def _with_conditions(actions: list[Action], first: Mapping[str, Action], findings: Findings) -> list[Action]:
    """The actions, unclear where a condition is not understood beside the others."""
    from core.rules.conditions import names_beside, problem_with  # its parser costs 5 ms; most files have no use for it

    names = names_beside(first)
    result: list[Action] = []
    for action in actions:
        holds_id = first[action.id] is action
        problem = problem_with(action.condition, names) if action.condition and holds_id else None
        if problem:
            line = next(field.line for field in action.fields if field.key == "condition")
            findings.add("HB318", line, 1, problem.message, problem.hint or CODES["HB318"].mend)
            action = replace(action, unclear=action.unclear or problem.message.rstrip("."))
        result.append(action)
    return result
