"""Puts keys into the keyring and says which are there. Law: a key goes to the keyring and to its
provider, and nowhere else; one that the provider refuses is not stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.ports.outside import Http, Secrets
from core.rules.keys import (
    KeyState,
    check_request,
    good_key,
    good_name,
    last_four,
    read_check,
)
from core.rules.providers import services, with_keys


class KeyNames(Protocol):
    """Which names were stored."""

    def all(self) -> tuple[str, ...]: ...

    def add(self, name: str) -> None: ...

    def remove(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class KnownKey:
    name: str
    source: str  # `keyring`, or the variable that it comes from
    shown: str  # its last four characters


@dataclass(frozen=True, slots=True)
class Keys:
    secrets: Secrets
    http: Http
    names: KeyNames
    variables: Mapping[str, str]  # of the environment

    def set(self, name: str, value: str, base_url: str | None) -> str:
        """Store it; return a sentence that says what the provider answered."""
        good_name(name)
        key = good_key(value)
        # Fail now where the keyring cannot be used: the provider may take its time.
        self.secrets.get(name)
        request = check_request(name, key, base_url)
        check = read_check(name, self.http.send(request)) if request else None
        if check and check.state is KeyState.REFUSED:
            raise HeartbeatError(
                f"{check.words} Nothing was stored.", "Check the key and try again."
            )

        self.secrets.set(name, key)
        self.names.add(name)
        stored = f"Stored {name} ({last_four(key)}) in the keyring."

        return f"{stored} {check.words[0].upper()}{check.words[1:]}" if check else stored

    def delete(self, name: str) -> bool:
        """Whether there was one."""
        was_there = self.secrets.delete(good_name(name))
        self.names.remove(name)
        return was_there

    def known(self) -> tuple[list[KnownKey], KeyringUnavailableError | None]:
        """The keys in the keyring, and those of the usual variables where it has none; and why
        the keyring cannot be used. One that does not answer is asked only once."""
        found: list[KnownKey] = []
        trouble: KeyringUnavailableError | None = None
        variables = {one.name: one.key_variable for one in services()}

        for name in sorted({*with_keys(), *self.names.all()}):
            value = None
            variable = variables.get(name, "")
            try:
                value = None if trouble else self.secrets.get(name)
            except KeyringUnavailableError as error:
                trouble = error

            if value is not None:
                found.append(KnownKey(name, "keyring", last_four(value)))
            elif self.variables.get(variable):
                found.append(KnownKey(name, variable, last_four(self.variables[variable])))

        return found, trouble
