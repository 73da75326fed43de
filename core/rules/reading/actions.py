"""Action blocks: a level-3 heading `[PRIORITY] Name`, then its keys.

An action that cannot run as it is written says why, in `unclear`.
"""

from collections.abc import Sequence
from datetime import timedelta

from core.model.action_type import ActionTable, ActionType, Params, Value
from core.model.diagnostic import Unclear
from core.model.document import Action, ActionStatus, Field, Line, Priority
from core.rules.fingerprint import what_is_written
from core.rules.printable import shown
from core.rules.reading.blocks import Block
from core.rules.reading.fields import (
    LATER_FIELDS,
    Entry,
    read_attempts,
    read_duration_field,
    read_entries,
    read_schedule_field,
    without_backticks,
)
from core.rules.reading.findings import Findings
from core.rules.reading.hidden import report_hidden
from core.rules.reading.tasks import identifier_of, read_id, slug
from core.rules.variables import NAMES, unknown_names

COMMON_KEYS = (
    "id",
    "type",
    "status",
    "schedule",
    "retry",
    "retry_delay",
    "timeout",
    "depends_on",
    "condition",
    "params",
    "sandbox",
)
WRITTEN_KEYS = ("completed_at", "duration", "result", "failed_at", "error", "retry_count", "reason")
# Keys whose values a person reads and nothing runs: their characters may be any.
WORDS_FOR_PEOPLE = ("title", "message", "content", "body", "expect_body")
NESTING_KEYS = ("params", "depends_on")  # in addition to the tables of the types

Types = ActionTable[ActionType]


def read_action(
    title: str, lines: Sequence[Line], blocks: Sequence[Block], types: Types, findings: Findings
) -> Action | None:
    """Return the action of one block, heading line first; None if it has neither a name nor an
    id."""
    heading = lines[0]
    priority, name = _heading(title, heading, findings)
    entries, other = read_entries(lines[1:], blocks[1:])

    for line in other:
        fix = "Write `- **key**: value`, or move the text out of the block."
        findings.add("HB312", line.number, 1, "This line of the action is not read.", fix)

    return _Block(heading, priority, name, entries, types, findings).action()


def _heading(title: str, line: Line, findings: Findings) -> tuple[Priority, str]:
    if not title.startswith("["):
        return Priority.MEDIUM, title

    word, bracket, name = title[1:].partition("]")
    wanted = word.strip().upper()
    if bracket and wanted in Priority.__members__:
        return Priority[wanted], name.strip()

    if wanted == "BACKGROUND":
        fix = "Did you mean `BG`?"
    else:
        fix = findings.did_you_mean(word, Priority.__members__)

    message = f"`[{shown(word, 30)}]` is not a priority; it is run as MEDIUM."
    findings.add("HB305", line.number, line.text.find("[") + 2, message, fix)

    return Priority.MEDIUM, name.strip() if bracket else title


