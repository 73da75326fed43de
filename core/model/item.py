"""What a beat may run. An item's key names it in the ledger: two kinds may use the same id."""

from enum import StrEnum


class ItemKind(StrEnum):
    ACTION = "action"
    TASK = "task"
    PROMPT = "prompt"
    PLAIN = "plain"
    REVIEW = "review"


PLAIN_ID = "heartbeat"
REVIEW_ID = "review"
LONGEST_ID = 64  # characters


def item_key(kind: ItemKind, identifier: str) -> str:
    return f"{kind}:{identifier}"


def identifier_of_key(key: str) -> str:
    return key.partition(":")[2] or key
