"""The tool that fetches pages from the allowed hosts."""

from urllib.parse import urlsplit

from core.agent.arguments import Arguments, Text
from core.agent.own_tool import own_tool
from core.agent.taint import REFUSAL, addresses_in, as_data
from core.agent.tool import Effect, Record, Tool, ToolRefusedError, only_reads
from core.agent.tool_world import ToolWorld
from core.model.http import NoAnswer
from core.model.tags import NETWORK, SEND_AFTER_READING
from core.rules.approving.hosts import asked_host


class HttpGet(Arguments):
    url: Text


def web_tools(world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    if not world.settings.agent.allowed_domains:
        return ()

    get = own_tool(
        HttpGet,
        lambda given: _get(world, record, given.url),
        name="http_get",
        description="Get a page of an allowed host.",
        permission=NETWORK,
        reads_outside=True,
        effect=Effect.OTHER,
        touches=only_reads,
    )
    return (get,)


def _get(world: ToolWorld, record: Record, url: str) -> str:
    hosts = world.settings.agent.allowed_domains
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise ToolRefusedError("This is not an address.") from None

    is_web = parts.scheme in ("http", "https")
    is_clean = url.isprintable() and " " not in url and "@" not in parts.netloc
    if not is_web or not is_clean:
        raise ToolRefusedError("Write an address such as https://example.com/page.")

    if asked_host(host, hosts) is None:
        raise ToolRefusedError(f"Only these hosts are allowed: {', '.join(hosts)}.")
    if record.has_read and url not in record.addresses and not world.grants(SEND_AFTER_READING):
        raise ToolRefusedError(REFUSAL)

    answer = world.allowed_web.get(url, hosts)
    if isinstance(answer, NoAnswer):
        raise ToolRefusedError(f"The page was not fetched: {answer.reason}.")

    record.addresses |= addresses_in(answer.body)
    return f"status {answer.status}\n{as_data(host, answer.body)}"
