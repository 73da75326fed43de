"""A thing that waits for approval, as a person wants to judge it: what, where from, what changed, what it can reach.

Nothing that could hide or turn round a part of it is printed as it is: see `visible`.
"""

from collections.abc import Iterator

from core.model.approval import OUTSIDE, UNREADABLE, ExecutableKind, Fields, Judged, Script, Standing
from core.model.settings import Settings
from core.model.value import dataclass
from core.rules.permitting.command_words import unresolved

# What `str.isprintable` lets through although nobody sees it: fillers, joiners, variation selectors, blanks.
_UNSEEN = frozenset(
    map(chr, [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)])
) | frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))

STANDINGS = {
    Standing.APPROVED: "approved",
    Standing.NEW: "new",
    Standing.CHANGED: "changed since you approved it",
    Standing.SCRIPT_CHANGED: "a script that it names changed since you approved it",
    Standing.UNREADABLE: "cannot be approved: a script that it names cannot be read",
}
AS_YOU = "runs as you, outside the sandbox: it reaches your files and the network"


def visible(text: str) -> str:
    """The text with every sign that cannot be seen, or that changes how others are seen, as its code point."""
    return "".join(sign if sign.isprintable() and sign not in _UNSEEN else f"<U+{ord(sign):04X}>" for sign in text)


@dataclass(frozen=True, slots=True)
class Row:
    """A field, or a script and its hash."""

    name: str
    before: str | None  # as it was approved; None: it was not there
    after: str | None  # None: it is gone


@dataclass(frozen=True, slots=True)
class Showing:
    """All of it is visible text."""

    key: str
    title: str
    where: str
    standing: str
    is_new: bool  # nothing was approved under this key
    fields: tuple[Row, ...]
    scripts: tuple[Row, ...]
    reach: tuple[str, ...]


def showing_of(judged: Judged, settings: Settings) -> Showing:
    one, before = judged.executable, judged.before
    place = f"{one.file}, line {one.line}" if one.line else one.file
    return Showing(
        key=visible(one.key),
        title=visible(one.title),
        where=visible(place),
        standing=STANDINGS[judged.standing],
        is_new=before is None,
        fields=_rows(before.fields if before else (), one.fields),
        scripts=_rows(_script_fields(before.scripts if before else ()), _script_fields(judged.scripts)),
        reach=tuple(visible(line) for line in _reach(judged, settings)),
    )


def _rows(before: Fields, after: Fields) -> tuple[Row, ...]:
    """The fields of now, in their order, each beside what it was; then those that are gone."""
    old, new = _by_name(before), _by_name(after)
    names = {**new, **old}
    return tuple(Row(visible(name), _seen(old.get(name)), _seen(new.get(name))) for name in names)


def _by_name(fields: Fields) -> dict[str, str]:
    """Each name once: of a name that stands several times (`argument`), the later ones get a number."""
    found: dict[str, str] = {}
    count: dict[str, int] = {}
    for name, text in fields:
        count[name] = count.get(name, 0) + 1
        found[f"{name} {count[name]}" if count[name] > 1 else name] = text
    return found


def _seen(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _script_fields(scripts: tuple[Script, ...]) -> Fields:
    words = {
        UNREADABLE: "cannot be read",
        OUTSIDE: "a link out of the workspace: what it leads to is not part of the approval",
    }
    return tuple((script.name, words.get(script.digest, f"sha256 {script.digest}")) for script in scripts)


def lines_of(shown: Showing) -> list[str]:
    """The same as text, in the order in which it is read."""
    width = max((len(row.name) for row in (*shown.fields, *shown.scripts)), default=0)
    return [
        f"{shown.key}  ({shown.standing})",
        f"  {shown.title}",
        f"  {shown.where}",
        *(line for row in shown.fields for line in _row_lines(row, width, shown.is_new)),
        *(["  scripts:"] if shown.scripts else []),
        *(line for row in shown.scripts for line in _row_lines(row, width, shown.is_new)),
        *(f"  • {line}" for line in shown.reach),
    ]


def _row_lines(row: Row, width: int, is_new: bool) -> Iterator[str]:
    if is_new or row.before == row.after:
        yield f"    {row.name:<{width}}   {row.after}"
        return
    if row.before is not None:
        yield f"    {row.name:<{width}} - {row.before}"
    if row.after is not None:
        yield f"    {row.name:<{width}} + {row.after}"


def _reach(judged: Judged, settings: Settings) -> Iterator[str]:
    one = judged.executable
    values = dict(one.fields)
    match one.kind:
        case ExecutableKind.ACTION:
            yield from _reach_of_action(values)
        case ExecutableKind.GATE:
            yield from _reach_of_gate(one.fields, settings)
        case ExecutableKind.SERVER:
            yield f"{AS_YOU}, for as long as the model works; the model calls its tools"
        case ExecutableKind.CHECK if not values["verify"].lower().lstrip().startswith("cmd"):
            yield "asks that address"
        case _:
            yield f"starts in the workspace, {AS_YOU}"
    command = values.get("command") or values.get("run") or values.get("verify", "").partition(":")[2]
    for word in unresolved(command):
        yield f"what {word} stands for is known only when it runs, and is not part of the approval"


def _reach_of_action(values: dict[str, str]) -> Iterator[str]:
    match values["type"]:
        case "shell":
            yield f"starts in {values.get('working_dir') or 'the workspace'}"
            yield ("runs in the sandbox: the workspace, and no network" if values["sandbox"] == "true" else AS_YOU)
        case "http":
            yield f"sends to {values.get('target') or values.get('url', '')}"
        case "file":
            yield "changes files inside the workspace only; what it deletes or overwrites can be brought back"
        case _:
            yield f"sends its text over the channel {values.get('channel', '')}"


def _reach_of_gate(fields: Fields, settings: Settings) -> Iterator[str]:
    values = dict(fields)
    domains = [text for name, text in fields if name == "domain"]
    yield f"starts in {values.get('cwd') or 'the workspace'}"
    network = f"of the network {', '.join(domains)}" if domains else "no network"
    yield f"runs in the sandbox: the workspace, and {network}"
    if settings.gates.unsandboxed:
        yield "where no sandbox works it runs as you, because gates.unsandboxed is true"
