"""The language model, as one way to do items."""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.model.agent import (
        Batch,
        BatchResult,
        JudgeResult,
        Limits,
        ModelChoice,
        NoModel,
        Question,
    )
    from core.model.http import ApiRequest, GivenUp, NoAnswer, RawAnswer
    from core.ports.processes import Cancellation


class LocalModels(Protocol):
    """What this machine itself offers: servers that list their models as Ollama does, and programs
    that are installed. Nothing is remembered: what was started or installed meanwhile counts.
    Raises nothing, whatever the address, the name or the answer."""

    def models_at(self, address: str) -> tuple[str, ...] | None:
        """The models of the server at this address, newest first; None if nothing there answers
        like Ollama, or it is silent for a second. One request, without a key and free of
        charge."""
        ...

    def program(self, name: str) -> str | None:
        """The path of the program that this name would start; None if it is not installed."""
        ...


class ModelApi(Protocol):
    """Sends requests to the servers of language models.

    - The request, with its key, goes to its own address: no redirect is followed, and no variable
      names another one. The proxy of the environment is used, but not for this machine.
    - Certificates are verified.
    - The answer is whole, whatever its status, or NoAnswer says why there is none. Over 8 MiB
      there is none.
    - When it is cancelled, or its timeout is over, the connection is closed and the call returns
      GivenUp within a second. Cancelled before the call: nothing is sent.
    - Nothing is sent twice, and nothing is raised.
    """

    def post(
        self, request: ApiRequest, cancelled: Cancellation
    ) -> RawAnswer | NoAnswer | GivenUp: ...

    def close(self) -> None:
        """Close the connections that were kept for further requests."""
        ...


class Agent(Protocol):
    """A language model as one way to do items. Nothing is imported, read or sent before it is
    asked for, and nothing is raised: whatever a provider, a tool or a model does ends in a
    value."""

    def choice(self) -> ModelChoice | NoModel:
        """The model that would be asked, and why. Reads settings, key names and what is
        installed; sends nothing that costs anything."""
        ...

    def prompt(self, batch: Batch) -> str:
        """Exactly what the first request would say, with the tools that it would offer; nothing
        is sent."""
        ...

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        """Let the model work through the batch with the tools that it is granted. The limits are
        checked before each request; cancelled, a request that is under way ends at once."""
        ...

    def judge(
        self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation
    ) -> JudgeResult:
        """One call for all of them, to the model of `[verifier]`, without tools."""
        ...
