"""The permission tags that there are. What is not listed here cannot be granted."""

NETWORK, WORKSPACE, SHELL, NOTIFY, MEMORY, HEARTBEAT = (
    "@network",
    "@workspace",
    "@shell",
    "@notify",
    "@memory",
    "@heartbeat",
)
SEND_AFTER_READING = "@send-after-reading"  # what the model read may leave the machine: core/agent/outside.py
PLAIN = (NETWORK, WORKSPACE, SHELL, NOTIFY, MEMORY, HEARTBEAT, SEND_AFTER_READING)
READ, WRITE = "@read:", "@write:"


def known_tag(tag: str) -> str | None:
    """The tag as it is listed: `@read:/srv/data` is `@read:DIR`. None: there is no such tag."""
    if tag in PLAIN:
        return tag
    for kind in (READ, WRITE):
        if tag.startswith(kind) and len(tag) > len(kind):
            return f"{kind}DIR"
    return None
