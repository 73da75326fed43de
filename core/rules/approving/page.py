"""What a person is shown about something that waits for approval: what it is, where it is written,
what changed and what it can reach.

Characters that could hide or reverse a part of it are never printed as they are: see `visible`.
"""

from collections.abc import Iterator

from core.model.approval import (
    OUTSIDE,
    UNREADABLE,
    ExecutableKind,
    Fields,
    Reviewed,
    ReviewState,
    Script,
)
from core.model.light_dataclass import light_dataclass
from core.model.settings import Settings
from core.rules.approving.command_words import unresolved
from core.rules.printable import visible

REVIEW_STATES = {
    ReviewState.APPROVED: "approved",
    ReviewState.NEW: "new",
    ReviewState.CHANGED: "changed since you approved it",
    ReviewState.SCRIPT_CHANGED: "a script that it names changed since you approved it",
    ReviewState.MOVED: "approved before this folder was moved, and the same since",
    ReviewState.UNREADABLE: "cannot be approved: a script that it names cannot be read",
}


@light_dataclass(frozen=True, slots=True)
class Row:
    """A field, or a script and its hash."""

    name: str
    before: str | None  # as it was approved; None: it was not there
    after: str | None  # None: it is gone


@light_dataclass(frozen=True, slots=True)
class ApprovalPage:
    """What is shown. All of it is visible text."""

    key: str
    title: str
    where: str
    standing: str
    is_new: bool  # nothing was approved under this key
    fields: tuple[Row, ...]
    scripts: tuple[Row, ...]
    reach: tuple[str, ...]


def page_of(reviewed: Reviewed, settings: Settings) -> ApprovalPage:
    one = reviewed.executable
    before = reviewed.before
    place = f"{one.file}, line {one.line}" if one.line else one.file
    return ApprovalPage(
        key=visible(one.key),
        title=visible(one.title),
        where=visible(place),
        standing=REVIEW_STATES[reviewed.standing],
        is_new=before is None,
        fields=_rows(before.fields if before else (), one.fields),
        scripts=_rows(
            _script_fields(before.scripts if before else ()), _script_fields(reviewed.scripts)
        ),
        reach=tuple(visible(line) for line in _reach(reviewed, settings)),
    )


def _rows(before: Fields, after: Fields) -> tuple[Row, ...]:
    """The current fields in their order, each with its earlier value; then those that are gone."""
    old = _by_name(before)
    new = _by_name(after)
    names = {**new, **old}
    return tuple(Row(visible(name), _seen(old.get(name)), _seen(new.get(name))) for name in names)


def _by_name(fields: Fields) -> dict[str, str]:
    """Each name once: where a name appears several times (`argument`), the later ones get a
    number."""
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
    return tuple(
        (script.name, words.get(script.digest, f"sha256 {script.digest}")) for script in scripts
    )


def lines_of(shown: ApprovalPage) -> list[str]:
    """The same as lines of text."""
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


def _reach(reviewed: Reviewed, settings: Settings) -> Iterator[str]:
    one = reviewed.executable
    yield from one.reach
    if one.kind is ExecutableKind.GATE and settings.gates.unsandboxed:
        yield "where no sandbox works it runs as you, because gates.unsandboxed is true"

    for word in (word for command in one.commands for word in unresolved(command)):
        yield f"what {word} stands for is known only when it runs, and is not part of the approval"
