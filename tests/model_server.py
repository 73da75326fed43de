"""A scripted language model on loopback that speaks Anthropic Messages and OpenAI chat completions,
plain and streamed.

It sends the replies of its script, one per request, then always `HEARTBEAT_OK`, and records what
it received.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, assert_never

BYTES_PER_TOKEN = 4
GARBAGE = b'{"choices": [{"mess'
GARBAGE_EVENT = b'event: message_start\ndata: {"type": "mess\n\n'


@dataclass(frozen=True)
class Call:
    """A tool call. Arguments that are a text are sent unchanged, even if they are not JSON."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Say:
    """An answer: words, tool calls, or both."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    cache_read: int = 0
    cut_short: bool = False  # it ran into max_tokens
    refused: bool = False  # the model will not do it


@dataclass(frozen=True)
class Fail:
    status: int
    message: str = "scripted failure"
    retry_after: str | None = None
    location: str | None = None  # of a redirect
    kind: str | None = None  # of the error; None: the usual one of the status


@dataclass(frozen=True)
class Cut:
    """The connection ends after the first half of the answer."""

    answer: Say = Say("this sentence never ends")


@dataclass(frozen=True)
class Drip:
    """An answer that never ends: only keep-alive bytes."""

    pause: float = 0.05


@dataclass(frozen=True)
class Garbage:
    """Status 200 with truncated JSON."""


@dataclass(frozen=True)
class Odd:
    """Status 200 with this body."""

    body: str


Reply = Say | Fail | Cut | Drip | Garbage | Odd


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    size: int

    @property
    def text(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)


class ModelServer:
    """A context manager; `base_url` is what a person would write into the settings."""

    def __init__(self, *script: Reply | Callable[[Received], Reply]) -> None:
        self._lock = threading.Lock()
        self._script = list(script)
        self.received: list[Received] = []
        self.models = ["scripted"]
        self.raw: bytes | None = None  # sent instead of the list of models
        self.stopped = threading.Event()
        self.arrived = threading.Event()  # set by each request
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    def base_url(self, provider: str) -> str:
        address = f"http://127.0.0.1:{self._server.server_port}"
        return address if provider == "anthropic" else f"{address}/v1"

    def play(self, *script: Reply | Callable[[Received], Reply]) -> None:
        """Forget what was received, and send these replies from now on."""
        with self._lock:
            self._script = list(script)
            self.received.clear()
            self.arrived.clear()

    def reply_to(self, received: Received) -> Reply:
        with self._lock:
            self.received.append(received)
            reply = self._script.pop(0) if self._script else Say("HEARTBEAT_OK")

        self.arrived.set()
        return reply(received) if callable(reply) else reply

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that close the connection are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_words: object) -> None:
        """Tests read `received` instead."""

    def do_GET(self) -> None:
        """The installed models, in the format of Ollama."""
        model = self.server.model
        if model.raw is not None:
            self._send(200, model.raw)
            return

        models = [{"name": name} for name in model.models]
        self._send(200, json.dumps({"models": models}).encode())

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.path, headers, json.loads(data), len(data))
        reply = self.server.model.reply_to(received)
        streamed = bool(received.body.get("stream"))

        match reply:
            case Say():
                self._send(200, b"".join(_answer(received, reply)), streamed=streamed)
            case Fail():
                self._fail(reply)
            case Cut(answer):
                self._cut(b"".join(_answer(received, answer)), streamed=streamed)
            case Drip(pause):
                self._drip(pause, streamed=streamed)
            case Garbage():
                self._send(200, GARBAGE_EVENT if streamed else GARBAGE, streamed=streamed)
            case Odd(body):
                self._send(200, body.encode())
            case other:
                assert_never(other)

    def _fail(self, failure: Fail) -> None:
        headers: dict[str, str] = {}
        if failure.retry_after:
            headers["Retry-After"] = failure.retry_after
        if failure.location:
            headers["Location"] = failure.location

        error = _error(self.path, failure)
        self._send(failure.status, json.dumps(error).encode(), headers)

    def _cut(self, data: bytes, *, streamed: bool) -> None:
        """Announce the whole length, and send half of it."""
        headers = {"Content-Length": str(len(data))}
        self._send(200, data[: len(data) // 2], headers, streamed=streamed)

    def _drip(self, pause: float, *, streamed: bool) -> None:
        self._head(200, {}, streamed=streamed)
        while not self.server.model.stopped.wait(pause):
            self.wfile.write(b": still here\n\n" if streamed else b" ")
            self.wfile.flush()

    def _send(
        self,
        status: int,
        data: bytes,
        extra: Mapping[str, str] | None = None,
        *,
        streamed: bool = False,
    ) -> None:
        self._head(status, {"Content-Length": str(len(data)), **(extra or {})}, streamed=streamed)
        self.wfile.write(data)

    def _head(self, status: int, extra: Mapping[str, str], *, streamed: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Connection", "close")
        for name, value in extra.items():
            self.send_header(name, value)

        self.end_headers()


def _error(path: str, failure: Fail) -> dict[str, Any]:
    kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = failure.kind or kinds.get(failure.status, "api_error")
    if path.endswith("/messages"):
        return {"type": "error", "error": {"type": kind, "message": failure.message}}

    return {"error": {"message": failure.message, "type": kind, "code": None, "param": None}}


def _answer(received: Received, say: Say) -> Iterator[bytes]:
    if received.path.split("?")[0].endswith("/messages"):
        return _anthropic(received, say)

    return _openai(received, say)


# -- Anthropic Messages ----------------------------------------------------------------------------


def _anthropic(received: Received, say: Say) -> Iterator[bytes]:
    blocks = _anthropic_blocks(say)
    usage = {
        "input_tokens": received.size // BYTES_PER_TOKEN - say.cache_read,
        "output_tokens": _tokens_of(say),
        "cache_read_input_tokens": say.cache_read,
        "cache_creation_input_tokens": 0,
    }
    reason = _reason_to_end(
        say, cut="max_tokens", calls="tool_use", end="end_turn", refused="refusal"
    )
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": received.body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    if not received.body.get("stream"):
        content = [_with_parsed_input(block) for block in blocks]
        yield json.dumps(message | {"content": content, "stop_reason": reason}).encode()
        return

    yield _event("message_start", {"message": message})
    for index, block in enumerate(blocks):
        yield from _anthropic_events(index, block)

    ending = {"stop_reason": reason, "stop_sequence": None}
    output = {"output_tokens": usage["output_tokens"]}
    yield _event("message_delta", {"delta": ending, "usage": output})
    yield _event("message_stop", {})


def _anthropic_blocks(say: Say) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if say.text:
        blocks.append({"type": "text", "text": say.text})

    for number, call in enumerate(say.calls):
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{number}", "name": call.name, "input": call.text}
        )

    return blocks


def _anthropic_events(index: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    if "input" in block:
        empty: dict[str, Any] = {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": block["input"]}
    else:
        empty = {"text": ""}
        delta = {"type": "text_delta", "text": block["text"]}

    yield _event("content_block_start", {"index": index, "content_block": {**block, **empty}})
    yield _event("content_block_delta", {"index": index, "delta": delta})
    yield _event("content_block_stop", {"index": index})


def _with_parsed_input(block: Mapping[str, Any]) -> dict[str, Any]:
    if "input" not in block:
        return dict(block)

    return {**block, "input": _parsed(block["input"])}


def _parsed(arguments: str) -> Any:
    """The arguments as JSON; the text itself if it is not JSON."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _event(kind: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


