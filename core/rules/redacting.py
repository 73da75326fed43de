"""Removes secrets from text. Pure.

Law: a known secret is removed by its value, however it is written (as it is, or encoded for a URL,
JSON, hexadecimal or base64), and so is each line of a secret that has several. Everything that is
recorded, sent or shown uses the same functions. Secrets that the program does not know are caught
by the usual beginnings of tokens, and by names such as `password=`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial

REDACTED = "[redacted]"
SHORTEST = 12  # characters of a token, and of a secret without a name: less could be a word
SHORTEST_LINE = 8  # characters of one line of a longer secret, such as a private key
SHORTEST_ENCODED = 6  # bytes: what base64 makes of fewer could be anything
# Parts of secrets whose patterns are kept: every call of a tool looks for the same ones again, and
# the patterns of a private key take half a second to build.
MOST_PATTERNS = 1024

JSON_SHORT = {
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\b": r"\b",
    "\f": r"\f",
    '"': r"\"",
    "\\": r"\\",
    "/": r"\/",
}

TOKEN_STARTS = (
    "sk-",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
)
NAMES_OF_SECRETS = (
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "authorization",
    "bearer",
)
# In the name of a variable this is enough; in a text it is an ordinary word.
KEY = "key"


# -- secrets that are known -----------------------------------------------------------------------


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """The text with the values of secrets (by their keyring names) replaced by what the person
    wrote for them. The person named each one, so even a short one is taken out."""
    found: list[tuple[str, str]] = []
    for name, value in secrets.items():
        found += [(part, f"{{{{secret:{name}}}}}") for part in _parts(value)]

    return _without(text, found)


def without_values(text: str, secrets: Iterable[str]) -> str:
    """The text without secrets that have no name. One that is too short for a key stays: its
    removal would remove ordinary words too."""
    found: list[tuple[str, str]] = []
    for value in secrets:
        if len(value) >= SHORTEST:
            parts = (value, *_parts(value))
            found += [(part, REDACTED) for part in parts if len(part) >= SHORTEST_LINE]

    return _without(text, found)


def _without(text: str, found: list[tuple[str, str]]) -> str:
    # The longest first: one may be a piece of another.
    for part, shown in sorted(found, reverse=True, key=lambda one: len(one[0])):
        text = _without_written(text, part, shown)
        text = _without_hexadecimal(text, part, shown)
        for form in _in_base64(part):
            text = text.replace(form, shown)

    return text


def _without_written(text: str, part: str, shown: str) -> str:
    if not _may_be_escaped(text, part):
        return text.replace(part, shown)  # many times faster

    # A function, as a replacement text would be read for backslashes.
    return _pattern(part).sub(partial(_replacement, shown), text)


def _may_be_escaped(text: str, part: str) -> bool:
    """Whether the text contains what every way to write a character differently begins with."""
    return "%" in text or "\\" in text or ("+" in text and " " in part)


def _without_hexadecimal(text: str, part: str, shown: str) -> str:
    digits = part.encode(errors="surrogatepass").hex()
    if len(digits) < 2 * SHORTEST_ENCODED or digits not in text.lower():
        return text

    return re.sub(digits, partial(_replacement, shown), text, flags=re.IGNORECASE)


def _replacement(shown: str, _match: re.Match[str]) -> str:
    return shown


def _parts(value: str) -> Iterator[str]:
    """The value, and each line of one that has several: an output may show only its last one."""
    whole = value.strip()
    if whole:
        yield whole

    lines = whole.splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(line.strip()) >= SHORTEST_LINE)


@lru_cache(MOST_PATTERNS)
def _pattern(part: str) -> re.Pattern[str]:
    """A pattern that finds it, whichever of its characters are escaped."""
    return re.compile("".join(map(_character_pattern, part)))


def _character_pattern(character: str) -> str:
    """A pattern for one character in every way in which it can be written. Each way has a fixed
    length, so that searching takes linear time, and begins with a character of its own, so that
    most of a text is skipped quickly."""
    in_url = "".join(f"%{byte:02x}" for byte in character.encode(errors="surrogatepass"))
    in_json = "".join(f"\\u{unit:04x}" for unit in _utf_16(character))
    ways = [  # the escapes first: a `%` is also the beginning of its own `%25`
        _in_either_case(in_url),
        _in_either_case(in_json),
    ]

    if character in JSON_SHORT:
        ways.append(re.escape(JSON_SHORT[character]))
    if character == " ":
        ways.append(r"\+")

    ways.append(re.escape(character))
    return f"(?:{'|'.join(ways)})"


def _in_either_case(escape: str) -> str:
    return "".join(f"[{one}{one.upper()}]" if one.isalpha() else re.escape(one) for one in escape)


def _utf_16(character: str) -> list[int]:
    data = character.encode("utf-16-be", errors="surrogatepass")
    return [int.from_bytes(data[place : place + 2]) for place in range(0, len(data), 2)]


@lru_cache(MOST_PATTERNS)
def _in_base64(part: str) -> tuple[str, ...]:
    """The part of its base64 form that is the same whatever comes before and after it, as in
    `user:secret`."""
    secret = part.encode(errors="surrogatepass")
    if len(secret) < SHORTEST_ENCODED:
        return ()

    import base64  # imported here: only a beat that has secrets needs it

    forms: list[str] = []
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        forms.append(encode(secret).decode())
        for before in range(3):
            text = encode(bytes(before) + secret).decode()
            forms.append(text[(before * 8 + 5) // 6 : (before + len(secret)) * 8 // 6])

    return tuple(forms)


# -- what looks like a secret ---------------------------------------------------------------------


def secrets_of_environment(variables: Mapping[str, str]) -> list[str]:
    """The values of the variables whose names say that they are secret."""
    words = (*NAMES_OF_SECRETS, KEY)
    return [
        value for name, value in variables.items() if any(word in name.lower() for word in words)
    ]


def without_tokens(text: str) -> str:
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    lower = line.lower()
    ends = [end for word in NAMES_OF_SECRETS if (end := _end_of_name(lower, word)) is not None]
    if ends:
        return f"{line[: min(ends)]} {REDACTED}"
    if not any(start in line for start in TOKEN_STARTS):
        return line  # nearly every line

    return " ".join(_without_token(word) for word in line.split(" "))


def _end_of_name(line: str, word: str) -> int | None:
    """Where the value after such a name begins: behind its `=` or `:`. None if the line has no
    such value."""
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
