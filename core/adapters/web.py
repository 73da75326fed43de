"""HTTP requests of the person's own actions: certificates verified, bodies capped, redirects only within the host."""

from typing import TYPE_CHECKING

from core.adapters.patience import GaveUpError, within
from core.model.http import LARGEST_BODY, Answer, NoAnswer, Request
from core.ports import Cancellation

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 5


class Web:
    """The `Http` port."""

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer | NoAnswer:
        seconds = request.timeout.total_seconds()
        try:
            # The library's own limit is one for each step: a server that sends a byte now and then would never end.
            return within(seconds, lambda: _send(request, seconds), cancelled)
        except GaveUpError:
            return NoAnswer(f"no answer within {seconds:g} s")


def _send(request: Request, seconds: float) -> Answer | NoAnswer:
    import httpx  # here: it costs a beat without web actions nothing

    try:
        # trust_env=False: a proxy or a netrc file of the session is nothing that the action named
        with httpx.Client(timeout=seconds, trust_env=False, follow_redirects=False) as client:
            first = httpx.Request(
                request.method, request.url, headers=dict(request.headers), content=request.body.encode()
            )
            return _follow(client, first)
    except httpx.TimeoutException:
        return NoAnswer(f"no answer within {seconds:g} s")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # the last: what no header or address can hold
        return NoAnswer(f"no answer: {str(error) or type(error).__name__}")


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
        if not _stays(request.url, following.url):
            port = f":{following.url.port}" if following.url.port else ""
            return NoAnswer(f"it leads on to another place, {following.url.scheme}://{following.url.host}{port}")
        request = following
    return NoAnswer(f"more than {MOST_REDIRECTS} redirects")


def _stays(here: "httpx.URL", there: "httpx.URL") -> bool:
    """Whether it is the same server; the step from http to https is one that most of them ask for."""
    same = (here.host, here.scheme, here.port) == (there.host, there.scheme, there.port)
    safer = (here.scheme, there.scheme) == ("http", "https") and here.port is None and there.port is None
    return same or (safer and here.host == there.host)


def _body(response: "httpx.Response") -> str:
    data = bytearray()
    for chunk in response.iter_bytes():
        data += chunk[: LARGEST_BODY - len(data)]
        if len(data) >= LARGEST_BODY:
            break
    try:
        return data.decode(response.encoding or "utf-8", "replace")
    except (LookupError, UnicodeError):  # `charset=hex` is a name that Python knows, and no text
        return data.decode("utf-8", "replace")
