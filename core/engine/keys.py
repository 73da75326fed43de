"""Puts keys into the keyring and says which are there. Law: a key goes to the keyring and to its provider, and nowhere
else; one that the provider refuses is not stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.ports import Http, Secrets
from core.rules.keys import (
    PROVIDERS,
    VARIABLES,
    Standing,
    check_request,
    good_key,
    good_name,
    last_four,
    read_check,
)


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
        """Store it; a sentence that says what the provider thinks of it."""
        good_name(name)
        key = good_key(value)
        self.secrets.get(name)  # a keyring that cannot be used says so now: the provider may take its time
        request = check_request(name, key, base_url)
        check = read_check(name, self.http.send(request)) if request else None
        if check and check.standing is Standing.REFUSED:
            raise HeartbeatError(f"{check.words} Nothing was stored.", "Look at the key and try again.")
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
        """Those in the keyring, and those of the usual variables where the keyring has none; and why it cannot be
        asked. One that does not answer is asked once."""
        found, trouble = [], None
        for name in sorted({*PROVIDERS, *self.names.all()}):
            value, variable = None, VARIABLES.get(name, "")
            try:
                value = None if trouble else self.secrets.get(name)
            except KeyringUnavailableError as error:
                trouble = error
            if value is not None:
                found.append(KnownKey(name, "keyring", last_four(value)))
            elif self.variables.get(variable):
                found.append(KnownKey(name, variable, last_four(self.variables[variable])))
        return found, trouble
