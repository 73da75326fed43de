"""Fakes of what the engine asks: the keyring, the person's approvals, the web, the person."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from core.model.approval import Approval, ApprovalsTrouble, SealFile, ValidApprovals
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.http import Answer, NoAnswer, Request
from core.model.report import Notice, NotSent, Urgency
from core.model.trouble import TroubleKey
from core.ports.processes import Cancellation


class FakeSecrets:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.trouble = ""  # why it cannot be used
        self.reads = 0

    def get(self, name: str) -> str | None:
        self.reads += 1
        self._be_usable()
        return self.kept.get(name)

    def set(self, name: str, value: str) -> None:
        self._be_usable()
        self.kept[name] = value

    def delete(self, name: str) -> bool:
        self._be_usable()
        return self.kept.pop(name, None) is not None

    def _be_usable(self) -> None:
        if self.trouble:
            raise KeyringUnavailableError(self.trouble, "Unlock it.")


class FakeKeyNames:
    def __init__(self) -> None:
        self.known: set[str] = set()

    def all(self) -> tuple[str, ...]:
        return tuple(sorted(self.known))

    def add(self, name: str) -> None:
        self.known.add(name)

    def remove(self, name: str) -> None:
        self.known.discard(name)


def no_secret(name: str) -> str:
    raise HeartbeatError(f"There is no secret `{name}` in the keyring.", "")


class FakeApprovals:
    def __init__(self, place: str = "/workspace") -> None:
        self.place = place
        self.known: dict[str, Approval] = {}
        self.trouble: ApprovalsTrouble | None = None

    def noted(self) -> Mapping[str, Approval]:
        return dict(self.known)

    def proven(self) -> ValidApprovals:
        return ValidApprovals({} if self.trouble else self.noted(), self.trouble)

    def seal_file(self) -> SealFile | None:
        return None

    def give(self, approvals: Collection[Approval]) -> None:
        self._start_again_after_trouble()
        self.known |= {one.key: one for one in approvals}

    def take_back(self, keys: Collection[str]) -> None:
        self._start_again_after_trouble()
        self.known = {key: one for key, one in self.known.items() if key not in keys}

    def _start_again_after_trouble(self) -> None:
        if self.trouble and self.trouble.is_locked:
            raise HeartbeatError(self.trouble.problem.message, self.trouble.problem.hint)
        if self.trouble:
            self.known = {}
            self.trouble = None


def approvals_trouble(words: str, *, is_locked: bool = False) -> ApprovalsTrouble:
    return ApprovalsTrouble(Problem(words, "Look again."), ("fake", words), is_locked)


@dataclass
class FakeHttp:
    answer: Answer | NoAnswer = field(default_factory=lambda: Answer(200, "fine"))
    sent: list[Request] = field(default_factory=list)

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer | NoAnswer:
        if cancelled and cancelled.is_set():
            return NoAnswer("no answer: it was cancelled", ("cancelled",))

        self.sent.append(request)
        return self.answer


@dataclass
class FakeMessenger:
    problem: str = ""
    sent: list[tuple[str, Notice]] = field(default_factory=list)
    urgencies: list[Urgency] = field(default_factory=list)  # one per message

    def send(
        self, channel: str, notice: Notice, urgency: Urgency, trouble: TroubleKey | None = None
    ) -> NotSent | None:
        self.sent.append((channel, notice))
        self.urgencies.append(urgency)
        return NotSent(self.problem, (channel, self.problem)) if self.problem else None
