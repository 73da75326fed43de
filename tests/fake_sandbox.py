"""A harmless twin of the sandbox: walls without a house."""

from collections.abc import Mapping
from datetime import timedelta

from core.model.process import Command, Ending, How
from core.model.sandbox import Reach, SandboxEnding, SandboxState
from core.ports import Cancellation
from core.rules.permitting.tags import reach_problem
from tests.fake_processes import Behaviour, FakeProcesses


class FakeSandbox:
    """Plays the behaviour of each command line, and refuses the hosts that it was told to."""

    def __init__(self, behaviours: Mapping[str, Behaviour] | None = None) -> None:
        self.processes = FakeProcesses(behaviours)
        self.reaches: list[Reach] = []  # of the commands that were started
        self.refuses: tuple[str, ...] = ()
        self.current_state = SandboxState(works=True)
        self.probed = 0

    def state(self) -> SandboxState:
        self.probed += 1
        return self.current_state

    def run(self, command: Command, reach: Reach, cancelled: Cancellation | None = None) -> SandboxEnding:
        problem = reach_problem(reach)
        if problem or not self.current_state.works:
            words = problem.message if problem else self.current_state.reason
            return SandboxEnding(Ending(How.COULD_NOT_START, None, words, False, timedelta()))
        ending = self.processes.run(command, cancelled)
        self.reaches.append(reach)
        return SandboxEnding(ending, self.refuses if ending.how is How.EXITED else ())
