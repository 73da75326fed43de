"""Action blocks: a level-3 heading `[PRIORITY] Name`, then its keys. What cannot run as written says why."""

from collections.abc import Sequence
from datetime import timedelta

from core.model.document import Action, ActionStatus, ActionType, Field, Line, Priority, Value
from core.rules.reading.blocks import Block
from core.rules.reading.fields import Entry, read_entries
from core.rules.reading.findings import Findings, shown
from core.rules.reading.tasks import identifier_of, read_id, slug
from core.rules.reading.values import read_duration_field, read_schedule_field, without_backticks
from core.rules.variables import NAMES, unknown_names

TYPE_KEYS: dict[ActionType, tuple[str, ...]] = {
    ActionType.SHELL: ("command", "working_dir", "env"),
    ActionType.HTTP: ("target", "url", "method", "headers", "body", "expect_status", "expect_body"),
    ActionType.FILE: ("operation", "path", "source", "destination", "pattern", "content", "older_than"),
    ActionType.NOTIFY: ("title", "message", "urgency", "channel"),
}
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
TABLE_KEYS = ("env", "headers")
NESTING_KEYS = (*TABLE_KEYS, "params", "depends_on")  # the only ones with a list below them
TYPES = frozenset(ActionType)
WEB = ("http://", "https://")
FILE_OPERATIONS = ("read", "write", "append", "delete", "move", "copy", "mkdir")
ALL_TYPE_KEYS = dict.fromkeys(key for keys in TYPE_KEYS.values() for key in keys)  # in order, and quick to ask
KNOWN_KEYS = frozenset((*COMMON_KEYS, *WRITTEN_KEYS, *ALL_TYPE_KEYS))


def read_action(title: str, lines: Sequence[Line], blocks: Sequence[Block], findings: Findings) -> Action | None:
    """The action of one block, heading line first; None where it has neither a name nor an id."""
    heading = lines[0]
    priority, name = _heading(title, heading, findings)
    entries, other = read_entries(lines[1:], blocks[1:])
    for line in other:
        mend = "Write `- **key**: value`, or move the text out of the block."
        findings.add("HB312", line.number, 1, "This line of the action is not read.", mend)
    return _Block(heading, priority, name, entries, findings).action()


def _heading(title: str, line: Line, findings: Findings) -> tuple[Priority, str]:
    if not title.startswith("["):
        return Priority.MEDIUM, title
    word, bracket, name = title[1:].partition("]")
    wanted = word.strip().upper()
    if bracket and wanted in Priority.__members__:
        return Priority[wanted], name.strip()
    mend = findings.did_you_mean(word, Priority.__members__) if wanted != "BACKGROUND" else "Did you mean `BG`?"
    message = f"`[{shown(word, 30)}]` is not a priority; it is run as MEDIUM."
    findings.add("HB305", line.number, line.text.find("[") + 2, message, mend)
    return Priority.MEDIUM, name.strip() if bracket else title


