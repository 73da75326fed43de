"""Pages of the allowed hosts."""

from urllib.parse import urlsplit

from core.agent.built_in import TEXT, BuiltIn, Record, RefusedError
from core.agent.ground import Ground
from core.agent.outside import REFUSAL, addresses_in, as_data
from core.model.http import NoAnswer
from core.rules.permitting.hosts import asked_host
from core.rules.permitting.known_tags import NETWORK, SEND_AFTER_READING


def web_tools(ground: Ground, record: Record) -> tuple[BuiltIn, ...]:
    if not ground.settings.agent.allowed_domains:
        return ()
    get = BuiltIn(
        "http_get",
        "Get a page of an allowed host.",
        {"url": TEXT},
        NETWORK,
        lambda given: _get(ground, record, given["url"]),
    )
    return (get,)


def _get(ground: Ground, record: Record, url: str) -> str:
    hosts = ground.settings.agent.allowed_domains
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise RefusedError("This is no address.") from None
    if parts.scheme not in ("http", "https") or "@" in parts.netloc or not url.isprintable() or " " in url:
        raise RefusedError("Write an address such as https://example.com/page.")
    if asked_host(host, hosts) is None:
        raise RefusedError(f"Only these hosts are allowed: {', '.join(hosts)}.")
    if record.has_read and url not in record.addresses and not ground.grants(SEND_AFTER_READING):
        raise RefusedError(REFUSAL)
    answer = ground.web.get(url, hosts)
    if isinstance(answer, NoAnswer):
        raise RefusedError(f"There is no page: {answer.reason}.")
    record.addresses |= addresses_in(answer.body)
    return f"status {answer.status}\n{as_data(host, answer.body)}"
