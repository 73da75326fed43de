"""A conversation with a provider's model, within the limits of a batch.

Law: the limits are checked before each request, a cancellation is obeyed at once, and nothing is
raised: every way in which a conversation can end is a value.
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import Event, Thread
from typing import Any, Generic, TypeVar, assert_never

from core.agent.choose import Access
from core.agent.tool import OfferedTool
from core.agent.troubles import problem_of
from core.agent.wire.failures import failure_of, pause_before_retry, status_in
from core.agent.wire.protocols import codec_of
from core.agent.wire.values import (
    Answer,
    CacheTime,
    Failure,
    Form,
    Request,
    StopReason,
    Trouble,
    Turn,
    UserTurn,
)
from core.model.agent import BatchEnding, Limits, Usage
from core.model.diagnostic import Problem
from core.model.http import ApiRequest, GivenUp, NoAnswer, RawAnswer
from core.model.light_dataclass import replace
from core.ports.model import ModelApi
from core.ports.processes import Cancellation
from core.ports.waiting import Clock

T = TypeVar("T")

# What one request that used this costs, in dollars; None if the price is not known.
Price = Callable[[Usage], float | None]

FINE = 200  # the status of an answer
LONGEST_ANSWER = 4096  # tokens; what the providers allow is many times that
SHORTEST_ANSWER = 256  # tokens; with less than that left, a request is a waste of money
CHARACTERS_PER_TOKEN = 3  # a cautious estimate: English has 4, code and other scripts have fewer
CUT = "…"  # at the end of a text that the model could not finish
RAISE_A_LIMIT = "Let less be due at once, or raise the limit under [budget] in config.toml."
# Seconds between two checks for a cancellation; not every system has a descriptor to wait for.
POLL_INTERVAL = 0.1


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """What every conversation has to keep to."""

    limits: Limits
    price: Price
    cancelled: Cancellation
    clock: Clock


@dataclasses.dataclass(frozen=True, slots=True)
class Stopped:
    """Why the conversation cannot go on."""

    ending: BatchEnding
    problem: Problem
    retry_after: timedelta | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """What all requests of a conversation have in common."""

    instructions: str
    tools: Sequence[OfferedTool] = ()
    form: Form | None = None
    cache: CacheTime | None = None

    @property
    def tokens(self) -> int:
        tools = [(tool.name, tool.description, tool.parameters) for tool in self.tools]
        return tokens_of(self.instructions) + tokens_of(f"{tools}{self.form or ''}")


class Conversation:
    """The turns so far, and what they have used."""

    def __init__(self, access: Access, api: ModelApi, subject: Subject, bounds: Bounds) -> None:
        self._access = access
        self._codec = codec_of(access.wire.protocol)
        self._api = api
        self._subject = subject
        self._bounds = bounds
        self._turns: list[Turn] = []
        self._repeated_tokens = subject.tokens  # tokens that the next request repeats
        self._started = bounds.clock.monotonic()
        self.used = Usage()

    def ask(self, turn: UserTurn) -> Answer | Stopped:
        """Send this turn, and return the model's answer. A request that failed for a moment is
        sent again."""
        size = self._repeated_tokens + turn.characters // CHARACTERS_PER_TOKEN + 1
        self._turns.append(turn)
        failed: Stopped | None = None
        retries = 0

        while True:
            allowed = self._allowed(size)
            if isinstance(allowed, Stopped):
                return _first_of(failed, allowed)

            answer = self._send(allowed)
            match answer:
                case Answer():
                    return self._taken(answer, size, allowed)
                case GivenUp():
                    # The request was sent, so it may be charged for.
                    self._add(Usage(requests=1, input_tokens=size))
                    return self._reason_to_stop() or _over_time(self._bounds.limits)
                case Failure():
                    self._add(answer.usage)
                case other:
                    assert_never(other)

            failed = Stopped(
                BatchEnding.UNREACHABLE, problem_of(answer, self._access), answer.retry_after
            )
            pause = pause_before_retry(answer, retries, self._chance())
            if pause is None or pause >= self._seconds_left():
                return failed

            retries += 1
            stopped = self._pause(pause)
            if stopped:
                return stopped

    def unless_stopped(self, work: Callable[[], T], grace: float) -> T | Stopped:
        """Return what the work returns, or why it was not waited for. When the batch is stopped,
        the work has `grace` seconds to end; it cannot be ended from outside."""
        running = _InThread(work)
        while not running.is_over.wait(POLL_INTERVAL):
            stopped = self._reason_to_stop()
            if stopped:
                running.is_over.wait(grace)
                return stopped

        return running.result()

    def _allowed(self, size: int) -> int | Stopped:
        """The most tokens for the next answer, or why no more requests are allowed."""
        bounds = self._bounds
        if bounds.cancelled.is_set():
            return _cancelled()

        expected = self._expected(size)
        return answer_allowed(bounds.limits, self.used, self._seconds(), expected, bounds.price)

    def _expected(self, size: int) -> Usage:
        """The most that the next request can count as, without its answer: what is to be cached
        costs more than what is only read."""
        cache = self._subject.cache
        for_an_hour = self._subject.tokens if cache is CacheTime.AN_HOUR else 0
        return Usage(
            input_tokens=size,
            cache_write_tokens=size if cache else 0,
            cache_write_hour_tokens=min(for_an_hour, size),
        )

    def _send(self, longest_answer: int) -> Answer | Failure | GivenUp:
        subject = self._subject
        choice = self._access.choice
        request = Request(
            choice.model,
            subject.instructions,
            self._turns,
            longest_answer,
            subject.tools,
            subject.form,
            subject.cache,
        )

        wire = self._access.wire
        answer = self._api.post(
            ApiRequest(
                wire.url(choice.base_url, self._codec.path),
                {**wire.key_headers(self._access.key), "content-type": "application/json"},
                _written(self._codec.encode(request)),
                timedelta(seconds=self._seconds_left()),
            ),
            self._bounds.cancelled,
        )
        match answer:
            case RawAnswer():
                return self._read(answer)
            case NoAnswer():
                never_arrived = answer.cause == ("no_connection",)
                return Failure(Trouble.UNREACHABLE, answer.reason, may_retry=never_arrived)
            case GivenUp():
                return answer
            case other:
                assert_never(other)

    def _read(self, raw: RawAnswer) -> Answer | Failure:
        status = raw.status
        if status == FINE:
            answer = self._codec.decode(raw.body)
            hidden = status_in(raw.body) if isinstance(answer, Failure) else None
            if hidden is None:
                return _unless_refused(answer)

            status = hidden  # some servers answer with an error as if all were well

        return failure_of(status, raw.headers, raw.body, self._bounds.clock.now())

    def _taken(self, answer: Answer, size: int, allowed: int) -> Answer | Stopped:
        self._count(answer, size)
        self._turns.append(answer)
        if answer.stop is not StopReason.LENGTH:
            return answer
        if allowed < LONGEST_ANSWER:
            return _over("the answer length that its limits still allowed")

        return dataclasses.replace(answer, text=f"{answer.text} {CUT}") if answer.text else answer

    def _count(self, answer: Answer, size: int) -> None:
        """Add what the answer used. Some servers do not count: for those it is estimated."""
        usage = answer.usage
        input_tokens = usage.input_tokens or size
        output_tokens = usage.output_tokens or _tokens_of_answer(answer)

        self._add(
            Usage(
                requests=1,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cache_read_tokens=usage.cache_read_tokens,
                cache_write_tokens=usage.cache_write_tokens,
                cache_write_hour_tokens=usage.cache_write_hour_tokens,
            )
        )
        self._repeated_tokens = input_tokens + output_tokens

    def _add(self, usage: Usage) -> None:
        """Add one request. Each is priced on its own: some models cost more for a long one."""
        self.used += replace(usage, usd=self._bounds.price(usage))

    def _pause(self, seconds: float) -> Stopped | None:
        """Wait, unless the batch is stopped meanwhile."""
        end = self._seconds() + seconds
        nothing = Event()
        while (left := end - self._seconds()) > 0:
            stopped = self._reason_to_stop()
            if stopped:
                return stopped

            nothing.wait(min(left, POLL_INTERVAL))

        return None

    def _reason_to_stop(self) -> Stopped | None:
        if self._bounds.cancelled.is_set():
            return _cancelled()

        return _over_time(self._bounds.limits) if self._seconds_left() <= 0 else None

    def _seconds(self) -> float:
        return self._bounds.clock.monotonic() - self._started

    def _seconds_left(self) -> float:
        return max(0.0, self._bounds.limits.time.total_seconds() - self._seconds())

    def _chance(self) -> float:
        """A number between 0 and 1 that differs between machines: it only has to keep them from
        asking again all at the same time."""
        return self._bounds.clock.monotonic() * 1000 % 1


class _InThread(Generic[T]):
    """Work in a thread that the end of the program does not wait for."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.is_over = Event()
        self._work = work
        self._result: T
        self._error: Exception | None = None
        Thread(target=self._run, name="tool", daemon=True).start()

    def _run(self) -> None:
        try:
            self._result = self._work()
        except Exception as error:
            self._error = error
        finally:
            self.is_over.set()

    def result(self) -> T:
        if self._error:
            raise self._error

        return self._result


