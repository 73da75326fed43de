"""Gets web pages for the model: only from allowed hosts, through the same proxy as the
sandbox's."""

import socket
from collections.abc import Callable, Collection
from contextlib import closing
from typing import TYPE_CHECKING

from core.adapters.sandbox.egress.addresses import Resolver, public_addresses
from core.adapters.sandbox.egress.proxy import EgressProxy
from core.adapters.web_body import read_body
from core.model.http import MOST_REDIRECTS, Answer, NoAnswer

if TYPE_CHECKING:
    import httpx

LARGEST_PAGE = 1024 * 1024
SECONDS = 30.0  # for the whole request with its redirects


class EgressWeb:
    """The `AllowedWeb` port."""

    def __init__(
        self, monotonic: Callable[[], float], resolve: Resolver = public_addresses
    ) -> None:
        self._monotonic = monotonic
        self._resolve = resolve

    def get(self, url: str, hosts: Collection[str]) -> Answer | NoAnswer:
        import httpx  # imported here: only a beat whose model asks for a page needs it

        deadline = self._monotonic() + SECONDS
        with (
            EgressProxy(hosts, self._resolve) as proxy,
            closing(socket.create_server(("127.0.0.1", 0))) as listener,
        ):
            socket.send_fds(proxy.channel, [b"."], [listener.fileno()])
            through = f"http://127.0.0.1:{listener.getsockname()[1]}"
            try:
                # trust_env=False: the session's own proxy and its netrc file are not for the model.
                # One request per connection: the proxy passes on no more.
                once = httpx.Limits(max_keepalive_connections=0)
                with httpx.Client(
                    proxy=through, timeout=SECONDS, trust_env=False, limits=once
                ) as client:
                    answer = self._follow(client, httpx.Request("GET", url), deadline)
            except httpx.TimeoutException:
                answer = NoAnswer(f"no answer within {SECONDS:g} s", ("timeout",))
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                name = type(error).__name__
                answer = NoAnswer(f"no answer: {str(error) or name}", (name, str(error)))

            refused = proxy.refused()

        if refused:
            return NoAnswer(
                f"{refused[0]} is not among the allowed hosts, or is not on the public internet",
                ("refused", refused[0]),
            )

        return answer

    def _follow(
        self, client: "httpx.Client", request: "httpx.Request", deadline: float
    ) -> Answer | NoAnswer:
        for _ in range(MOST_REDIRECTS + 1):
            response = client.send(request, stream=True)
            try:
                body = self._body(response, deadline)
            finally:
                response.close()

            following = response.next_request
            if following is None:
                return Answer(response.status_code, body)
            if request.url.scheme == "https" != following.url.scheme:
                return NoAnswer("it redirects to an unencrypted page", ("unencrypted",))

            request = following

        return NoAnswer(f"more than {MOST_REDIRECTS} redirects", ("redirects",))

    def _body(self, response: "httpx.Response", deadline: float) -> str:
        data = read_body(response, LARGEST_PAGE, lambda: self._monotonic() <= deadline)
        return data.decode(response.encoding or "utf-8", "replace")
