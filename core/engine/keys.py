"""Puts keys into the keyring and says which are there. Law: a key goes to the keyring and to its
provider, and nowhere else; one that the provider refuses is not stored."""

from collections.abc import Mapping
from typing import Protocol

from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.light_dataclass import light_dataclass
from core.ports.outside import Http, KeyNames, Secrets
from core.rules.keys import (
    KeyState,
    check_request,
    good_key,
    good_name,
    last_four,
    read_check,
)
from core.rules.providers import key_variables, with_keys


class KeyWorld(Protocol):
    """All that keys are kept, checked and looked for with."""

    @property
    def secrets(self) -> Secrets: ...

    @property
    def key_names(self) -> KeyNames: ...

    @property
    def http(self) -> Http: ...

    @property
    def environment(self) -> Mapping[str, str]: ...


@light_dataclass(frozen=True, slots=True)
class KnownKey:
    name: str
    source: str  # `keyring`, or the variable that it comes from
    shown: str  # its last four characters


def set_key(world: KeyWorld, name: str, value: str, base_url: str | None) -> str:
    """Store it; return a sentence that says what the provider answered."""
    good_name(name)
    key = good_key(value)
    # Fail now where the keyring cannot be used: the provider may take its time.
    world.secrets.get(name)
    request = check_request(name, key, base_url)
    check = read_check(name, world.http.send(request)) if request else None
    if check and check.state is KeyState.REFUSED:
        raise HeartbeatError(f"{check.words} Nothing was stored.", "Check the key and try again.")

    world.secrets.set(name, key)
    world.key_names.add(name)
    stored = f"Stored {name} ({last_four(key)}) in the keyring"

    if check is None and name in with_keys():
        return (
            f"{stored}; it was not checked, because no address is set for {name}: [agent] base_url "
            "in config.toml."
        )

    return f"{stored}; {check.words}" if check else f"{stored}."


def delete_key(world: KeyWorld, name: str) -> bool:
    """Whether there was one."""
    was_there = world.secrets.delete(good_name(name))
    world.key_names.remove(name)
    return was_there


def known_keys(world: KeyWorld) -> tuple[list[KnownKey], KeyringUnavailableError | None]:
    """The keys in the keyring, and those of the usual variables where it has none; and why the
    keyring cannot be used. One that does not answer is asked only once."""
    found: list[KnownKey] = []
    trouble: KeyringUnavailableError | None = None
    variables = key_variables()

    for name in sorted({*with_keys(), *world.key_names.all()}):
        value = None
        variable = variables.get(name, "")
        try:
            value = None if trouble else world.secrets.get(name)
        except KeyringUnavailableError as error:
            trouble = error

        if value is not None:
            found.append(KnownKey(name, "keyring", last_four(value)))
        elif world.environment.get(variable):
            found.append(KnownKey(name, variable, last_four(world.environment[variable])))

    return found, trouble