def answer_allowed(
    limits: Limits, used: Usage, seconds_used: float, expected: Usage, price: Price
) -> int | Stopped:
    """How many tokens the next answer may have, or which limit forbids another request.
    `expected` is what that request counts as without its answer."""
    if used.requests >= limits.requests:
        return _over(f"the limit of {limits.requests} requests per beat")
    if seconds_used >= limits.time.total_seconds():
        return _over_time(limits)

    left = limits.tokens - used.input_tokens - used.output_tokens - expected.input_tokens
    answer = min(LONGEST_ANSWER, left)
    if answer < SHORTEST_ANSWER:
        return _over(f"the limit of {limits.tokens} tokens per beat")

    answer = min(answer, _affordable(limits, used, expected, answer, price))
    return answer if answer >= SHORTEST_ANSWER else _over("the daily budget")


def _affordable(limits: Limits, used: Usage, expected: Usage, answer: int, price: Price) -> int:
    """How long an answer the money that is left pays for, if the provider counts as we do."""
    price_of_input = price(expected)
    price_of_both = price(replace(expected, output_tokens=answer))
    if limits.usd is None or price_of_input is None or price_of_both is None:
        return answer

    left = limits.usd - (used.usd or 0.0)
    if price_of_both <= left:
        return answer
    if left <= price_of_input or price_of_both <= price_of_input:
        return 0

    return int(answer * (left - price_of_input) / (price_of_both - price_of_input))


