"""HTTP requests of the person's own actions: certificates verified, bodies capped, redirects only within the host."""

from typing import TYPE_CHECKING

from core.model.http import LARGEST_BODY, Answer, NoAnswer, Request

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 5


class Web:
    """The `Http` port."""

    def send(self, request: Request) -> Answer | NoAnswer:
        import httpx  # here: it costs a beat without web actions nothing

        seconds = request.timeout.total_seconds()
        try:
            # trust_env=False: a proxy or a netrc file of the session is nothing that the action named
            with httpx.Client(timeout=seconds, trust_env=False, follow_redirects=False) as client:
                return self._follow(
                    client,
                    httpx.Request(
                        request.method, request.url, headers=dict(request.headers), content=request.body.encode()
                    ),
                )
        except httpx.TimeoutException:
            return NoAnswer(f"no answer within {seconds:g} s")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return NoAnswer(f"no answer: {str(error) or type(error).__name__}")

    def _follow(self, client: "httpx.Client", request: "httpx.Request") -> Answer | NoAnswer:
        for _ in range(MOST_REDIRECTS + 1):
            response = client.send(request, stream=True)
            try:
                body = self._body(response)
            finally:
                response.close()
            following = response.next_request
            if following is None:
                return Answer(response.status_code, body)
            if (following.url.host, following.url.scheme) != (request.url.host, request.url.scheme):
                return NoAnswer(f"it leads on to another place, {following.url.scheme}://{following.url.host}")
            request = following
        return NoAnswer(f"more than {MOST_REDIRECTS} redirects")

    @staticmethod
    def _body(response: "httpx.Response") -> str:
        data = bytearray()
        for chunk in response.iter_bytes():
            data += chunk[: LARGEST_BODY - len(data)]
            if len(data) >= LARGEST_BODY:
                break
        return data.decode(response.encoding or "utf-8", "replace")
