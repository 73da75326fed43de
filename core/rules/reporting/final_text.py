"""A model's last words: whether they say anything to the person. Pure."""

NOTHING_TO_SAY = ("skip", "heartbeat_ok", "")
MOST_CHARACTERS = 4000


def message_in(text: str) -> str:
    """The words for the person; nothing where the model says that it has none."""
    bare = text.strip().strip("`*_\"'.!").strip()
    return "" if bare.casefold() in NOTHING_TO_SAY else text.strip()[:MOST_CHARACTERS]
