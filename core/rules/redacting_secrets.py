"""Takes known secrets out of a text, by their value: as they are, and as a URL, JSON or base64 writes them."""

import base64
import re
from collections.abc import Iterator, Mapping

SHORTEST_LINE = 8  # characters of one line of a longer secret, such as a private key
SHORTEST_ENCODED = 6  # bytes: what base64 makes of fewer could be anything
JSON_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f", '"': r"\"", "\\": r"\\", "/": r"\/"}


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """The text with the values of secrets (by their keyring names) replaced by what the person wrote for them."""
    found = [(part, name) for name, value in secrets.items() for part in _parts(value)]
    for part, name in sorted(found, reverse=True, key=lambda one: len(one[0])):  # one may be a piece of another
        shown = f"{{{{secret:{name}}}}}"
        text = re.sub("".join(map(_one_sign, part)), lambda _, shown=shown: shown, text)  # type: ignore[misc]
        for form in _in_base64(part.encode(errors="surrogatepass")):
            text = text.replace(form, shown)
    return text


def _parts(value: str) -> Iterator[str]:
    """The value, and each line of one that has several: an output may show only its last one."""
    whole = value.strip()
    if whole:
        yield whole
    lines = whole.splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(line.strip()) >= SHORTEST_LINE)


def _one_sign(sign: str) -> str:
    """A pattern for one character in every way in which it is written. Each takes a fixed number of characters, so
    that the time to look for a secret grows evenly."""
    in_url = "".join(f"%{byte:02x}" for byte in sign.encode(errors="surrogatepass"))
    in_json = "".join(f"\\u{unit:04x}" for unit in _utf_16(sign))
    ways = [f"(?i:{in_url})", f"(?i:{re.escape(in_json)})"]  # first: a `%` is also the beginning of its `%25`
    if sign in JSON_SHORT:
        ways.append(re.escape(JSON_SHORT[sign]))
    if sign == " ":
        ways.append(r"\+")
    ways.append(re.escape(sign))
    return f"(?:{'|'.join(ways)})"


def _utf_16(sign: str) -> list[int]:
    data = sign.encode("utf-16-be", errors="surrogatepass")
    return [int.from_bytes(data[place : place + 2]) for place in range(0, len(data), 2)]


def _in_base64(secret: bytes) -> Iterator[str]:
    """What is certain of it in base64, whatever stands before and after it: `user:secret`, for instance."""
    if len(secret) < SHORTEST_ENCODED:
        return
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(secret).decode()
        for before in range(3):
            text = encode(bytes(before) + secret).decode()
            yield text[(before * 8 + 5) // 6 : (before + len(secret)) * 8 // 6]
