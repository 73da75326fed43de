"""`shell`: what it takes, what an approval of it covers, and how a command's ending is told."""

from datetime import timedelta
from pathlib import Path

import pytest

from core.actions.runnable import Call, Done
from core.actions.shell import SHELL, after_command
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.action_type import Params
from core.model.approval import Candidate, ReviewState
from core.model.errors import HeartbeatError
from core.model.occurrence import Outcome
from core.model.process import Command, Ending, How
from core.model.sandbox import Reach, SandboxState
from tests.fakes.files import FakeFiles
from tests.fakes.outside import no_secret
from tests.fakes.processes import FakeProcesses, FakeSandbox
from tests.fakes.world import FakeWorld
from tests.unit.actions.written_action import (
    NOW,
    action,
    call,
    codes,
    executables,
    reach,
    state_after_change,
)

ROOT = Path("/workspace")
MINUTE = timedelta(minutes=1)


class Ground:
    """A world with commands outside the sandbox and others inside it."""

    def __init__(self) -> None:
        self.processes = FakeProcesses()
        self.inside = FakeProcesses()
        self.sandbox = FakeSandbox(self.inside)
        self.files = FakeFiles()
        self.cancelled = CancelSwitch()
        self.world = FakeWorld(
            root=ROOT,
            processes=self.processes,
            sandbox=self.sandbox,
            files=self.files,
            cancelled=self.cancelled,
            protected=(ROOT / "history",),
            hidden=(Path("/home/ann/state"),),
        )

    def run(self, one: Call) -> Done:
        return SHELL.run(self.world, one)

    def run_params(self, params: Params) -> Done:
        return self.run(call(SHELL, params))


@pytest.fixture
def ground() -> Ground:
    return Ground()


# -- how it is written -----------------------------------------------------------------------------


def test_it_takes_a_command_a_folder_and_variables() -> None:
    lines = "type: shell\ncommand: `make all`\nworking_dir: jobs\nenv:\n  LEVEL: 1\n  MODE: fast"
    assert codes(lines) == []
    assert action(lines).params == {
        "command": "make all",
        "working_dir": "jobs",
        "env": {"LEVEL": "1", "MODE": "fast"},
    }


def test_a_command_is_enough_to_make_it_a_shell_action() -> None:
    assert action("command: make").type is SHELL
    assert codes("command: make") == []


@pytest.mark.parametrize("lines", ["type: shell", "type: shell\ncommand:", "type: shell\nenv:"])
def test_without_a_command_it_cannot_run(lines: str) -> None:
    assert "HB304" in codes(lines)
    assert "`command`" in str(action(lines).unclear)


def test_only_the_command_is_required() -> None:
    assert SHELL.missing({"working_dir": "jobs", "env": {"A": "1"}}) == ("command",)
    assert SHELL.missing({"command": "make"}) == ()


def test_a_key_of_another_type_means_nothing_to_it() -> None:
    assert codes("type: shell\ncommand: make\ncontent: x") == ["HB308"]


def test_a_person_reads_which_command_it_runs() -> None:
    assert SHELL.summary({"command": "make all"}) == "runs `make all`"


# -- what an approval covers -----------------------------------------------------------------------

