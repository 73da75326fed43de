"""The model's shell: in the sandbox or not at all, with what the granted tags open, as for a gate."""

from datetime import timedelta

from core.agent.built_in import TEXT, BuiltIn, RefusedError
from core.agent.ground import Ground
from core.agent.outside import as_data
from core.model.diagnostic import Problem
from core.model.document import Gate
from core.model.process import Command, How
from core.model.sandbox import Reach, SandboxEnding
from core.rules.permitting.known_tags import NETWORK, READ, SEND_AFTER_READING, SHELL, WRITE
from core.rules.permitting.tags import gate_reach
from core.rules.timing.durations import duration_words

TIME_LIMIT = timedelta(minutes=2)


def command_tools(ground: Ground) -> tuple[BuiltIn, ...]:
    return (
        BuiltIn(
            "run_command",
            "Run a shell line in the workspace, sandboxed.",
            {"command": TEXT},
            SHELL,
            lambda given: _run(ground, given["command"]),
        ),
    )


def _run(ground: Ground, line: str) -> str:
    state = ground.sandbox.state()
    if not state.works:
        raise RefusedError(f"Commands cannot be run: {state.reason} {state.mend}".strip())
    reach = command_reach(ground)
    if isinstance(reach, Problem):
        raise RefusedError(f"{reach.message} {reach.hint}")
    done = ground.sandbox.run(Command(line, ground.root, TIME_LIMIT), reach, ground.cancelled)
    if done.ending.how is How.COULD_NOT_START:
        raise RefusedError(f"The command could not be started: {done.ending.output.strip()}")
    return "\n".join([*_endings(done), as_data("run_command", done.ending.output.strip())])


def command_reach(ground: Ground) -> Reach | Problem:
    """A command can read and send in one breath, so it has a network only where sending after reading is granted."""
    granted = ground.settings.agent.permissions
    folders = tuple(tag for tag in granted if tag.startswith((READ, WRITE)))
    may_send = NETWORK in granted and SEND_AFTER_READING in granted
    domains = ground.settings.agent.allowed_domains if may_send else ()
    gate = Gate("", None, TIME_LIMIT, {}, folders, domains)
    return gate_reach(gate, granted, ground.root, ground.home, ground.protected, ground.hidden)


def _endings(done: SandboxEnding) -> list[str]:
    how = {
        How.EXITED: f"exit code {done.ending.exit_code}",
        How.TIMED_OUT: f"ended: it took longer than {duration_words(TIME_LIMIT)}",
        How.CANCELLED: "ended: the beat is being stopped",
    }[done.ending.how]
    refused = [f"not reached, as it is not allowed: {', '.join(done.refused_hosts)}"] if done.refused_hosts else []
    kept = [f"not kept, as it steers Heartbeat: {', '.join(done.kept_out)}"] if done.kept_out else []
    return [how, *refused, *kept]
