"""Everything in a workspace that executes, each with all that decides what it does. Pure: no file
is read.

What is not listed here needs no approval: a notification on the desktop without a secret, and
what cannot run as it is written.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from core.model.action_type import Value, text_in
from core.model.approval import Executable, ExecutableKind, Fields
from core.model.diagnostic import Problem
from core.model.document import Action, Gate, Probe, Prompt, Task
from core.model.item import ItemKind, item_key
from core.model.kinds import AS_YOU, IN_THE_WORKSPACE, Kinds
from core.model.settings import McpServer, Settings
from core.model.workspace import Workspace
from core.rules.approving.command_words import candidates_in
from core.rules.checking.hints import read_check

SETTINGS_FILE = "config.toml"


def executables_of(
    workspace: Workspace, settings: Settings, kinds: Kinds
) -> tuple[Executable, ...]:
    """In the order of the file, then the prompts, then the settings. Of several with the same
    key the first one counts."""
    servers = [_server(name, one) for name, one in settings.mcp_servers.items()]
    found = [*_of_workspace(workspace, kinds), *servers]
    return tuple({one.key: one for one in reversed(found)}.values())[::-1]


@lru_cache(maxsize=1)  # a beat asks several times
def _of_workspace(workspace: Workspace, kinds: Kinds) -> list[Executable]:
    document = workspace.document
    name = workspace.file.name
    tasks = [task for task in document.tasks if not task.checked and not task.unclear]
    probes = {probe.name for probe in document.probes}
    named = {item_key(ItemKind.TASK, task.id): _probes_of(task, probes, kinds) for task in tasks}

    return [
        *(_action(one, name) for one in document.actions if _executes(one)),
        *(part for one in tasks for part in _task(one, name, kinds)),
        *(_probe(one, named, name) for one in document.probes),
        *(_gate(one, one.gate) for one in workspace.prompts if one.gate and not one.unclear),
    ]


def _probes_of(task: Task, probes: Collection[str], kinds: Kinds) -> frozenset[str]:
    """The probes that the task's check measures."""
    check = read_check(task, probes, kinds.checks)
    return frozenset() if isinstance(check, Problem) else frozenset(check.measured_probes())


def _executes(action: Action) -> bool:
    if action.unclear or action.type is None:
        return False

    return action.type.needs_approval(action.params)


def _action(action: Action, file: str) -> Executable:
    assert action.type
    values = [part for key in action.type.keys for part in _value(key, action.params.get(key))]

    return Executable(
        key=_key(ExecutableKind.ACTION, action.id),
        kind=ExecutableKind.ACTION,
        title=action.name,
        file=file,
        line=action.line,
        fields=(
            ("type", action.type.name),
            *values,
            ("sandbox", "true" if action.sandbox else "false"),
        ),
        reach=action.type.reach(action.params, action.sandbox),
        commands=tuple(text_in(action.params, key) for key in action.type.command_keys),
        candidates=action.type.candidates(action.params),
        needed_by=(item_key(ItemKind.ACTION, action.id),),
    )


def _value(key: str, value: Value | None) -> Iterator[tuple[str, str]]:
    """The fields of a key: one, or one per entry of a table, with names such as `env.PATH` that
    no other key has."""
    if isinstance(value, Mapping):
        yield from _table(key, value)
    elif value is not None:
        yield key, value


def _table(key: str, table: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((f"{key}.{name}", table[name]) for name in sorted(table))


def _task(task: Task, file: str, kinds: Kinds) -> Iterator[Executable]:
    if task.run:
        yield Executable(
            key=_key(ExecutableKind.RUN, task.id),
            kind=ExecutableKind.RUN,
            title=task.description,
            file=file,
            line=task.line,
            fields=(("run", task.run),),
            reach=(IN_THE_WORKSPACE,),
            commands=(task.run,),
            candidates=candidates_in(task.run),
            needed_by=(item_key(ItemKind.TASK, task.id),),
        )

    # By its prefix alone, so that a hint which cannot be read as it is written is shown too.
    prefix, _, rest = task.verify.partition(":")
    kind = kinds.checks.by_prefix.get(prefix.strip().lower())
    if kind and kind.execution:
        command = kind.execution.command(rest)
        yield Executable(
            key=_key(ExecutableKind.CHECK, task.id),
            kind=ExecutableKind.CHECK,
            title=task.description,
            file=file,
            line=task.line,
            fields=(("verify", task.verify),),
            reach=kind.execution.reach,
            commands=(command,),
            candidates=candidates_in(command) if command else (),
            needed_by=(item_key(ItemKind.TASK, task.id),),
        )


def _probe(probe: Probe, named: Mapping[str, frozenset[str]], file: str) -> Executable:
    return Executable(
        key=_key(ExecutableKind.PROBE, probe.name),
        kind=ExecutableKind.PROBE,
        title=probe.name,
        file=file,
        line=probe.line,
        fields=(("command", probe.command),),
        reach=(IN_THE_WORKSPACE,),
        commands=(probe.command,),
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
        reach=_reach_of_gate(gate),
        commands=(gate.command,),
        candidates=candidates_in(gate.command, gate.cwd or ""),
        needed_by=(item_key(ItemKind.PROMPT, prompt.id),),
    )


def _reach_of_gate(gate: Gate) -> tuple[str, ...]:
    network = "and no network"
    if gate.allowed_domains:
        network = f"and, on the network, only {', '.join(gate.allowed_domains)}"

    return (
        f"starts in {gate.cwd or 'the workspace'}",
        f"runs in the sandbox: it reaches the workspace {network}",
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
        fields=(
            ("command", server.command),
            *arguments,
            *(("permission", tag) for tag in server.permissions),
        ),
        reach=(f"{AS_YOU}, for as long as the model works; the model calls its tools",),
        commands=(),  # no shell starts it
        candidates=candidates_in(line),
    )


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _key(kind: ExecutableKind, identifier: str) -> str:
    return f"{kind}:{identifier}"
