"""What is outside of the program: the keyring, the person's approvals, the web, messages to the
person."""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from core.model.approval import Approval, SealFile, ValidApprovals
    from core.model.http import Answer, NoAnswer, Request
    from core.model.report import Notice, NotSent, Urgency
    from core.model.trouble import TroubleKey
    from core.ports.processes import Cancellation


class Secrets(Protocol):
    """The system's keyring. Every call ends within 5 s: with its answer, or with a
    KeyringUnavailableError that says why there is none (no service, locked, no answer, or a
    keyring that keeps nothing)."""

    def get(self, name: str) -> str | None:
        """The secret; None if there is none of that name."""
        ...

    def set(self, name: str, value: str) -> None:
        """Keep it. Returns only where it can be read again."""
        ...

    def delete(self, name: str) -> bool:
        """Whether there was one."""
        ...


class KeyNames(Protocol):
    """The names, and only the names, of what the person put into the keyring, which cannot list
    what it holds. They outlive the process. Names that are lost do not matter much: the keys
    themselves still work."""

    def all(self) -> tuple[str, ...]:
        """Each name once, in order; none where they cannot be read. Raises nothing."""
        ...

    def add(self, name: str) -> None:
        """Remember it; a second time changes nothing. OSError if the disk refuses."""
        ...

    def remove(self, name: str) -> None:
        """Forget it, if it is known; the rest is as in `add`."""
        ...


class Approvals(Protocol):
    """What the person has approved in one workspace, outside of it and under a seal."""

    @property
    def place(self) -> str:
        """The workspace's real path: an approval holds there and nowhere else."""
        ...

    def noted(self) -> Mapping[str, Approval]:
        """What was approved, by key, as the file says it: good enough to count what waits, never
        to run anything. Cheap, and nothing is raised: what cannot be read is empty."""
        ...

    def proven(self) -> ValidApprovals:
        """The approvals whose seal holds; trouble and none of them where it does not. Reads
        only."""
        ...

    def seal_file(self) -> SealFile | None:
        """The file with the key of the next seal; None if the keyring has the key."""
        ...

    def give(self, approvals: Collection[Approval]) -> None:
        """Add them; each replaces the one with the same key. A file that is not trusted is moved
        aside, and nothing of it counts. HeartbeatError if the key of the seal cannot be
        reached or the disk refuses: then nothing has changed."""
        ...

    def take_back(self, keys: Collection[str]) -> None:
        """Remove what was approved under these keys; the rest is as in `give`."""
        ...


class Http(Protocol):
    """Web requests of the person's own actions."""

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer | NoAnswer:
        """Send one request; it ends at its timeout, or when it is cancelled. Certificates are
        verified; a redirect is followed only within its host; at most 10 MiB of the body are
        kept. Raises nothing."""
        ...


class AllowedWeb(Protocol):
    """The web as the model sees it: some hosts, by name."""

    def get(self, url: str, hosts: Collection[str]) -> Answer | NoAnswer:
        """The page. Only listed hosts are asked, over http and https, even after a redirect, and
        none whose name leads to this machine or its network; at most 1 MiB of the body is
        kept. Raises nothing."""
        ...


class Messenger(Protocol):
    """Sends a message to the person: on the `desktop`, or through a channel of the settings."""

    def send(
        self, channel: str, notice: Notice, urgency: Urgency, trouble: TroubleKey | None = None
    ) -> NotSent | None:
        """Send it; returns why that was not possible, or None. `trouble` is what it is
        about: on a desktop with a tray icon the tray shows it, with buttons. Raises nothing."""
        ...