class _Block:
    def __init__(self, heading: Line, priority: Priority, name: str, entries: list[Entry], findings: Findings) -> None:
        self.heading = heading
        self.priority = priority
        self.name = name
        self.findings = findings
        self.unclear = ""
        self.own: dict[str, Entry] = {}
        self.fields: list[Field] = []
        for entry in entries:
            self._take(entry)
        self.nested = self._params()

    def action(self) -> Action | None:
        identifier = self._identifier()
        if not identifier:
            return None
        kind = self._type()
        params = self._type_values(kind)
        if kind:
            self._needed(kind, params)
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

    def _take(self, entry: Entry) -> None:
        key = entry.key.lower()
        if not key:
            self._report("HB312", entry, "This line of the action is not read.", "Write `- **key**: value`.")
            return
        self.fields.append(Field(key, entry.value, entry.line, entry.start, entry.end))
        if key in self.own:
            self._report("HB306", entry, f"`{shown(key)}` stands twice.", "Keep one of the two; the first holds.")
        elif key in KNOWN_KEYS:
            self.own[key] = entry
            if entry.children and key not in NESTING_KEYS:
                self._report_below(entry)
        else:
            mend = self.findings.did_you_mean(key, (*COMMON_KEYS, *ALL_TYPE_KEYS))
            self._report("HB306", entry, f"`{shown(key)}` is not a key of an action; it is not used.", mend)

    def _params(self) -> dict[str, Entry]:
        params = self.own.get("params")
        nested: dict[str, Entry] = {}
        for entry in params.children if params else []:
            if not entry.key:
                self._report("HB312", entry, "This line of `params` is not read.", "Write `- key: value`.")
            elif entry.key.lower() in nested or entry.key.lower() in self.own:
                message = f"`{shown(entry.key)}` stands twice; this line is not used."
                self._report(
                    "HB306", entry, message, "Keep one of the two; what stands in the block wins over `params`."
                )
            else:
                nested[entry.key.lower()] = entry
                if entry.key.lower() not in NESTING_KEYS:
                    self._report_below(entry)
        if params and params.value:
            self._report("HB307", params, "`params` takes a nested list.", "Write each one below it: `  - key: value`.")
        return nested

    def _identifier(self) -> str:
        written = self.own.get("id")
        if written:
            identifier = read_id(written.value, "HB315", written.line, written.column + 1, self.findings)
            if identifier:
                return identifier
        identifier = slug(self.name)
        if identifier:
            mend = f"Write `- **id**: {identifier}`, so that renaming it does not make it a new action."
            self.findings.add("HB301", self.heading.number, 1, f"This action has no id; `{identifier}` is used.", mend)
        else:
            mend = "Write `### [MEDIUM] Name` and `- **id**: name`."
            self.findings.add("HB313", self.heading.number, 1, "This action has neither a name nor an id.", mend)
        return identifier

    def _type(self) -> ActionType | None:
        written = self._entry("type")
        if written and written.value:
            word = written.value.lower()
            if word in TYPES:
                return ActionType(word)
            mend = self.findings.did_you_mean(word, list(ActionType))
            self._unclear("HB303", written, f"`{shown(written.value)}` is not a type of action.", mend)
            return None
        if self._entry("command"):
            return ActionType.SHELL
        if self._entry("target") or self._entry("url"):
            return ActionType.HTTP
        mend = "Write `- **type**: shell` (or http, file, notify) and what it needs."
        self._unclear("HB303", None, "It does not say what kind of action it is.", mend)
        return None

    def _type_values(self, kind: ActionType | None) -> dict[str, Value]:
        """The type's keys; what stands in the block wins over what stands in `params`."""
        known = TYPE_KEYS[kind] if kind else ALL_TYPE_KEYS
        values: dict[str, Value] = {}
        for key, entry in {**self.nested, **{k: e for k, e in self.own.items() if k in ALL_TYPE_KEYS}}.items():
            if key in COMMON_KEYS or key in WRITTEN_KEYS:
                self._report("HB308", entry, f"`{key}` has no effect inside `params`.", "Move it out of `params`.")
                continue
            if key not in known:
                close = self.findings.nearest(key, known)
                mend = f"Did you mean `{close}`?" if close else f"It takes: {', '.join(known)}."
                self._report("HB308", entry, f"`{shown(key)}` means nothing to {kind or 'such'} actions.", mend)
            values[key] = self._value(key, entry)
            self._check_variables(entry)
        return values

    def _check_variables(self, entry: Entry) -> None:
        values = [entry.value, *[child.value for child in entry.children]]
        for value in [value for value in values if "{{" in value]:
            for name in unknown_names(value):
                mend = self.findings.did_you_mean(name, NAMES)
                self._unclear("HB317", entry, f"`{{{{{shown(name)}}}}}` is not a variable.", mend)

    def _value(self, key: str, entry: Entry) -> Value:
        if key in TABLE_KEYS:
            return self._table(key, entry)
        return without_backticks(entry.value) if key == "command" else entry.value

    def _table(self, key: str, entry: Entry) -> dict[str, str]:
        mend = "Write each one on a line below it: `  - NAME: value`."
        if entry.value:
            self._unclear("HB316", entry, f"`{key}` takes a nested list.", mend)
        table: dict[str, str] = {}
        for child in entry.children:
            self._report_below(child)
            if not child.key:
                self._unclear("HB316", child, f"`{shown(child.value)}` is no line of `{key}`.", mend)
            elif child.key in table:
                self._report(
                    "HB306", child, f"`{shown(child.key)}` stands twice; the first holds.", "Keep one of them."
                )
            else:
                table[child.key] = child.value
        return table

    def _needed(self, kind: ActionType, params: dict[str, Value]) -> None:
        missing: tuple[str, ...] = ()
        match kind:
            case ActionType.SHELL:
                missing = _missing(params, "command")
            case ActionType.HTTP:
                missing = () if params.get("url") else _missing(params, "target")
                self._check_web_values()
            case ActionType.NOTIFY:
                missing = _missing(params, "message")
            case ActionType.FILE:
                missing = self._needed_by_file(params)
        if missing:
            words = " and ".join(f"`{key}`" for key in missing)
            self._unclear("HB304", None, f"A {kind} action needs {words}.", f"Add `- **{missing[0]}**: …`.")

    def _check_web_values(self) -> None:
        place = self._entry("target") or self._entry("url")
        if place and place.value and not place.value.lower().startswith((*WEB, "{{")):
            self._report("HB319", place, f"`{shown(place.value)}` is no web address.", "Write `https://example.org/`.")
        status = self._entry("expect_status")
        if status and not (status.value.isascii() and status.value.isdigit() and len(status.value) == 3):
            mend = "Write one number such as `204`; without this line any status from 200 to 299 is fine."
            self._report("HB319", status, f"`{shown(status.value)}` is not a status.", mend)

    def _needed_by_file(self, params: dict[str, Value]) -> tuple[str, ...]:
        operation = params.get("operation")
        if not isinstance(operation, str) or not operation:
            return ("operation",)
        if operation.lower() not in FILE_OPERATIONS:
            entry = self._entry("operation")
            mend = self.findings.did_you_mean(operation, FILE_OPERATIONS)
            self._unclear("HB309", entry, f"`{shown(operation)}` is not an operation on a file.", mend)
            return ()
        match operation.lower():
            case "move" | "copy":
                source = () if params.get("path") or params.get("pattern") else _missing(params, "source")
                return (*source, *_missing(params, "destination"))
            case "write" | "append":
                return (*_missing(params, "path"), *(() if "content" in params else ("content",)))
            case "delete":
                return () if params.get("pattern") else _missing(params, "path")
            case _:
                return _missing(params, "path")

    def _status(self) -> ActionStatus:
        written = self._text("status").upper()
        if not written:
            return ActionStatus.PENDING
        if written in ActionStatus.__members__:
            return ActionStatus[written]
        mend = self.findings.did_you_mean(written, ActionStatus.__members__)
        self._unclear("HB310", self.own["status"], f"`{shown(written)}` is not a status.", mend)
        return ActionStatus.NEEDS_CLARIFICATION

    def _schedule(self) -> str | None:
        entry = self._entry("schedule")
        if not entry or not entry.value:
            return None
        problem = read_schedule_field(entry.value, entry.line, entry.column + 1, self.findings)
        self.unclear = self.unclear or problem
        return entry.value

    def _retry(self) -> int:
        entry = self._entry("retry")
        if not entry:
            return 1
        if entry.value.isascii() and entry.value.isdigit() and len(entry.value) <= 3 and 1 <= int(entry.value) <= 100:
            return int(entry.value)
        mend = "Write a whole number from 1 to 100; 1 is used until then."
        self._report("HB307", entry, f"`{shown(entry.value)}` is no number of attempts.", mend)
        return 1

    def _duration(self, key: str, default: timedelta) -> timedelta:
        entry = self._entry(key)
        if not entry:
            return default
        duration = read_duration_field(entry.value, entry.line, entry.column + 1, self.findings)
        if duration is None:
            self.unclear = self.unclear or f"`{key}` cannot be read"
            return default
        if key == "timeout" and not duration:
            self._unclear("HB403", entry, "A timeout of 0 leaves the action no time.", "Write for example `5m`.")
        return duration

    def _depends_on(self) -> tuple[str, ...]:
        entry = self._entry("depends_on")
        if not entry:
            return ()
        words = [*entry.value.split(","), *(child.value for child in entry.children)]
        return tuple(dict.fromkeys(name for word in words if (name := identifier_of(word.strip("[] \t")))))

    def _sandbox(self) -> bool:
        entry = self._entry("sandbox")
        if not entry or entry.value.lower() in ("false", "no"):
            return False
        if entry.value.lower() not in ("true", "yes"):
            mend = "Write `true` or `false`; it runs in the sandbox until then."
            self._report("HB307", entry, f"`{shown(entry.value)}` is neither true nor false.", mend)
        return True

    def _entry(self, key: str) -> Entry | None:
        """The line of a key; those of the type may stand in `params` too."""
        return self.own.get(key) or (self.nested.get(key) if key in ALL_TYPE_KEYS else None)

    def _text(self, key: str) -> str:
        entry = self._entry(key)
        return entry.value if entry else ""

    def _report_below(self, entry: Entry) -> None:
        """Items nested below a line that takes none; not by recursion, as a file may nest a thousand of them."""
        waiting = list(entry.children)
        while waiting:
            child = waiting.pop()
            waiting += child.children
            message = f"`{shown(entry.key)}` takes one value; the lines below it are not read."
            self._report("HB312", child, message, "Write the value on the line of its key.")

    def _report(self, code: str, entry: Entry | None, message: str, hint: str) -> None:
        line, column = (entry.line, entry.column + 1) if entry else (self.heading.number, 1)
        self.findings.add(code, line, column, message, hint)

    def _unclear(self, code: str, entry: Entry | None, message: str, hint: str) -> None:
        self.unclear = self.unclear or message.rstrip(".")
        self._report(code, entry, message, hint)


def _missing(params: dict[str, Value], key: str) -> tuple[str, ...]:
    return () if params.get(key) else (key,)
