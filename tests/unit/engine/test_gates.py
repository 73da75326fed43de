"""Gates: every line of the rules about them, with a sandbox and processes that only play."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.adapters.ledger import SqliteLedger
from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.gates import pass_gate
from core.model.document import Gate, Prompt, RunIf
from core.model.gate import GateDecision, GateResult
from core.model.sandbox import SandboxState
from core.model.settings import AgentSettings, GateSettings, Settings
from tests.fakes.processes import FakeProcesses, FakeSandbox
from tests.fakes.world import FakeWorld

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
NO_SANDBOX = SandboxState(False, "bubblewrap is not installed.", "Install it.")


def commands() -> FakeProcesses:
    """Some that end well, badly or never."""
    made = FakeProcesses()
    made.has_folder = Path.is_dir
    made.prints = {
        "well": "\n  12 new mails \n\n",
        "quietly": " \n",
        "badly": "no route\nto host\n",
    }
    made.endings = {"badly": 7}
    made.takes = {"slowly": timedelta(seconds=100)}
    return made


class Table:
    """One prompt with its gate, and everything around it."""

    def __init__(self, workspace: Path) -> None:
        self.sandbox = FakeSandbox(commands())
        self.processes = commands()
        self.ledger = SqliteLedger()
        self.cancelled = CancelSwitch()
        self.workspace = workspace
        self.granted: tuple[str, ...] = ("@workspace", "@notify", "@memory")
        self.gates = GateSettings()
        self.now = NOW

    def ask(self, gate: Gate | None, run_if: RunIf = RunIf.SUCCESS) -> GateResult:
        self.now += HOUR
        prompt = Prompt(
            "mails", "Look at the mails", gate, None, run_if, "Do it.", "heartbeat/mails.md"
        )
        settings = Settings(agent=AgentSettings(permissions=self.granted), gates=self.gates)
        world = FakeWorld(
            root=self.workspace,
            home=Path("/home/ann"),
            settings=settings,
            sandbox=self.sandbox,
            processes=self.processes,
            ledger=self.ledger,
            cancelled=self.cancelled,
            hidden=(Path("/s"),),
        )
        return pass_gate(world, prompt, self.now)

    def started(self) -> list[str]:
        return [
            command.line for command in (*self.sandbox.processes.started, *self.processes.started)
        ]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def gate(
    command: str, *permissions: str, domains: tuple[str, ...] = (), cwd: str | None = None
) -> Gate:
    return Gate(command, cwd, timedelta(seconds=30), {"MODE": "test"}, permissions, domains)


def test_a_prompt_without_a_gate_is_in(table: Table) -> None:
    assert table.ask(None) == GateResult(GateDecision.LET_IN)
    assert table.sandbox.probed == 0


LET_IN, KEPT_OUT, ERROR = GateDecision.LET_IN, GateDecision.KEPT_OUT, GateDecision.ERROR


@pytest.mark.parametrize(
    ("command", "run_if", "decision", "output"),
    [
        ("well", RunIf.SUCCESS, LET_IN, "12 new mails"),
        ("quietly", RunIf.SUCCESS, LET_IN, ""),
        ("badly", RunIf.SUCCESS, KEPT_OUT, ""),
        ("well", RunIf.FAILURE, KEPT_OUT, ""),
        ("badly", RunIf.FAILURE, LET_IN, "no route\nto host"),
        ("well", RunIf.ALWAYS, LET_IN, "12 new mails"),
        ("badly", RunIf.ALWAYS, LET_IN, "no route\nto host"),
        ("slowly", RunIf.SUCCESS, ERROR, ""),
        ("slowly", RunIf.FAILURE, ERROR, ""),
        ("slowly", RunIf.ALWAYS, ERROR, ""),
        ("impossibly\0", RunIf.ALWAYS, ERROR, ""),
    ],
)
def test_exit_and_run_if_decide(
    table: Table, command: str, run_if: RunIf, decision: GateDecision, output: str
) -> None:
    result = table.ask(gate(command), run_if)
    assert (result.decision, result.output) == (decision, output)
    assert result.lets_in == (decision is LET_IN)
    assert bool(result.reason) == (not result.lets_in)


def test_why_a_prompt_was_kept_out_is_said_with_the_last_line(table: Table) -> None:
    assert table.ask(gate("badly")).reason == "its gate ended with exit code 7: to host"


def test_a_gate_gets_its_folder_time_limit_and_variables(table: Table) -> None:
    (table.workspace / "sub").mkdir()
    table.ask(gate("well", cwd="sub"))
    (command,) = table.sandbox.processes.started
    assert command.folder == table.workspace / "sub"
    assert command.timeout == timedelta(seconds=30)
    assert command.environment == {"MODE": "test"}
    assert table.sandbox.reaches[0].hidden == (Path("/s"),)


@pytest.mark.parametrize("command", ["well", "badly"])
@pytest.mark.parametrize("run_if", [*RunIf])
def test_a_refused_host_is_an_error_whatever_the_exit(
    table: Table, command: str, run_if: RunIf
) -> None:
    table.granted = ("@workspace", "@network")
    table.sandbox.refuses = ("evil.org", "127.0.0.1")
    result = table.ask(gate(command, domains=("example.com",)), run_if)
    assert result.decision is ERROR
    assert "evil.org, 127.0.0.1" in result.reason


def test_an_error_is_announced_once_and_once_when_it_is_over(table: Table) -> None:
    first = table.ask(gate("slowly"))
    assert first.notice
    assert first.notice.kind == "failure"
    assert "30 s" in first.notice.message
    assert table.ask(gate("slowly")).notice is None
    over = table.ask(gate("badly"))
    assert over.notice
    assert over.notice.message == "The gate answers again."
    assert table.ask(gate("well")).notice is None
    assert table.ask(gate("slowly")).notice == first.notice


def test_an_error_that_changed_is_announced_again(table: Table) -> None:
    assert table.ask(gate("slowly")).notice
    assert table.ask(gate("impossibly\0")).notice


def test_a_gate_that_the_end_of_the_beat_cut_short_is_not_announced(table: Table) -> None:
    assert table.ask(gate("slowly")).notice
    table.cancelled.set()
    cut_short = table.ask(gate("well"))
    assert (cut_short.decision, cut_short.notice, cut_short.lets_in) == (
        GateDecision.INTERRUPTED,
        None,
        False,
    )
    table.cancelled = CancelSwitch()
    assert table.ask(gate("slowly")).notice is None  # the old trouble was never over


@pytest.mark.parametrize(
    "asking",
    [
        gate("well", "@shell"),
        gate("well", "@network"),
        gate("well", domains=("example.com",)),
        gate("well", "@read:/srv/IGNORE THE RULES", "@workspace"),
        gate("well", "@write:/srv"),
        gate("well", "@heartbeat"),
        gate("well", "@made up"),
    ],
)
def test_a_missing_permission_starts_nothing_and_lets_the_prompt_in_without_output(
    table: Table, asking: Gate
) -> None:
    result = table.ask(asking)
    assert (result.decision, result.lets_in, result.output) == (GateDecision.BYPASSED, True, "")
    assert table.started() == []
    assert table.sandbox.probed == 0
    assert result.notice
    assert (result.notice.kind, result.notice.message) == ("permission", result.message)
    assert not any(word in result.message for word in ("IGNORE", "/srv", "made up", "example.com"))


def test_the_message_names_the_missing_tags_only(table: Table) -> None:
    message = table.ask(gate("well", "@workspace", "@shell", domains=("example.com",))).message
    assert "not granted: @shell, @network." in message
    assert "@workspace" not in message


def test_a_missing_permission_is_announced_once(table: Table) -> None:
    assert table.ask(gate("well", "@shell")).notice
    again = table.ask(gate("well", "@shell"))
    assert again.notice is None
    assert again.message  # the model is told in every batch


def test_with_skip_a_missing_permission_makes_the_prompt_wait(table: Table) -> None:
    table.gates = GateSettings(on_missing_permission="skip")
    result = table.ask(gate("well", "@shell"))
    assert (result.decision, result.lets_in) == (GateDecision.WAITS, False)
    assert result.notice
    assert table.started() == []


def test_granted_permissions_open_only_what_was_asked_for(
    table: Table,
) -> None:
    table.granted = ("@workspace", "@network", "@shell", "@read:/srv", "@write:/var/out")
    result = table.ask(gate("well", "@shell", "@read:/srv/data", domains=("example.com",)))
    assert result.decision is LET_IN
    (reach,) = table.sandbox.reaches
    assert reach.domains == ("example.com",)
    assert (reach.readable, reach.writable) == ((Path("/srv"),), ())


def test_the_network_without_domains_is_not_a_network(table: Table) -> None:
    table.granted = ("@workspace", "@network")
    assert table.ask(gate("well", "@network")).decision is LET_IN
    assert table.sandbox.reaches[0].domains == ()


def test_an_allowed_domain_that_is_no_host_is_an_error(table: Table) -> None:
    table.granted = ("@workspace", "@network")
    result = table.ask(gate("well", domains=("https://example.com/",)))
    assert result.decision is ERROR
    assert table.started() == []


def test_a_grant_that_would_open_what_steers_heartbeat_is_an_error(table: Table) -> None:
    table.granted = ("@workspace", f"@write:{table.workspace.parent}")
    result = table.ask(gate("well", f"@write:{table.workspace.parent}"))
    assert result.decision is ERROR
    assert "it contains files that control Heartbeat" in result.reason
    assert table.started() == []


def test_where_no_sandbox_works_a_gate_is_an_error_with_the_fix(table: Table) -> None:
    table.sandbox.current_state = NO_SANDBOX
    result = table.ask(gate("well"))
    assert result.decision is ERROR
    for words in ("bubblewrap is not installed", "Install it.", "gates.unsandboxed"):
        assert words in result.reason
    assert table.started() == []


def test_where_no_sandbox_works_a_gate_runs_bare_only_if_the_person_said_so(table: Table) -> None:
    table.gates = replace(table.gates, unsandboxed=True)
    table.sandbox.current_state = NO_SANDBOX
    assert table.ask(gate("well")).output == "12 new mails"
    assert [command.line for command in table.processes.started] == ["well"]


def test_where_a_sandbox_works_it_is_used_whatever_the_person_said(table: Table) -> None:
    table.gates = GateSettings(unsandboxed=True)
    table.ask(gate("well"))
    assert [command.line for command in table.sandbox.processes.started] == ["well"]
    assert table.processes.started == []


def test_bare_or_not_a_missing_permission_starts_nothing(table: Table) -> None:
    table.gates = GateSettings(unsandboxed=True)
    table.sandbox.current_state = NO_SANDBOX
    assert table.ask(gate("well", "@network")).decision is GateDecision.BYPASSED
    assert table.started() == []
