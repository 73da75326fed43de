"""Output without what looks like a key: well-known beginnings of tokens, and what follows `password=` and its kin.

Known secrets are taken out by their value, however they are written; the rest is the net below for those that nobody
told us about.
"""

from collections.abc import Iterable, Iterator

TOKEN_STARTS = ("sk-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ")
TELLING = ("password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "authorization", "bearer")
SHORTEST = 12  # characters of a token
REDACTED = "[redacted]"


def without_values(text: str, secrets: Iterable[str]) -> str:
    """Without these secrets: plain, and as base64, a URL or JSON would write them."""
    for secret in secrets:
        if len(secret) >= SHORTEST:  # a shorter one is no key, and would take ordinary words with it
            for form in sorted(set(_forms(secret)), key=len, reverse=True):
                text = text.replace(form, REDACTED)
    return text


def _forms(secret: str) -> Iterator[str]:
    import base64  # here, all three: only a beat that has secrets needs them
    import json
    from urllib.parse import quote

    yield secret
    yield quote(secret, safe="")
    yield json.dumps(secret)[1:-1]
    data = secret.encode()
    yield data.hex()
    for shift in range(3):  # base64 of a text that holds it looks different by where in three bytes it begins
        coded = base64.b64encode(b"\0" * shift + data).decode()
        inner = coded[(0, 2, 3)[shift] :].rstrip("=")
        inner = inner[: -1 if (len(data) + shift) % 3 else None]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def without_tokens(text: str) -> str:
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    lower = line.lower()
    ends = [end for word in TELLING if (end := _end_of_name(lower, word)) is not None]
    if ends:
        return f"{line[: min(ends)]} {REDACTED}"
    if not any(start in line for start in TOKEN_STARTS):
        return line  # nearly every line
    return " ".join(_without_token(word) for word in line.split(" "))


def _end_of_name(line: str, word: str) -> int | None:
    """Where the value begins that a telling name announces: after its `=` or `:`; None where there is none."""
    place = line.find(word)
    if place < 0:
        return None
    end = place + len(word)
    if word == "bearer" and line[end : end + 1] == " ":
        return end
    rest = line[end:].lstrip(" \"'")
    return len(line) - len(rest) + 1 if rest[:1] in ("=", ":") and rest[1:].strip() else None


def _without_token(word: str) -> str:
    for start in TOKEN_STARTS:
        place = word.find(start)
        if place >= 0 and len(word) - place >= SHORTEST:
            return word[:place] + REDACTED
    return word
