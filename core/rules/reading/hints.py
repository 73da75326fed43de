"""How a `verify:` hint is read: something to measure, or a label that only a judge can decide."""

from collections.abc import Set

from core.model.document import Task
from core.rules.reading.tasks import DEFAULT_HINT, HINT_PREFIXES

_WORDS = {"and", "or", "not", "in", "true", "false", "len", "min", "max", "contains", "matches"}
_OPERATORS = set("<>=!+-*/%()[]")


def hint_words(task: Task, probes: Set[str]) -> str:
    """How the task is checked, as a phrase; empty where it cannot be measured."""
    hint = task.verify
    prefix, colon, _ = hint.partition(":")
    if colon and prefix.strip().lower() in HINT_PREFIXES:
        return f"checked by {hint}"
    if task.run and hint == DEFAULT_HINT:
        return "checked by its exit code"
    names = set(names_in(hint))
    if names and names <= probes and (len(names) > 1 or _OPERATORS & set(hint) or hint.strip() in probes):
        return f"checked by {hint}"
    return ""


def names_in(expression: str) -> list[str]:
    """The names in an expression, outside its quoted texts."""
    if expression.isidentifier():  # most hints are one word
        return [] if expression.lower() in _WORDS else [expression]
    names: list[str] = []
    word = quote = ""
    for sign in [*expression, " "]:
        if quote:
            quote = "" if sign == quote else quote
        elif sign.isalnum() or sign == "_":
            word += sign
        else:
            if word and not word[0].isdigit() and word.lower() not in _WORDS:
                names.append(word)
            word = ""
            quote = sign if sign in "\"'" else ""
    return names
