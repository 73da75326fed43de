"""The model's shell. Like a gate it runs only in the sandbox, with the access that the granted
tags give."""

from datetime import timedelta

from core.agent.arguments import Arguments, Text
from core.agent.own_tool import own_tool
from core.agent.taint import as_data
from core.agent.tool import Effect, Record, Tool, ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.model.diagnostic import Problem
from core.model.document import Gate
from core.model.evidence import Touched
from core.model.process import Command, How
from core.model.sandbox import Reach, SandboxEnding
from core.model.tags import NETWORK, READ, SEND_AFTER_READING, SHELL, WRITE
from core.rules.approving.tags import gate_reach
from core.rules.checking.touching import is_pattern, looks_at_nothing, words_of
from core.rules.timing.durations import duration_words

TIME_LIMIT = timedelta(minutes=2)


class RunCommand(Arguments):
    command: Text


def command_tools(world: ToolWorld, _record: Record) -> tuple[Tool, ...]:
    return (
        own_tool(
            RunCommand,
            lambda given: _run(world, given.command),
            name="run_command",
            description="Run a shell line in the workspace, sandboxed.",
            permission=SHELL,
            reads_outside=True,
            effect=Effect.WORK,
            # Any file may be written by it; the words that name files count as touched.
            touches=lambda given: _touched(given.command),
        ),
    )


def _touched(line: str) -> Touched:
    words = words_of(line)
    patterns = tuple(word for word in words if is_pattern(word))
    paths = tuple(word for word in words if word not in patterns)

    return Touched(not looks_at_nothing(line), paths, writes=None, patterns=patterns)


def _run(world: ToolWorld, line: str) -> str:
    state = world.sandbox.state()
    if not state.works:
        raise ToolRefusedError(f"Commands cannot be run: {state.reason} {state.fix}".strip())

    reach = command_reach(world)
    if isinstance(reach, Problem):
        raise ToolRefusedError(f"{reach.message} {reach.hint}")

    done = world.sandbox.run(Command(line, world.root, TIME_LIMIT), reach, world.cancelled)
    if done.ending.how is How.COULD_NOT_START:
        raise ToolRefusedError(f"The command could not be started: {done.ending.output.strip()}")

    return "\n".join([*_outcome(done), as_data("run_command", done.ending.output.strip())])


def command_reach(world: ToolWorld) -> Reach | Problem:
    """What a command may access. It can read and send within one call, so it has a network only if
    sending after reading is granted."""
    granted = world.settings.agent.permissions
    folders = tuple(tag for tag in granted if tag.startswith((READ, WRITE)))
    may_send = NETWORK in granted and SEND_AFTER_READING in granted
    domains = world.settings.agent.allowed_domains if may_send else ()
    gate = Gate("", None, TIME_LIMIT, {}, folders, domains)

    return gate_reach(gate, granted, world.root, world.home, world.protected, world.hidden)


def _outcome(done: SandboxEnding) -> list[str]:
    """How the command ended, and what the sandbox kept it from."""
    endings = {
        How.EXITED: f"exit code {done.ending.exit_code}",
        How.TIMED_OUT: f"ended: it took longer than {duration_words(TIME_LIMIT)}",
        How.CANCELLED: "ended: the beat is being stopped",
    }
    lines = [endings[done.ending.how]]
    if done.refused_hosts:
        lines.append(f"not reached, because not allowed: {', '.join(done.refused_hosts)}")
    if done.kept_out:
        lines.append(f"not kept, because it controls Heartbeat: {', '.join(done.kept_out)}")

    return lines
