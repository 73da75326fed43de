"""Everything in a workspace that executes, each with all that decides what it does. Pure: the files are not looked at.

What is not listed here runs without asking: a notification on the desktop that names no secret, and what cannot run as
it is written.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from core.model.approval import Executable, ExecutableKind, Fields
from core.model.check import ExpressionCheck
from core.model.document import Action, ActionType, Gate, Probe, Prompt, Task, Value
from core.model.item import Kind, item_key
from core.model.settings import McpServer, Settings
from core.model.workspace import Workspace
from core.rules.checking.hints import read_check
from core.rules.permitting.command_words import candidates_in
from core.rules.reading.actions import TABLE_KEYS, TYPE_KEYS
from core.rules.variables import secrets_in

DESKTOP = "desktop"
EXECUTING_HINTS = ("cmd", "http", "https")
SETTINGS_FILE = "config.toml"


def executables_of(workspace: Workspace, settings: Settings) -> tuple[Executable, ...]:
    """In the order of the file, then the prompts, then the settings. Each key stands once: the first one holds."""
    servers = [_server(name, one) for name, one in settings.mcp_servers.items()]
    found = [*_of_workspace(workspace), *servers]
    return tuple({one.key: one for one in reversed(found)}.values())[::-1]


@lru_cache(maxsize=1)  # a beat asks several times
def _of_workspace(workspace: Workspace) -> list[Executable]:
    document = workspace.document
    name = workspace.file.name
    tasks = [task for task in document.tasks if not task.checked and not task.unclear]
    probes = {probe.name for probe in document.probes}
    named = {item_key(Kind.TASK, task.id): _probes_of(task, probes) for task in tasks}
    return [
        *(_action(one, name) for one in document.actions if _executes(one)),
        *(part for one in tasks for part in _task(one, name)),
        *(_probe(one, named, name) for one in document.probes),
        *(_gate(one, one.gate) for one in workspace.prompts if one.gate and not one.unclear),
    ]


def _probes_of(task: Task, probes: Collection[str]) -> frozenset[str]:
    """The probes that the task's check measures."""
    check = read_check(task, probes)
    return frozenset(check.probes) if isinstance(check, ExpressionCheck) else frozenset()


def _executes(action: Action) -> bool:
    if action.unclear or action.type is None:
        return False
    if action.type is not ActionType.NOTIFY or (action.params.get("channel") or DESKTOP) != DESKTOP:
        return True
    return any(secrets_in(value) for value in action.params.values() if isinstance(value, str))


def _action(action: Action, file: str) -> Executable:
    assert action.type
    values = [part for key in TYPE_KEYS[action.type] for part in _value(key, action.params.get(key))]
    folder = action.params.get("working_dir", "")
    command = action.params.get("command", "")
    assert isinstance(folder, str)
    assert isinstance(command, str)
    return Executable(
        key=_key(ExecutableKind.ACTION, action.id),
        kind=ExecutableKind.ACTION,
        title=action.name,
        file=file,
        line=action.line,
        fields=(("type", str(action.type)), *values, ("sandbox", "true" if action.sandbox else "false")),
        candidates=candidates_in(command, folder) if action.type is ActionType.SHELL else (),
        needed_by=(item_key(Kind.ACTION, action.id),),
    )


def _value(key: str, value: Value | None) -> Iterator[tuple[str, str]]:
    """A key of an action's type; a table gives one name an entry, and no other key has a name like these."""
    if key in TABLE_KEYS:
        yield from _table(key, value if isinstance(value, Mapping) else {})
    elif isinstance(value, str):
        yield key, value


def _table(key: str, table: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((f"{key}.{name}", table[name]) for name in sorted(table))


def _task(task: Task, file: str) -> Iterator[Executable]:
    for kind, name, text in ((ExecutableKind.RUN, "run", task.run), (ExecutableKind.CHECK, "verify", task.verify)):
        prefix, _, rest = (text or "").partition(":")
        is_hint = kind is ExecutableKind.CHECK
        if not text or (is_hint and prefix.strip().lower() not in EXECUTING_HINTS):
            continue
        command = text if not is_hint else rest if prefix.strip().lower() == "cmd" else ""
        yield Executable(
            key=_key(kind, task.id),
            kind=kind,
            title=task.description,
            file=file,
            line=task.line,
            fields=((name, text),),
            candidates=candidates_in(command) if command else (),
            needed_by=(item_key(Kind.TASK, task.id),),
        )


def _probe(probe: Probe, named: Mapping[str, frozenset[str]], file: str) -> Executable:
    return Executable(
        key=_key(ExecutableKind.PROBE, probe.name),
        kind=ExecutableKind.PROBE,
        title=probe.name,
        file=file,
        line=probe.line,
        fields=(("command", probe.command),),
        candidates=candidates_in(probe.command),
        needed_by=tuple(task for task, names in named.items() if probe.name in names),
    )


def _gate(prompt: Prompt, gate: Gate) -> Executable:
    fields: Fields = (
        ("command", gate.command),
        *((("cwd", gate.cwd),) if gate.cwd is not None else ()),
        *_table("env", gate.env),
        *(("permission", tag) for tag in gate.permissions),
        *(("domain", domain) for domain in gate.allowed_domains),
    )
    return Executable(
        key=_key(ExecutableKind.GATE, prompt.id),
        kind=ExecutableKind.GATE,
        title=prompt.title,
        file=prompt.file,
        line=0,
        fields=fields,
        candidates=candidates_in(gate.command, gate.cwd or ""),
        needed_by=(item_key(Kind.PROMPT, prompt.id),),
    )


def _server(name: str, server: McpServer) -> Executable:
    arguments = (("argument", one) for one in server.args)
    line = " ".join(_quoted(word) for word in (server.command, *server.args))
    return Executable(
        key=_key(ExecutableKind.SERVER, name),
        kind=ExecutableKind.SERVER,
        title=name,
        file=SETTINGS_FILE,
        line=0,
        fields=(("command", server.command), *arguments, *(("permission", tag) for tag in server.permissions)),
        candidates=candidates_in(line),
    )


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _key(kind: ExecutableKind, identifier: str) -> str:
    return f"{kind}:{identifier}"
