"""Files that are not read at all: nothing runs from them until they are readable again."""

from core.rules.reading.findings import Findings
from core.rules.reading.lines import MAXIMUM_BYTES, line_number_at


def decode(data: bytes, findings: Findings) -> str | None:
    """The text of the bytes, a BOM included; None, and one finding, where they cannot be a workspace file."""
    if len(data) > MAXIMUM_BYTES:
        findings.add(
            "HB001", 0, 1, "The file is larger than 1 MiB, so nothing of it runs.", "Move what is old to another file."
        )
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
        findings.add(
            "HB003",
            line,
            1,
            "The file holds a NUL character, so nothing of it runs.",
            "Remove it; it may be a damaged file.",
        )
        return None
    return text
