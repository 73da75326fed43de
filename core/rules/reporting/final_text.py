"""A model's last words: whether they say anything to the person, and as harmless text. Pure."""

from core.rules.writing.harmless import plain_lines

NOTHING_TO_SAY = ("skip", "heartbeat_ok", "")
MOST_CHARACTERS = 4000


def message_in(text: str) -> str:
    """The words for the person; nothing where the model says that it has none."""
    words = plain_lines(text).strip()
    bare = words.strip("`*_\"'.!").strip()
    return "" if bare.casefold() in NOTHING_TO_SAY else words[:MOST_CHARACTERS]