class _Block:
    def __init__(
        self,
        heading: Line,
        priority: Priority,
        name: str,
        entries: list[Entry],
        types: Types,
        findings: Findings,
    ) -> None:
        self.heading = heading
        self.priority = priority
        self.name = name
        self.types = types
        self.findings = findings
        self.unclear: Unclear | None = None
        self.own: dict[str, Entry] = {}  # the known keys of the block itself
        self.fields: list[Field] = []

        for entry in entries:
            self._take(entry)

        self.nested = self._params()  # the keys below `params`

    def action(self) -> Action | None:
        identifier = self._identifier()
        if not identifier:
            return None

        kind = self._type()
        params = self._type_values(kind)
        if kind:
            self._check_values(kind, params)

        return Action(
            id=identifier,
            name=self.name or identifier,
            priority=self.priority,
            type=kind,
            status=self._status(),
            schedule=self._schedule(),
            retry=self._retry(),
            retry_delay=self._duration("retry_delay", timedelta(seconds=30)),
            timeout=self._duration("timeout", timedelta(minutes=5)),
            depends_on=self._depends_on(),
            condition=self._text("condition") or None,
            params=params,
            sandbox=self._sandbox(),
            line=self.heading.number,
            fields=tuple(self.fields),
            unclear=self.unclear,
        )

    # -- the lines ---------------------------------------------------------------------------------

    def _take(self, entry: Entry) -> None:
        key = entry.key.lower()
        if not key:
            message = "This line of the action is not read."
            self._report("HB312", entry, message, "Write `- **key**: value`.")
            return

        self.fields.append(Field(key, entry.value, entry.line, entry.start, entry.end))
        if key in self.own:
            fix = "Keep one of the two; the first one is used."
            self._report("HB306", entry, f"`{shown(key)}` appears twice.", fix)
        elif key in COMMON_KEYS or key in WRITTEN_KEYS or key in self.types.keys:
            self.own[key] = entry
            if entry.children and not self._nests(key):
                self._report_below(entry)
        elif key in LATER_FIELDS:
            message = f"`{key}` is not supported in an action yet, so the action does not run."
            self._unclear("HB216", entry, message, "Remove the line for now.")
        else:
            message = f"`{shown(key)}` is not a key of an action; it is not used."
            fix = self.findings.did_you_mean(key, (*COMMON_KEYS, *self.types.keys))
            self._report("HB306", entry, message, fix)

    def _params(self) -> dict[str, Entry]:
        params = self.own.get("params")
        if not params:
            return {}

        nested: dict[str, Entry] = {}
        for entry in params.children:
            key = entry.key.lower()
            if not key:
                message = "This line of `params` is not read."
                self._report("HB312", entry, message, "Write `- key: value`.")
            elif key in nested or key in self.own:
                message = f"`{shown(entry.key)}` appears twice; this line is not used."
                fix = "Keep one of the two; a key of the block wins over one in `params`."
                self._report("HB306", entry, message, fix)
            else:
                nested[key] = entry
                if not self._nests(key):
                    self._report_below(entry)

        if params.value:
            fix = "Write each one below it: `  - key: value`."
            self._report("HB307", params, "`params` takes a nested list.", fix)

        return nested

    # -- the id and the type -----------------------------------------------------------------------

    def _identifier(self) -> str:
        written = self.own.get("id")
        if written:
            identifier = read_id(
                written.value, "HB315", written.line, written.column + 1, self.findings
            )
            if identifier:
                return identifier

        line = self.heading.number
        identifier = slug(self.name)
        if identifier:
            message = f"This action has no id; `{identifier}` is used."
            fix = (
                f"Write `- **id**: {identifier}`, so that renaming it does not make it a new "
                "action."
            )
            self.findings.add("HB301", line, 1, message, fix)
        else:
            message = "This action has neither a name nor an id."
            fix = "Write `### [MEDIUM] Name` and `- **id**: name`."
            self.findings.add("HB313", line, 1, message, fix)

        return identifier

    def _type(self) -> ActionType | None:
        written = self._entry("type")
        if written and written.value:
            word = written.value.lower()
            if found := self.types.get(word):
                return found

            message = f"`{shown(written.value)}` is not a type of action."
            fix = self.findings.did_you_mean(word, self.types.names)
            self._unclear("HB303", written, message, fix)
            return None

        for kind in self.types:
            if any(self._entry(key) for key in kind.implied_by):
                return kind

        first, *others = self.types.names
        fix = f"Write `- **type**: {first}` (or {', '.join(others)}) and what it needs."
        self._unclear("HB303", None, "It does not say what kind of action it is.", fix)
        return None

    # -- the keys of the type ----------------------------------------------------------------------

    def _type_values(self, kind: ActionType | None) -> dict[str, Value]:
        """Return the values of the type's keys; a key of the block wins over one in `params`."""
        own = {key: entry for key, entry in self.own.items() if key in self.types.keys}
        entries = self.nested | own

        values: dict[str, Value] = {}
        for key, entry in entries.items():
            if key in COMMON_KEYS or key in WRITTEN_KEYS:
                message = f"`{key}` has no effect inside `params`."
                self._report("HB308", entry, message, "Move it out of `params`.")
                continue

            self._check_key(key, entry, kind)
            values[key] = self._value(key, entry)
            self._check_variables(entry)
            if kind and key in kind.keys and key not in WORDS_FOR_PEOPLE:
                self._report_hidden(entry)

        return values

    def _report_hidden(self, entry: Entry) -> None:
        for one in (entry, *entry.children):
            report_hidden(one.value, one.line, one.value_column, self.findings)

    def _check_key(self, key: str, entry: Entry, kind: ActionType | None) -> None:
        known = kind.keys if kind else self.types.keys
        if key in known:
            return

        message = f"`{shown(key)}` means nothing to {kind.name if kind else 'such'} actions."
        close = self.findings.nearest(key, known)
        fix = f"Did you mean `{close}`?" if close else f"It takes: {', '.join(known)}."
        self._report("HB308", entry, message, fix)

    def _check_variables(self, entry: Entry) -> None:
        for value in [entry.value, *(child.value for child in entry.children)]:
            if "{{" not in value:  # nearly all
                continue

            for name in unknown_names(value):
                fix = self.findings.did_you_mean(name, NAMES)
                self._unclear("HB317", entry, f"`{{{{{shown(name)}}}}}` is not a variable.", fix)

    def _value(self, key: str, entry: Entry) -> Value:
        if key in self.types.table_keys:
            return self._table(key, entry)

        return without_backticks(entry.value) if key in self.types.command_keys else entry.value

    def _table(self, key: str, entry: Entry) -> dict[str, str]:
        fix = "Write each one on a line below it: `  - NAME: value`."
        if entry.value:
            self._unclear("HB316", entry, f"`{key}` takes a nested list.", fix)

        table: dict[str, str] = {}
        for child in entry.children:
            self._report_below(child)
            if not child.key:
                message = f"`{shown(child.value)}` is not a line of `{key}`."
                self._unclear("HB316", child, message, fix)
            elif child.key in table:
                message = f"`{shown(child.key)}` appears twice; the first one is used."
                self._report("HB306", child, message, "Keep one of them.")
            else:
                table[child.key] = child.value

        return table

    def _check_values(self, kind: ActionType, params: Params) -> None:
        """Report what the type says about its keys: what is wrong, and which are missing."""
        for flaw in kind.flaws(params):
            hint = flaw.hint or self.findings.did_you_mean(self._text(flaw.key), flaw.known)
            report = self._unclear if flaw.stops_it else self._report
            report(flaw.code, self._entry(flaw.key), flaw.message, hint)

        missing = kind.missing(params)
        if missing:
            words = " and ".join(f"`{key}`" for key in missing)
            message = f"A {kind.name} action needs {words}."
            fix = f"Add `- **{missing[0]}**: …`."
            self._unclear("HB304", None, message, fix, " ".join((kind.name, *missing)))

    def _nests(self, key: str) -> bool:
        """Say whether the key takes a list below it."""
        return key in NESTING_KEYS or key in self.types.table_keys

    # -- the common keys ---------------------------------------------------------------------------

    def _status(self) -> ActionStatus:
        written = self._text("status").upper()
        if not written:
            return ActionStatus.PENDING
        if written in ActionStatus.__members__:
            return ActionStatus[written]

        fix = self.findings.did_you_mean(written, ActionStatus.__members__)
        self._unclear("HB310", self.own["status"], f"`{shown(written)}` is not a status.", fix)
        return ActionStatus.NEEDS_CLARIFICATION

    def _schedule(self) -> str | None:
        entry = self._entry("schedule")
        if not entry or not entry.value:
            return None

        problem = read_schedule_field(entry.value, entry.line, entry.column + 1, self.findings)
        if problem:
            self._cannot_run("HB401", problem.message, entry.value)

        return entry.value

    def _retry(self) -> int:
        entry = self._entry("retry")
        if not entry:
            return 1

        attempts = read_attempts(entry.value)
        if attempts is not None:
            return attempts

        fix = "Write a whole number from 1 to 100; for now 1 is used."
        self._report("HB307", entry, f"`{shown(entry.value)}` is not a number of attempts.", fix)
        return 1

    def _duration(self, key: str, default: timedelta) -> timedelta:
        entry = self._entry(key)
        if not entry:
            return default

        duration = read_duration_field(entry.value, entry.line, entry.column + 1, self.findings)
        if duration is None:
            self._cannot_run("HB403", f"`{key}` cannot be read", f"{key}: {entry.value}")
            return default

        if key == "timeout" and not duration:
            message = "A timeout of 0 leaves the action no time."
            self._unclear("HB403", entry, message, "Write for example `5m`.")

        return duration

    def _depends_on(self) -> tuple[str, ...]:
        entry = self._entry("depends_on")
        if not entry:
            return ()

        words = [*entry.value.split(","), *(child.value for child in entry.children)]
        names = [identifier_of(word.strip("[] \t")) for word in words]
        return tuple(dict.fromkeys(name for name in names if name))

    def _sandbox(self) -> bool:
        entry = self._entry("sandbox")
        if not entry or entry.value.lower() in ("false", "no"):
            return False

        if entry.value.lower() not in ("true", "yes"):
            fix = "Write `true` or `false`; for now it runs in the sandbox."
            self._report("HB307", entry, f"`{shown(entry.value)}` is neither true nor false.", fix)

        return True

    # -- finding and reporting ---------------------------------------------------------------------

    def _entry(self, key: str) -> Entry | None:
        """Return the line of a key; a key of the type may also be in `params`."""
        entry = self.own.get(key)
        if entry is None and key in self.types.keys:
            return self.nested.get(key)

        return entry

    def _text(self, key: str) -> str:
        entry = self._entry(key)
        return entry.value if entry else ""

    def _report_below(self, entry: Entry) -> None:
        """Report items nested below a line that takes none."""
        message = f"`{shown(entry.key)}` takes one value; the lines below it are not read."
        # Not by recursion: a file may nest a thousand of them.
        waiting = list(entry.children)
        while waiting:
            child = waiting.pop()
            waiting += child.children
            self._report("HB312", child, message, "Write the value on the line of its key.")

    def _report(self, code: str, entry: Entry | None, message: str, hint: str) -> None:
        line, column = (entry.line, entry.column + 1) if entry else (self.heading.number, 1)
        self.findings.add(code, line, column, message, hint)

    def _unclear(
        self, code: str, entry: Entry | None, message: str, hint: str, about: str = ""
    ) -> None:
        about = what_is_written(entry.key, entry.value) if entry else about
        self._cannot_run(code, message, about)
        self._report(code, entry, message, hint)

    def _cannot_run(self, code: str, message: str, about: str) -> None:
        self.unclear = self.unclear or Unclear(message.rstrip("."), code, about)
