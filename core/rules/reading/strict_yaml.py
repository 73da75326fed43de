"""The strict part of YAML: tables, lists and simple values, each key once; no aliases or tags.

`10:30`, `on` and `no` stay text. The parser's events are read one by one, so that a YAML bomb is
refused before it grows.

YAML also ends a line at U+0085, U+2028 and U+2029, where no editor and no other part of the reader
does: they are refused, because a person would see one line and YAML two. Places are positions in
the text, never lines.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from core.rules.reading.blocks import BOM

MAXIMUM_CHARACTERS = 64 * 1024
MAXIMUM_DEPTH = 8
MAXIMUM_VALUES = 2000


class YamlProblem(Exception):  # noqa: N818 - it is a finding, not a failure of the program
    """What is wrong, and where in the YAML text."""

    def __init__(self, code: str, position: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.position = position
        self.message = message


class YamlEntry(NamedTuple):
    """One key of the outermost table."""

    value: object
    position: int  # of the key, in the YAML text
    start: int  # of the value, in the same text
    end: int
    simple: bool  # a value on the key's own line, which can be replaced there


def read_yaml(text: str) -> dict[str, YamlEntry]:
    """Return the table in the text; raise YamlProblem if it is not a table. An empty text is an
    empty table."""
    if len(text) > MAXIMUM_CHARACTERS:
        raise YamlProblem("HB105", 0, f"it is longer than {MAXIMUM_CHARACTERS // 1024} KiB")

    simple = read_simple(text)
    return read_full(text) if simple is None else simple


def read_full(text: str) -> dict[str, YamlEntry]:
    """Return the table by all rules of YAML that are allowed."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    bare = text.lstrip(BOM)  # one parser counts it and the other does not
    skipped = len(text) - len(bare)
    separator = _SEPARATOR.search(text)
    if separator:
        words = f"U+{ord(separator.group()):04X} ends a line in YAML and nowhere else"
        raise YamlProblem("HB102", separator.start(), words)

    try:
        return _Builder(iter(yaml.parse(bare, Loader=loader)), skipped).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(str(error.problem or error.context or "it cannot be read").split())
        raise YamlProblem("HB102", skipped + mark.index if mark else 0, words) from None
    except yaml.YAMLError as error:
        raise YamlProblem("HB102", 0, " ".join(str(error).split())[:120]) from None


# Line ends of YAML alone: what follows one would be a key here, and part of a comment for a person.
_SEPARATOR = re.compile(r"[\x85\u2028\u2029]")

# A line that no rule of YAML reads in another way: `key: words`, with colons only inside a word.
_SIMPLE_LINE = re.compile(
    r"(?P<key>[A-Za-z_]\w*): +"
    r"(?P<value>[A-Za-z0-9][\w./+-]*(?:[ :][\w./+][\w./+-]*)*)"
    r" *(?: #[ -~]*)?",
    re.ASCII,
)


def read_simple(text: str) -> dict[str, YamlEntry] | None:
    """Return the table of lines that are all simple, each key once; None if YAML must decide.

    Most frontmatter is like this, and importing YAML takes longer than all the rest of reading a
    file.
    """
    table: dict[str, YamlEntry] = {}
    start = 0
    for line in text.split("\n"):
        bare = line.removesuffix("\r")
        if bare:
            match = _SIMPLE_LINE.fullmatch(bare)
            if not match or match["key"] in table or len(table) == MAXIMUM_VALUES:
                return None

            first, last = match.span("value")
            table[match["key"]] = YamlEntry(
                resolve(match["value"]), start, start + first, start + last, True
            )

        start += len(line) + 1

    return table


class _Builder:
    def __init__(self, events: Iterator[Any], skipped: int) -> None:
        self.events = events
        self.skipped = skipped  # characters before the text that the parser was given
        self.values = 0

    def document(self) -> dict[str, YamlEntry]:
        for event in self.events:
            match type(event).__name__:
                case "StreamStartEvent" | "DocumentStartEvent":
                    continue
                case "StreamEndEvent" | "DocumentEndEvent":
                    return {}
                case "MappingStartEvent":
                    table = self._top(event)
                    self._nothing_after()
                    return table
                case "ScalarEvent" if not event.value and not event.style:
                    return {}
                case _:  # a list, a text, an alias
                    raise self._problem("HB102", event, "it must be lines of `key: value`")

        return {}

    def _nothing_after(self) -> None:
        for event in self.events:
            if type(event).__name__ == "DocumentStartEvent":
                raise self._problem("HB102", event, "a second YAML document starts here")

    def _top(self, opening: Any) -> dict[str, YamlEntry]:
        self._refuse_marks(opening)
        table: dict[str, YamlEntry] = {}
        for event in self.events:
            if type(event).__name__ == "MappingEndEvent":
                break

            key = self._key(event, table)
            value = next(self.events)
            start = value.start_mark
            end = value.end_mark
            simple = (
                type(value).__name__ == "ScalarEvent"
                and value.style not in ("|", ">")
                and start.line == end.line == event.start_mark.line
                and not opening.flow_style
            )

            content = self._value(value, 2)
            table[key] = YamlEntry(
                content,
                self.skipped + event.start_mark.index,
                self.skipped + start.index,
                self.skipped + end.index,
                simple,
            )

        return table

    def _value(self, event: Any, depth: int) -> object:
        self._refuse_marks(event)
        self.values += 1
        if self.values > MAXIMUM_VALUES or depth > MAXIMUM_DEPTH:
            raise self._problem(
                "HB105", event, f"more than {MAXIMUM_DEPTH} levels or {MAXIMUM_VALUES} values"
            )

        match type(event).__name__:
            case "ScalarEvent":
                return event.value if event.style else resolve(event.value)
            case "SequenceStartEvent":
                items: list[object] = []
                while type(item := next(self.events)).__name__ != "SequenceEndEvent":
                    items.append(self._value(item, depth + 1))

                return items
            case _:  # a table; an alias was refused above
                table: dict[str, object] = {}
                while type(item := next(self.events)).__name__ != "MappingEndEvent":
                    key = self._key(item, table)
                    table[key] = self._value(next(self.events), depth + 1)

                return table

    def _key(self, event: Any, table: dict[str, Any]) -> str:
        self._refuse_marks(event)
        if type(event).__name__ != "ScalarEvent":
            raise self._problem("HB102", event, "a key must be a simple word")

        key = str(event.value)
        if key == "<<":
            raise self._problem("HB104", event, "the merge key `<<` is not allowed")
        if key in table:
            raise self._problem("HB103", event, f"`{key[:40]}` appears twice")

        return key

    def _refuse_marks(self, event: Any) -> None:
        """Refuse an alias, an anchor or a tag."""
        if type(event).__name__ == "AliasEvent" or getattr(event, "anchor", None):
            raise self._problem("HB104", event, "anchors (&) and aliases (*) are not allowed")
        if getattr(event, "tag", None):
            raise self._problem("HB104", event, "tags (!) are not allowed")

    def _problem(self, code: str, event: Any, message: str) -> YamlProblem:
        return YamlProblem(code, self.skipped + event.start_mark.index, message)


def resolve(text: str) -> object:
    """Return a plain value: true, false, null, a decimal number, or the text as it was written."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False

    digits = text[1:] if text[0] in "+-" else text
    if len(digits) <= 15 and digits.isascii():
        if digits.isdigit() and (digits == "0" or digits[0] != "0"):
            return int(text)

        whole, dot, fraction = digits.partition(".")
        if dot and whole.isdigit() and fraction.isdigit():
            return float(text)

    return text
