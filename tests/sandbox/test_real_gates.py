"""Gates as a beat meets them: a prompt file as a person writes it, a real sandbox, a real
server, a real ledger."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.ledger import SqliteLedger
from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.gates import pass_gate
from core.model.gate import GateDecision, GateResult
from core.model.settings import AgentSettings, Settings
from core.rules.reading.prompts import read_prompt
from tests.fakes.world import FakeWorld
from tests.sandbox.ground import Ground
from tests.sandbox.servers import web_server

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path, lambda _host, _port: ["127.0.0.1"])


def ask(ground: Ground, gate: str, *granted: str, run_if: str = "success") -> GateResult:
    """What becomes of a prompt with this gate (YAML, one line)."""
    text = f"---\ntitle: Check\nrun_if: {run_if}\ngate: {gate}\n---\nDo it.\n"
    found = read_prompt("check", text.encode())
    assert found.prompt, found.diagnostics
    assert not found.prompt.unclear, found.diagnostics
    settings = Settings(agent=AgentSettings(permissions=("@workspace", *granted)))
    ledger = SqliteLedger(ground.state / "ledger" / "ledger.db")
    try:
        hidden = (ground.state, ground.config)
        world = FakeWorld(
            root=ground.workspace,
            home=ground.home,
            settings=settings,
            sandbox=ground.sandbox,
            processes=ground.processes,
            ledger=ledger,
            cancelled=CancelSwitch(),
            hidden=hidden,
        )
        return pass_gate(world, found.prompt, NOW)
    finally:
        ledger.close()


def test_exit_0_lets_the_prompt_in_with_the_trimmed_output(ground: Ground) -> None:
    assert ask(ground, "{command: 'echo; echo \"  two mails  \"; echo'}") == GateResult(
        GateDecision.LET_IN, output="two mails"
    )


def test_another_exit_keeps_it_out_unless_it_waits_for_that(ground: Ground) -> None:
    assert ask(ground, "{command: 'echo down; exit 1'}").decision is GateDecision.KEPT_OUT
    assert ask(ground, "{command: 'echo down; exit 1'}", run_if="failure").output == "down"


def test_a_timeout_is_an_error_that_is_reported_once(ground: Ground) -> None:
    first, second = (ask(ground, "{command: 'sleep 60', timeout: 0.2}") for _ in range(2))
    assert first.decision is second.decision is GateDecision.ERROR
    assert first.notice
    assert second.notice is None


def test_a_missing_folder_is_an_error(ground: Ground) -> None:
    result = ask(ground, "{command: 'true', cwd: nowhere}")
    assert result.decision is GateDecision.ERROR
    assert "nowhere" in result.reason


def test_folder_and_variables_are_the_gates(ground: Ground) -> None:
    result = ask(ground, "{command: 'pwd; echo $MODE', cwd: sub, env: {MODE: quick}}")
    assert result.output == f"{ground.workspace}/sub\nquick"


def test_a_gate_reaches_its_domains_and_any_other_is_an_error_though_it_exits_with_0(
    ground: Ground,
) -> None:
    with web_server() as server:
        domains = "allowedDomains: [api.test]"
        fine = ask(
            ground, f"{{command: 'curl -sS http://api.test:{server.port}/', {domains}}}", "@network"
        )
        assert fine.output == f"hello from api.test:{server.port}"
        refused = ask(
            ground,
            f"{{command: 'curl -s http://evil.test:{server.port}/; exit 0', {domains}}}",
            "@network",
        )
        assert refused.decision is GateDecision.ERROR
        assert "evil.test" in refused.reason
        assert refused.notice
        assert len(server.asked) == 1


def test_a_missing_permission_starts_nothing(ground: Ground) -> None:
    result = ask(ground, "{command: 'echo x > sub/started', allowedDomains: [api.test]}")
    assert result.decision is GateDecision.BYPASSED
    assert "@network" in result.message
    assert list((ground.workspace / "sub").iterdir()) == []


def test_a_granted_folder_is_read_and_not_written(ground: Ground, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "n.txt").write_text("7\n")
    gate = f"{{command: 'cat {data}/n.txt; echo 8 > {data}/n.txt', permissions: ['@read:{data}']}}"
    result = ask(ground, gate, f"@read:{data}", run_if="always")
    assert result.output.startswith("7\n")
    assert (data / "n.txt").read_text() == "7\n"


def test_a_gate_does_not_see_the_persons_home(ground: Ground) -> None:
    result = ask(ground, f"{{command: 'cat {ground.home}/.ssh/id_ed25519'}}")
    assert result.decision is GateDecision.KEPT_OUT