# -- OpenAI chat completions -----------------------------------------------------------------------


def _openai(received: Received, say: Say) -> Iterator[bytes]:
    calls = [
        {
            "index": number,
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.text},
        }
        for number, call in enumerate(say.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
    if calls:
        message["tool_calls"] = calls

    prompt = received.size // BYTES_PER_TOKEN
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": _tokens_of(say),
        "total_tokens": prompt + _tokens_of(say),
        "prompt_tokens_details": {"cached_tokens": say.cache_read},
    }
    reason = _reason_to_end(
        say, cut="length", calls="tool_calls", end="stop", refused="content_filter"
    )
    common = {"id": "chatcmpl-1", "created": 1_790_000_000, "model": received.body["model"]}
    if not received.body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        completion = {"object": "chat.completion", "choices": [choice], "usage": usage}
        yield json.dumps(common | completion).encode()
        return

    for delta, end in ((message, None), ({}, reason)):
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        chunk = common | {
            "object": "chat.completion.chunk",
            "choices": [choice],
            "usage": usage if end else None,
        }
        yield f"data: {json.dumps(chunk)}\n\n".encode()

    yield b"data: [DONE]\n\n"


# -- both ------------------------------------------------------------------------------------------


def _reason_to_end(say: Say, *, cut: str, calls: str, end: str, refused: str) -> str:
    if say.refused:
        return refused
    if say.cut_short:
        return cut

    return calls if say.calls else end


def _tokens_of(say: Say) -> int:
    return (len(say.text) + sum(len(call.text) for call in say.calls)) // BYTES_PER_TOKEN + 1
