"""What the program can find out about itself without touching anything but its ports."""

from core.engine.keys import Keys
from core.model.diagnosis import Diagnosis, Health
from core.model.sandbox import SandboxState
from core.model.settings import Settings
from core.rules.keys import PROVIDERS


def sandbox_diagnosis(state: SandboxState) -> Diagnosis:
    if state.works:
        return Diagnosis("sandbox", Health.WORKS, "A command ran behind walls.")
    return Diagnosis(
        "sandbox", Health.PROBLEM, f"{state.reason} Gates and the model's commands do not run.", state.mend
    )


def model_diagnosis(settings: Settings, keys: Keys) -> Diagnosis:
    """Which model would be asked, and why. None is a working set-up."""
    provider = settings.agent.provider
    known, trouble = keys.known()
    if provider != "auto":
        return Diagnosis("model", Health.WORKS, f"{provider}, because config.toml says so.")
    for key in known:
        if key.name in PROVIDERS:
            return Diagnosis("model", Health.WORKS, f"{key.name}, because there is a key for it ({key.source}).")
    why = f"There is no key for one{f', and {trouble.message[0].lower()}{trouble.message[1:]}' if trouble else '.'}"
    return Diagnosis(
        "model", Health.ABSENT, f"None. {why} All that needs no model works.", "heartbeat key set anthropic"
    )


def autostart_diagnosis(written: str | None, wanted: str) -> Diagnosis:
    if written == wanted:
        return Diagnosis("autostart", Health.WORKS, "It starts at login.")
    words = (
        "It does not start at login." if written is None else "What starts at login is not this program or workspace."
    )
    health = Health.ABSENT if written is None else Health.PROBLEM
    return Diagnosis("autostart", health, words, "heartbeat autostart on")
