"""API keys and secrets in the system's keyring."""

from core.engine import keys as engine
from core.engine.keys import KnownKey
from core.model.errors import KeyringUnavailableError
from core.services import MachineServices


def set_key(machine: MachineServices, name: str, value: str) -> str:
    """Check a key with its provider and store it; return a sentence about the result."""
    agent = machine.config.agent
    base_url = agent.base_url if agent.provider == name else None
    return engine.set_key(machine, name, value, base_url)


def delete_key(machine: MachineServices, name: str) -> bool:
    """Remove it from the keyring; whether there was one."""
    return engine.delete_key(machine, name)


def known_keys(
    machine: MachineServices,
) -> tuple[list[KnownKey], KeyringUnavailableError | None]:
    """The keys that there are, and why the keyring cannot be used."""
    return engine.known_keys(machine)
