"""API keys and secrets in the system's keyring."""

from core.engine import keys as engine
from core.engine.keys import KnownKey
from core.model.errors import KeyringUnavailableError
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.announcer import forget
from core.rules.providers import with_keys
from core.services import MachineServices, Services


def set_key(machine: MachineServices, name: str, value: str) -> str:
    """Check a key with its provider and store it; return a sentence about the result."""
    agent = machine.config.agent
    base_url = agent.base_url if agent.provider == name else None
    return engine.set_key(machine, name, value, base_url)


def end_model_troubles(services: Services, name: str) -> None:
    """The person has just set the key of a model: that there is none, or that it cannot be reached,
    is said again only if it is still so."""
    if name not in with_keys():
        return

    announcements = services.ledger.announcements
    ended = [TroubleKey(TroubleKind.MODEL), TroubleKey(TroubleKind.PROVIDER)]
    announcements.save(forget(announcements.current(), ended))
    services.wake_resident()


def delete_key(machine: MachineServices, name: str) -> bool:
    """Remove it from the keyring; whether there was one."""
    return engine.delete_key(machine, name)


def known_keys(
    machine: MachineServices,
) -> tuple[list[KnownKey], KeyringUnavailableError | None]:
    """The keys that there are, and why the keyring cannot be used."""
    return engine.known_keys(machine)
