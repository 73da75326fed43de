"""From bytes to text. Nothing runs from a file that cannot be decoded."""

from core.rules.reading.blocks import MAXIMUM_BYTES, line_number_at
from core.rules.reading.findings import Findings


def decode(data: bytes, findings: Findings) -> str | None:
    """Return the text, a BOM included; None, and one finding, where the bytes cannot be a workspace
    file."""
    if len(data) > MAXIMUM_BYTES:
        message = "The file is larger than 1 MiB, so nothing of it runs."
        findings.add("HB001", 0, 1, message, "Move what is old to another file.")
        return None

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_number_at(data[: error.start].decode("utf-8"), error.start)
        message = f"The file is not UTF-8 (byte {error.start + 1}), so nothing of it runs."
        findings.add("HB002", line, 1, message, "Save it as UTF-8.")
        return None

    if "\0" in text:
        line = line_number_at(text, text.index("\0"))
        message = "The file contains a NUL character, so nothing of it runs."
        findings.add("HB003", line, 1, message, "Remove it; it may be a damaged file.")
        return None

    return text
