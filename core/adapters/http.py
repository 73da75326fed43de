"""Sends the HTTP requests of the person's actions. Law: certificates are verified, bodies are
limited, and redirects are followed only within the host."""

from typing import TYPE_CHECKING

from core.adapters.timeouts import GaveUpError, within
from core.adapters.web_body import read_body
from core.model.http import LARGEST_BODY, MOST_REDIRECTS, Answer, NoAnswer, Request
from core.ports.processes import Cancellation

if TYPE_CHECKING:
    import httpx


class Web:
    """The `Http` port."""

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer | NoAnswer:
        seconds = request.timeout.total_seconds()
        try:
            # The library's own timeout is per step: a server that sends a byte now and then would
            # keep us forever.
            return within(seconds, lambda: _send(request, seconds), cancelled)
        except GaveUpError:
            return _too_late(seconds)


def _send(request: Request, seconds: float) -> Answer | NoAnswer:
    import httpx  # imported here: a beat without web actions does not need it

    try:
        # trust_env=False: the action did not ask for the session's proxy or netrc file.
        with httpx.Client(timeout=seconds, trust_env=False, follow_redirects=False) as client:
            first = httpx.Request(
                request.method,
                request.url,
                headers=dict(request.headers),
                content=request.body.encode(),
            )
            return _follow(client, first)
    except httpx.TimeoutException:
        return _too_late(seconds)
    # ValueError: a character that a header or an address cannot hold.
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        name = type(error).__name__
        return NoAnswer(f"no answer: {str(error) or name}", (name, str(error)))


def _too_late(seconds: float) -> NoAnswer:
    return NoAnswer(f"no answer within {seconds:g} s", ("timeout",))


def _follow(client: "httpx.Client", request: "httpx.Request") -> Answer | NoAnswer:
    for _ in range(MOST_REDIRECTS + 1):
        response = client.send(request, stream=True)
        try:
            body = _body(response)
        finally:
            response.close()

        following = response.next_request
        if following is None:
            return Answer(response.status_code, body)

        url = following.url
        if not _is_same_server(request.url, url):
            port = f":{url.port}" if url.port else ""
            place = f"{url.scheme}://{url.host}{port}"
            return NoAnswer(f"it redirects to another server, {place}", ("leads_on", place))

        request = following

    return NoAnswer(f"more than {MOST_REDIRECTS} redirects", ("redirects",))


def _is_same_server(here: "httpx.URL", there: "httpx.URL") -> bool:
    """Whether the redirect stays on the server. Going from http to https is allowed: most servers
    ask for it."""
    if here.host != there.host:
        return False
    if (here.scheme, here.port) == (there.scheme, there.port):
        return True

    is_safer = (here.scheme, there.scheme) == ("http", "https")
    return is_safer and here.port is None and there.port is None


def _body(response: "httpx.Response") -> str:
    data = read_body(response, LARGEST_BODY)
    try:
        return data.decode(response.encoding or "utf-8", "replace")
    except (LookupError, UnicodeError):  # such as `charset=hex`, which Python knows
        return data.decode("utf-8", "replace")
