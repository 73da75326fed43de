"""Makes a tool of ours from a model of what it takes.

In a file of its own: where no model is asked, nothing needs pydantic.
"""

from collections.abc import Callable, Mapping
from typing import Any

from core.agent.arguments import Taken, read_arguments, schema_of
from core.agent.tool import Effect, Tool, ToolRefusedError
from core.model.diagnostic import Problem
from core.model.evidence import TOUCHED_NOTHING, Touched


def own_tool(
    takes: type[Taken],
    run: Callable[[Taken], str],
    *,
    name: str,
    description: str,
    permission: str,
    reads_outside: bool,
    effect: Effect,
    touches: Callable[[Taken], Touched],
) -> Tool:
    """A tool of ours, whose arguments are checked against a model before it runs."""

    def check_and_run(given: Mapping[str, Any]) -> str:
        arguments = read_arguments(takes, given)
        if isinstance(arguments, Problem):
            raise ToolRefusedError(f"{arguments.message} {arguments.hint}")

        return run(arguments)

    def touched(given: Mapping[str, Any]) -> Touched:
        arguments = read_arguments(takes, given)
        return TOUCHED_NOTHING if isinstance(arguments, Problem) else touches(arguments)

    return Tool(
        name=name,
        description=description,
        parameters=schema_of(takes),
        permission=permission,
        reads_outside=reads_outside,
        effect=effect,
        touches=touched,
        run=check_and_run,
    )
