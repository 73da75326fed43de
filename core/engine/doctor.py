"""What `heartbeat doctor` says about the sandbox, the model and the start at login."""

from collections.abc import Collection, Mapping, Sequence
from shlex import quote
from typing import assert_never

from core.model.agent import ModelChoice, NoModel
from core.model.diagnostic import Diagnosis, Health
from core.model.sandbox import SandboxState
from core.model.settings import AUTO, NONE
from core.ports.outside import Http
from core.rules.keys import KeyState, check_request, read_check
from core.rules.providers import key_variables


def sandbox_diagnosis(state: SandboxState) -> Diagnosis:
    if state.works:
        return Diagnosis("sandbox", Health.WORKS, "A command ran in the sandbox.")
    return Diagnosis(
        "sandbox",
        Health.PROBLEM,
        f"{state.reason} Gates and the model's commands do not run.",
        state.fix,
    )


def no_model_diagnosis(none: NoModel, provider: str) -> Diagnosis:
    """None is a working set-up, unless the person has asked for one."""
    health = Health.ABSENT if provider in (AUTO, NONE) else Health.PROBLEM
    words = f"None: {none.reason}. Everything that does not need a model works."
    return Diagnosis("model", health, words, none.hint)


def model_diagnosis(choice: ModelChoice, key: str, http: Http) -> Diagnosis:
    """Which model would be asked and why, and whether it can be reached: one question that costs
    nothing."""
    who = f"{choice.provider} {choice.model}, because {choice.reason}"
    request = check_request(choice.provider, key, choice.base_url)
    if request is None:
        return Diagnosis("model", Health.WORKS, f"{who}.")

    check = read_check(choice.provider, http.send(request))
    match check.state:
        case KeyState.ACCEPTED:
            return Diagnosis("model", Health.WORKS, f"{who}. It answers.")
        case KeyState.REFUSED:
            return Diagnosis(
                "model",
                Health.PROBLEM,
                f"{who}. {check.words}",
                f"heartbeat key set {choice.provider}{_other_way(choice.provider)}",
            )
        case KeyState.UNKNOWN:
            return Diagnosis(
                "model", Health.PROBLEM, f"{who}. {check.words}", f"curl {request.url}"
            )
        case other:
            assert_never(other)


def _other_way(provider: str) -> str:
    """How to give a key where there is no keyring."""
    variable = key_variables().get(provider)
    return f"  (without a keyring: export {variable}=…)" if variable else ""


def servers_diagnosis(names: Collection[str], troubles: Mapping[str, str]) -> Diagnosis:
    """The tool servers that were started; `troubles` are by the name of one that did not start."""
    if not troubles:
        return Diagnosis("tool servers", Health.WORKS, f"They start: {', '.join(sorted(names))}.")

    words = " ".join(f"{name} did not start: {why}." for name, why in sorted(troubles.items()))
    fix = f"Correct [mcp.servers.{min(troubles)}] in config.toml."
    return Diagnosis("tool servers", Health.PROBLEM, words, fix)


def autostart_diagnosis(
    ways: Sequence[tuple[str | None, str]],
    others: Sequence[str] = (),
    gone: Sequence[tuple[str, bool]] = (),
) -> Diagnosis:
    """Each way to start at login: what is written there, and what would start this program.
    `others` are further workspaces that start at login; `gone`: those of them whose folder is not
    there, and whether they start without an icon."""
    if gone:
        path, without_icon = gone[0]
        places = " and ".join(name for name, _ in gone)
        words = f"What starts at login for {places} leads nowhere: there is no such folder."
        fix = f"heartbeat -C {quote(path)} autostart off{' --daemon' if without_icon else ''}"
        return Diagnosis("autostart", Health.PROBLEM, words, fix)

    also = f" Others that do: {', '.join(others)}." if others else ""
    if any(written == wanted for written, wanted in ways):
        return Diagnosis("autostart", Health.WORKS, f"It starts at login.{also}")

    if any(written is not None for written, _ in ways):
        words = "What starts at login is not this program or workspace."
        return Diagnosis("autostart", Health.PROBLEM, words, "heartbeat autostart on")

    return Diagnosis(
        "autostart",
        Health.ABSENT,
        f"It does not start at login.{also}",
        "heartbeat autostart on",
    )