WRITTEN = """
type: shell
command: sh tidy
working_dir: jobs
env:
  LEVEL: 1
sandbox: false
timeout: 1m
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("command: sh tidy", "command: sh tidy --all"),
        ("working_dir: jobs", "working_dir: other"),
        ("working_dir: jobs\n", ""),
        ("LEVEL: 1", "LEVEL: 2"),
        ("LEVEL: 1", "LEVELS: 1"),
        ("LEVEL: 1", "LEVEL: 1\n  PATH: bin"),
        ("sandbox: false", "sandbox: true"),
    ],
)
def test_it_waits_again_when_what_it_executes_has_changed(old: str, new: str) -> None:
    assert old in WRITTEN
    assert state_after_change(WRITTEN, WRITTEN.replace(old, new)) is ReviewState.CHANGED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout: 1m", "timeout: 1h"),
        ("timeout: 1m", "schedule: daily:09:00\nretry: 3\ncondition: any_failed"),
    ],
)
def test_it_stays_approved_when_only_the_time_of_it_has_changed(old: str, new: str) -> None:
    assert old in WRITTEN
    assert state_after_change(WRITTEN, WRITTEN.replace(old, new)) is ReviewState.APPROVED


def test_it_waits_again_when_a_script_that_it_names_has_changed() -> None:
    state = state_after_change(
        WRITTEN,
        WRITTEN,
        scripts_before={"jobs/tidy": "ls", "tidy": "ls"},
        scripts_after={"jobs/tidy": "rm *", "tidy": "ls"},
    )
    assert state is ReviewState.SCRIPT_CHANGED


def test_a_script_of_the_same_name_in_another_folder_is_not_its_own() -> None:
    state = state_after_change(
        WRITTEN,
        WRITTEN,
        scripts_before={"jobs/tidy": "ls", "tidy": "ls"},
        scripts_after={"jobs/tidy": "ls", "tidy": "rm *"},
    )
    assert state is ReviewState.APPROVED


def test_its_scripts_are_looked_for_in_the_folder_in_which_it_starts() -> None:
    assert Candidate("tidy", True) in SHELL.candidates({"command": "sh tidy"})
    elsewhere = SHELL.candidates({"command": "sh tidy", "working_dir": "jobs"})
    assert Candidate("jobs/tidy", True) in elsewhere
    assert Candidate("tidy", True) not in elsewhere


@pytest.mark.parametrize("params", [{"command": "true"}, {"command": "true", "env": {"A": "1"}}])
def test_every_command_needs_an_approval(params: Params) -> None:
    assert SHELL.needs_approval(params)


def test_the_command_is_what_a_shell_runs() -> None:
    (one,) = executables(WRITTEN)
    assert one.commands == ("sh tidy",)


# -- what a person is told about its reach ---------------------------------------------------------


def test_without_a_sandbox_it_runs_as_the_person_in_the_workspace() -> None:
    assert reach("command: make") == (
        "starts in the workspace",
        "runs as you, outside the sandbox: it reaches your files and the network",
    )


def test_in_the_sandbox_it_reaches_the_workspace_and_no_network() -> None:
    assert reach("command: make\nworking_dir: jobs\nsandbox: true") == (
        "starts in jobs",
        "runs in the sandbox: it reaches the workspace and no network",
    )


def test_a_folder_that_is_known_only_when_it_runs_is_pointed_out() -> None:
    assert reach("command: sh run\nworking_dir: jobs/{{weekday}}")[0] == (
        "starts in jobs/{{weekday}}; that folder is known only when it runs, and scripts in it "
        "are not part of the approval"
    )


# -- how it runs -----------------------------------------------------------------------------------


def test_it_starts_in_the_workspace_with_its_own_timeout(ground: Ground) -> None:
    ground.run(call(SHELL, {"command": "make"}, timeout=MINUTE))
    assert ground.processes.started == [Command("make", ROOT, MINUTE, {})]


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("first\nlast\n", "last"),
        ("only", "only"),
        ("last\n\n  \n", "last"),
        ("", "OK"),
        ("\n \n", "OK"),
    ],
)
def test_its_result_is_the_last_line_that_it_printed(
    ground: Ground, printed: str, result: str
) -> None:
    ground.processes.prints["make"] = printed
    assert ground.run_params({"command": "make"}) == Done(Outcome.COMPLETED, result)


@pytest.mark.parametrize("code", [1, 2, 126, 127, 137, 255])
def test_it_failed_when_the_exit_code_is_not_0(ground: Ground, code: int) -> None:
    ground.processes.endings["make"] = code
    ground.processes.prints["make"] = "building\nno space left\n"
    done = ground.run_params({"command": "make"})

    assert (done.outcome, done.result) == (Outcome.FAILED, "")
    assert done.error == f"exit code {code}: no space left"


def test_an_exit_code_without_a_word_is_told_alone(ground: Ground) -> None:
    ground.processes.endings["make"] = 3
    ground.processes.prints["make"] = ""
    assert ground.run_params({"command": "make"}).error == "exit code 3"


def test_failures_with_other_codes_or_other_last_lines_are_told_apart(ground: Ground) -> None:
    causes = set()
    for code, printed in ((1, "a"), (2, "a"), (2, "b")):
        ground.processes.endings["make"] = code
        ground.processes.prints["make"] = printed
        causes.add(ground.run_params({"command": "make"}).cause)

    assert len(causes) == 3


def test_it_failed_when_the_timeout_is_over(ground: Ground) -> None:
    ground.processes.takes["make"] = timedelta(hours=1)
    done = ground.run(call(SHELL, {"command": "make"}, timeout=timedelta(seconds=90)))

    assert done.outcome is Outcome.FAILED
    assert done.error == "it took longer than 1 min 30 s and was stopped"
    assert done.cause[0] == How.TIMED_OUT


def test_what_is_cancelled_was_interrupted_and_has_not_failed(ground: Ground) -> None:
    ground.processes.meanwhile = lambda _: ground.cancelled.set()
    done = ground.run_params({"command": "make"})

    assert len(ground.processes.started) == 1
    assert done.outcome is Outcome.INTERRUPTED
    assert done.error == "it was stopped before it finished"


def test_it_failed_when_it_could_not_be_started(ground: Ground) -> None:
    ground.processes.has_folder = lambda _: False
    done = ground.run_params({"command": "make"})

    assert done.outcome is Outcome.FAILED
    assert done.error == "it could not be started: The fake could not start the command."


def test_a_command_that_could_not_start_and_says_nothing_is_told_without_a_reason() -> None:
    ending = Ending(How.COULD_NOT_START, None, "", timedelta())
    assert after_command(ending, MINUTE).error == "it could not be started"


# -- its folder ------------------------------------------------------------------------------------


def test_it_starts_in_its_working_dir(ground: Ground) -> None:
    ground.files.folders.add("jobs")
    ground.run_params({"command": "make", "working_dir": "jobs"})
    assert [one.folder for one in ground.processes.started] == [ROOT / "jobs"]


def test_a_working_dir_may_have_variables(ground: Ground) -> None:
    ground.files.folders.add("jobs/2026-11-16")
    params = {"command": "make", "working_dir": "jobs/{{date}}"}
    ground.run(call(SHELL, params, values={"date": "2026-11-16"}))
    assert [one.folder for one in ground.processes.started] == [ROOT / "jobs/2026-11-16"]


def test_a_working_dir_that_is_not_a_folder_of_the_workspace_starts_nothing(
    ground: Ground,
) -> None:
    done = ground.run_params({"command": "make", "working_dir": "../elsewhere"})

    assert done.outcome is Outcome.FAILED
    assert done.error == "its working_dir is not a folder of the workspace"
    assert done.cause == ("working_dir", "../elsewhere")
    assert ground.processes.started == []


# -- its variables ---------------------------------------------------------------------------------


def test_it_gets_its_env_with_the_values_of_variables(ground: Ground) -> None:
    params: Params = {"command": "make", "env": {"LEVEL": "1", "TOKEN": "x-{{secret:pin}}"}}
    ground.run(call(SHELL, params, values={"secret:pin": "1234"}))
    assert [one.environment for one in ground.processes.started] == [
        {"LEVEL": "1", "TOKEN": "x-1234"}
    ]


@pytest.mark.parametrize(
    ("line", "as_run"),
    [
        ("say {{last_error}}", 'say "${HEARTBEAT_LAST_ERROR}"'),
        ('say "it: {{last_error}}"', 'say "it: ${HEARTBEAT_LAST_ERROR}"'),
        ("say 'it: {{last_error}}'", "say 'it: '\"${HEARTBEAT_LAST_ERROR}\"''"),
    ],
)
def test_the_value_of_a_variable_is_one_quoted_word_and_never_code(
    ground: Ground, line: str, as_run: str
) -> None:
    hostile = "x; rm -rf ~ $(id)"
    ground.run(call(SHELL, {"command": line}, values={"last_error": hostile}))

    (command,) = ground.processes.started
    assert command.line == as_run
    assert command.environment == {"HEARTBEAT_LAST_ERROR": hostile}


def test_env_cannot_replace_the_value_of_a_variable(ground: Ground) -> None:
    params: Params = {"command": "say {{date}}", "env": {"HEARTBEAT_DATE": "never"}}
    ground.run(call(SHELL, params, values={"date": "2026-11-16"}))
    assert [one.environment for one in ground.processes.started] == [
        {"HEARTBEAT_DATE": "2026-11-16"}
    ]


@pytest.mark.parametrize(
    "params",
    [{"command": "say {{secret:pin}}"}, {"command": "say", "env": {"A": "{{secret:pin}}"}}],
)
def test_nothing_starts_when_the_keyring_does_not_give_a_secret(
    ground: Ground, params: Params
) -> None:
    written = call(SHELL, params).action
    with pytest.raises(HeartbeatError):
        ground.run(Call(written, 1, NOW, no_secret))

    assert ground.processes.started == []


# -- in the sandbox --------------------------------------------------------------------------------


def test_in_the_sandbox_it_gets_the_workspace_without_control_files_and_network(
    ground: Ground,
) -> None:
    params: Params = {"command": "make", "env": {"A": "1"}}
    done = ground.run(call(SHELL, params, sandbox=True, timeout=MINUTE))

    assert done == Done(Outcome.COMPLETED, "did make")
    assert ground.inside.started == [Command("make", ROOT, MINUTE, {"A": "1"})]
    assert ground.processes.started == []
    assert ground.sandbox.reaches == [
        Reach(
            ROOT,
            workspace_writable=True,
            writable=(),
            readable=(),
            domains=(),
            protected=(ROOT / "history",),
            hidden=(Path("/home/ann/state"),),
        )
    ]


def test_where_no_sandbox_works_it_runs_nowhere(ground: Ground) -> None:
    ground.sandbox.current_state = SandboxState(works=False, reason="bwrap is not installed")
    done = ground.run(call(SHELL, {"command": "make"}, sandbox=True))

    assert done.outcome is Outcome.FAILED
    assert done.error == "it asks for a sandbox, and none works here: bwrap is not installed"
    assert (ground.inside.started, ground.processes.started) == ([], [])


def test_without_sandbox_none_is_asked_for(ground: Ground) -> None:
    ground.sandbox.current_state = SandboxState(works=False, reason="bwrap is not installed")
    assert ground.run_params({"command": "make"}).outcome is Outcome.COMPLETED
    assert ground.sandbox.probed == 0


def test_in_the_sandbox_it_ends_in_the_same_ways(ground: Ground) -> None:
    one = call(SHELL, {"command": "make"}, sandbox=True, timeout=MINUTE)
    ground.inside.endings["make"] = 3
    assert ground.run(one).error == "exit code 3: did make"

    ground.inside.takes["make"] = timedelta(hours=1)
    assert ground.run(one).error == "it took longer than 1 min and was stopped"

    ground.cancelled.set()
    assert ground.run(one).outcome is Outcome.INTERRUPTED
