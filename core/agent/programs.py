"""Works through a batch with an agent that is a program, such as `claude`.

The program has its own login and its own loop. It gets the prompt on standard input and the tools
of this batch through `heartbeat mcp --batch`.
"""

import json
from typing import assert_never

from core.agent.choose import ProgramAccess
from core.agent.mcp.tool_socket import ToolServer
from core.agent.tool import Toolbox
from core.model.agent import BatchEnding, BatchResult, Limits
from core.model.diagnostic import Problem
from core.model.light_dataclass import replace
from core.model.process import How, ProgramCall, ProgramEnding
from core.ports.processes import AgentPrograms, Cancellation
from core.rules.own_command import own_command
from core.rules.printable import one_line
from core.rules.providers.record import Job, Program, ProgramAnswer
from core.rules.redacting import without_tokens

LONGEST_TEXT = 4000  # characters


def work_by_program(
    programs: AgentPrograms,
    access: ProgramAccess,
    prompt: str,
    toolbox: Toolbox,
    limits: Limits,
    cancelled: Cancellation,
) -> BatchResult:
    """Let the program work through the batch. Nothing is raised: each way to end is a value."""
    agent = access.program
    with ToolServer(toolbox) as server:
        tools = own_command("tray_app.cli", "mcp", "--batch", server.address)
        job = Job(access.choice.model, tuple(tools), limits)
        ending = programs.run(_call(agent, job, prompt), cancelled)

    return _result(agent, ending, toolbox.recorded())


def _call(agent: Program, job: Job, prompt: str) -> ProgramCall:
    files = {}
    if settings := agent.settings(job):
        name, content = settings
        files[name] = json.dumps(content)

    words = (agent.program, *agent.arguments(job))
    return ProgramCall(words, prompt, job.limits.time, agent.environment, files)


def _result(agent: Program, ending: ProgramEnding, recorded: BatchResult) -> BatchResult:
    match ending.how:
        case How.EXITED:
            return _with_answer(agent, ending, recorded)
        case How.COULD_NOT_START:
            reason = Problem(ending.output, "")
            return replace(recorded, ending=BatchEnding.UNREACHABLE, problem=reason)
        case How.CANCELLED:
            return replace(recorded, ending=BatchEnding.CANCELLED)
        case How.TIMED_OUT:
            over_time = Problem(f"{agent.program} used up its time and was stopped.", "")
            return replace(recorded, ending=BatchEnding.OUT_OF_BUDGET, problem=over_time)
        case other:
            assert_never(other)


def _with_answer(agent: Program, ending: ProgramEnding, recorded: BatchResult) -> BatchResult:
    answer = _answer(agent, ending)
    if answer.problem is None:
        return replace(
            recorded,
            ending=BatchEnding.FINISHED,
            text=answer.text[:LONGEST_TEXT],
            usage=answer.usage,
        )

    how = BatchEnding.OUT_OF_BUDGET if answer.is_over_budget else BatchEnding.UNREACHABLE
    reason = answer.problem.full_text or "it does not say why it failed"
    words = one_line(without_tokens(f"{agent.program}: {reason}"), 300)
    return replace(recorded, ending=how, usage=answer.usage, problem=Problem(words, ""))


def _answer(agent: Program, ending: ProgramEnding) -> ProgramAnswer:
    try:
        return agent.read(ending.output)
    except (ValueError, KeyError, TypeError, AttributeError):
        output = ending.error_output[-LONGEST_TEXT:] or ending.output
        said = one_line(without_tokens(output)) or "nothing"
        words = f"it ended with exit code {ending.exit_code} and said {said}"
        return ProgramAnswer(problem=Problem(words, ""))
