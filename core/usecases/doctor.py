"""What `heartbeat doctor` tries, and a command in the sandbox that a gate has."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from core.agent.choose import choose
from core.engine.doctor import (
    autostart_diagnosis,
    model_diagnosis,
    no_model_diagnosis,
    sandbox_diagnosis,
    servers_diagnosis,
)
from core.model.agent import NoModel
from core.model.approval import APPROVALS_FILE, SEAL_FILE
from core.model.diagnostic import Diagnosis, Health, Problem, Severity
from core.model.document import Gate
from core.model.errors import HeartbeatError
from core.model.process import Command
from core.model.sandbox import SandboxEnding
from core.rules.approving.tags import gate_reach
from core.services import Services, ToolServices
from core.usecases.reading import read_workspace
from core.usecases.workspaces import away_error, local_now


def doctor(services: Services) -> list[Diagnosis]:
    """Try everything, in the order in which a person would fix it."""
    probes = services.probes
    root = services.root
    state = services.state_folder
    config = services.config_folder
    private = [
        services.all_state,
        state,
        state / APPROVALS_FILE,
        services.all_state / SEAL_FILE,
    ]
    decisive = [config, services.settings_file, root, root / "HEARTBEAT.md", root / "config.json"]

    tries: dict[str, Callable[[], Diagnosis]] = {
        "workspace": lambda: _workspace(services),
        "file": lambda: _file(services),
        "disk": probes.disk,
        "lock": lambda: probes.lock(services.clock.now()),
        "watching": probes.watching,
        "clock": lambda: probes.clock(local_now(services), services.ledger.plan.note()),
        "permissions": lambda: probes.permissions(private, decisive),
        "keyring": probes.keyring,
        "model": lambda: _model(services),
        "sandbox": lambda: sandbox_diagnosis(services.sandbox.state()),
        "notifications": probes.notifications,
        "tray": probes.tray_host,
        "autostart": lambda: _autostart(services),
    }

    if services.settings.mcp_servers:
        tries["tool servers"] = lambda: _servers(services)

    return [run_probe(name, probe) for name, probe in tries.items()]


def _workspace(services: Services) -> Diagnosis:
    """Whether it is there. Nothing is to be made where a disk is only not mounted."""
    away = away_error(services.root)
    if away:
        return Diagnosis("workspace", Health.PROBLEM, away.message, away.hint)

    return services.probes.workspace(read_workspace(services).file)


def _servers(services: Services) -> Diagnosis:
    """Start the approved tool servers as a batch would, and end them."""
    from core.agent.mcp.client import ToolServers  # imported here: few have any

    world = ToolServices(services)
    if not world.servers:
        words = "None of the configured ones is approved."
        return Diagnosis("tool servers", Health.ABSENT, words, "heartbeat approve")

    started = ToolServers(
        world.servers,
        world.root,
        world.server_environment,
        world.tool_servers,
        world.clock.monotonic,
    )
    try:
        started.start()
        return servers_diagnosis(world.servers.keys(), started.troubles)
    finally:
        started.close()


def run_probe(name: str, probe: Callable[[], Diagnosis]) -> Diagnosis:
    """Run a probe, and turn an unexpected error into a finding too, so that the others still
    run."""
    try:
        return probe()
    except HeartbeatError as error:
        return Diagnosis(name, Health.PROBLEM, error.message, error.hint)
    except Exception as error:
        words = f"It could not be tried: {error!r}."
        return Diagnosis(name, Health.PROBLEM, words, "heartbeat -v -v doctor")


def _file(services: Services) -> Diagnosis:
    """Whether what the person wrote can be read."""
    workspace = read_workspace(services)
    errors = [one for one in workspace.diagnostics if one.severity is Severity.ERROR]
    if not errors:
        return Diagnosis("file", Health.WORKS, "HEARTBEAT.md and the prompts have no errors.")

    first = f"{errors[0].file or workspace.file.name}: {errors[0].message}"
    more = f" There are {len(errors) - 1} more." if len(errors) > 1 else ""
    return Diagnosis("file", Health.PROBLEM, f"{first}{more}", "heartbeat check")


def _autostart(services: Services) -> Diagnosis:
    """What is set to start at login, with an icon and without."""
    ways = {one: services.autostart(without_icon=one) for one in (False, True)}
    return autostart_diagnosis(
        [
            (way.written(), way.wanted(services.autostart_command(without_icon=one)))
            for one, way in ways.items()
        ],
        [other for way in ways.values() for other in way.others()],
        [(path, one) for one, way in ways.items() for path in way.gone()],
    )


def _model(services: Services) -> Diagnosis:
    settings = services.settings.agent
    found = choose(settings, services)
    if isinstance(found, NoModel):
        return no_model_diagnosis(found, settings.provider)

    return model_diagnosis(found.choice, found.key, services.http)


def run_in_sandbox(
    services: Services, line: str, domains: tuple[str, ...], timeout: timedelta
) -> SandboxEnding:
    """Run a shell line as a gate of this workspace would, with these domains allowed."""
    root = services.root
    reach = gate_reach(
        Gate(line, None, timeout, {}, (), domains),
        services.settings.agent.permissions,
        root,
        services.home,
        services.protected,
        services.hidden,
    )
    if isinstance(reach, Problem):
        raise HeartbeatError(reach.message, reach.hint)

    state = services.sandbox.state()
    if not state.works:
        raise HeartbeatError(state.reason, state.fix)

    here = Path.cwd()
    command = Command(line, here if here.is_relative_to(root) else root, timeout)
    return services.sandbox.run(command, reach)
