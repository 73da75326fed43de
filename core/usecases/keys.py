"""API keys and secrets in the system's keyring."""

from core.engine.keys import Keys
from core.services import MachineServices


def keys(machine: MachineServices) -> Keys:
    return Keys(machine.secrets, machine.http, machine.key_names, machine.environment)


def set_key(machine: MachineServices, name: str, value: str) -> str:
    """Check a key with its provider and store it; return a sentence about the result."""
    agent = machine.config.agent
    base_url = agent.base_url if agent.provider == name else None
    return keys(machine).set(name, value, base_url)