def _unless_refused(answer: Answer | Failure) -> Answer | Failure:
    """A model that will not do it is not one that has finished."""
    if isinstance(answer, Failure) or answer.stop is not StopReason.REFUSAL:
        return answer

    return Failure(Trouble.REFUSAL, answer.text, usage=answer.usage)


def _first_of(failed: Stopped | None, stopped: Stopped) -> Stopped:
    """What kept us from asking comes first, but a person who cancels knows why."""
    return stopped if stopped.ending is BatchEnding.CANCELLED else failed or stopped


def tokens_of(text: str) -> int:
    """About how many tokens a text has."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


def _tokens_of_answer(answer: Answer) -> int:
    calls = sum(tokens_of(str(call.arguments)) for call in answer.calls)
    return tokens_of(answer.text) + calls


def _written(body: dict[str, Any]) -> bytes:
    """The request as JSON. The name of a file may have bytes that are not UTF-8: they must not
    keep the rest from being read."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _cancelled() -> Stopped:
    return Stopped(BatchEnding.CANCELLED, Problem("It was cancelled.", ""))


def _over(limit: str) -> Stopped:
    problem = Problem(f"The model was stopped at {limit}.", RAISE_A_LIMIT)
    return Stopped(BatchEnding.OUT_OF_BUDGET, problem)


def _over_time(limits: Limits) -> Stopped:
    minutes = limits.time.total_seconds() / 60
    return _over(f"the time limit of {minutes:g} minutes per beat")
