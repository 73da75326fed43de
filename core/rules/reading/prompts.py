"""Prompt files, `heartbeat/<id>.md`: frontmatter, and below it the text for the model.

The frontmatter may have a gate: a command that decides whether the prompt runs.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from core.model.diagnostic import Problem, Unclear
from core.model.document import FrontmatterValue, Gate, Line, Prompt, PromptFile, RunIf
from core.model.item import LONGEST_ID
from core.model.tags import NETWORK
from core.rules.approving.tags import GATE_TAGS, gate_may_ask
from core.rules.fingerprint import what_is_written
from core.rules.printable import shown
from core.rules.reading.blocks import BOM, split_lines
from core.rules.reading.decoding import decode
from core.rules.reading.fields import LATER_FIELDS, read_schedule_field
from core.rules.reading.findings import Findings, did_you_mean
from core.rules.reading.front_block import FrontBlock
from core.rules.reading.hidden import hidden_characters, report_hidden
from core.rules.timing.durations import read_duration

KEYS = ("title", "gate", "schedule", "run_if")
GATE_KEYS = ("command", "cwd", "timeout", "env", "permissions", "allowedDomains")
DEFAULT_GATE_TIMEOUT = timedelta(seconds=30)


def valid_prompt_id(name: str) -> bool:
    return 0 < len(name) <= LONGEST_ID and all(
        character.isalnum() or character in "_-" for character in name
    )


def read_prompt(identifier: str, data: bytes) -> PromptFile:
    """Return the prompt of the file. Any bytes give an answer; nothing raises."""
    from core.rules.reading.strict_handler import read_parts  # most workspaces have no prompts

    file = f"heartbeat/{identifier}.md"
    findings = Findings(file)
    if not valid_prompt_id(identifier):
        fix = f"Rename the file: letters, digits, `_` and `-` only, at most {LONGEST_ID}."
        findings.add("HB508", 0, 1, f"`{shown(identifier)}` cannot be an id.", fix)
        return PromptFile(None, findings.sorted())

    text = decode(data, findings)
    if text is None:
        return PromptFile(None, findings.sorted())

    text = text.lstrip(BOM)
    lines = split_lines(text)
    front, body = read_parts(FrontBlock(lines, text, findings))

    # What could not be read may be a gate or a schedule: without it the prompt would run when it
    # should not.
    code = findings.found[0].code if findings.found else ""
    unclear = Unclear("its frontmatter cannot be read", code) if code else None
    prompt = _Reading(front.values, findings, unclear).prompt(identifier, body, file)
    if prompt.gate:
        written = front.values["gate"]
        _report_hidden(prompt.gate, written, lines[written.line - 1 : front.last_line], findings)

    return PromptFile(prompt, findings.sorted())


def _report_hidden(
    gate: Gate, written: FrontmatterValue, lines: Sequence[Line], findings: Findings
) -> None:
    """Report hidden characters of a gate, at the lines that have them.

    YAML may also write one as an escape; then the gate itself is the place.
    """
    values = (gate.command, gate.cwd or "", *gate.env.values(), *gate.allowed_domains)
    found = filter(None, map(hidden_characters, values))
    hidden = {character for one in found for character in one.characters}
    for line in lines if hidden else ():
        if not hidden.isdisjoint(line.text):
            report_hidden(line.text, line.number, 1, findings)
            hidden -= set(line.text)

    if hidden:
        report_hidden("".join(sorted(hidden)), written.line, written.column, findings)


class _Reading:
    def __init__(
        self, values: Mapping[str, FrontmatterValue], findings: Findings, unclear: Unclear | None
    ) -> None:
        self.values = values
        self.findings = findings
        self.unclear = unclear

    def prompt(self, identifier: str, body: str, file: str) -> Prompt:
        self._report_unknown_keys()

        title = self._title(identifier)

        if not body:
            fix = "Write the prompt below the frontmatter."
            self.findings.add("HB506", 1, 1, "This prompt says nothing to the model.", fix)
            self.unclear = self.unclear or Unclear("the prompt is empty", "HB506")

        gate = self._gate()
        schedule = self._schedule()
        run_if = self._run_if()

        return Prompt(
            identifier,
            " ".join(title.split()),
            gate,
            schedule,
            run_if,
            body,
            file,
            self.unclear,
        )

    def _title(self, identifier: str) -> str:
        """The title; without one the id takes its place, so that the prompt is listed wherever it
        is told that it does not run."""
        title = self.values["title"].value if "title" in self.values else None
        if isinstance(title, str) and title.strip():
            return title

        fix = "Write `---`, `title: What it is`, `---` at the top of the file."
        self.findings.add("HB501", 1, 1, "This prompt has no title, so it does not run.", fix)
        self.unclear = self.unclear or Unclear("the prompt has no title", "HB501")
        return identifier

    def _report_unknown_keys(self) -> None:
        for key in self.values:
            if key == "permissions":
                fix = "Grant them in config.toml, under [agent]."
                self._report("HB503", key, "`permissions` of a prompt are ignored.", fix)
            elif key in LATER_FIELDS:
                message = f"`{key}` is not supported in a prompt yet, so it does not run."
                self._report("HB216", key, message, "Remove the line for now.")
                words = f"`{key}` is not supported in a prompt yet"
                self.unclear = self.unclear or Unclear(words, "HB216", key)
            elif key not in KEYS:
                message = f"`{shown(key)}` is not a key of a prompt."
                self._report("HB502", key, message, did_you_mean(key, KEYS))

    def _schedule(self) -> str | None:
        entry = self.values.get("schedule")
        if not entry or entry.value is None:
            return None

        value = str(entry.value)
        problem = read_schedule_field(value, entry.line, entry.column, self.findings)
        if problem:
            words = problem.message.rstrip(".")
            self.unclear = self.unclear or Unclear(words, "HB401", value)

        return value

    def _run_if(self) -> RunIf:
        entry = self.values.get("run_if")
        if not entry:
            return RunIf.SUCCESS

        written = str(entry.value)
        known = [*RunIf]
        if entry.value in known:
            return RunIf(written)

        message = f"`{shown(written)}` is not a value of `run_if`."
        self._wrong("run_if", message, did_you_mean(written, known))
        return RunIf.SUCCESS

    def _gate(self) -> Gate | None:
        entry = self.values.get("gate")
        if not entry:
            return None

        if not isinstance(entry.value, dict):
            fix = 'Write `gate:` and below it `  command: "…"`.'
            self._wrong("gate", "`gate` takes keys of its own.", fix)
            return None

        table: dict[str, object] = entry.value
        for key in table:
            if key not in GATE_KEYS:
                message = f"`{shown(key)}` is not a key of a gate."
                self._report("HB502", "gate", message, did_you_mean(key, GATE_KEYS))

        command = table.get("command")
        if not isinstance(command, str) or not command.strip():
            self._wrong("gate", "The gate has no command.", 'Write `  command: "…"` below `gate:`.')
            return None

        domains = self._texts(table, "allowedDomains")
        permissions = self._texts(table, "permissions")
        self._check_tags(permissions, domains)
        self._check_domains(domains)
        cwd = table.get("cwd")

        return Gate(
            command=command,
            cwd=str(cwd) if cwd is not None else None,
            timeout=self._timeout(table),
            env=self._env(table),
            permissions=permissions,
            allowed_domains=domains,
        )

    def _check_tags(self, permissions: tuple[str, ...], domains: tuple[str, ...]) -> None:
        for tag in permissions:
            if not gate_may_ask(tag):
                message = f"`{shown(tag)}` is not a permission."
                self._wrong("gate", message, did_you_mean(tag, GATE_TAGS))

        if NETWORK in permissions and not domains:
            message = "`@network` without allowed domains reaches no host."
            self._report("HB505", "gate", message, "List the hosts below `allowedDomains:`.")

    def _check_domains(self, domains: tuple[str, ...]) -> None:
        if not domains:
            return

        from core.rules.approving.hosts import allowed_host  # few gates have any

        for domain in domains:
            host = allowed_host(domain)
            if isinstance(host, Problem):
                self._report("HB509", "gate", host.message, host.hint)
                words = host.message.rstrip(".")
                self.unclear = self.unclear or Unclear(words, "HB509", domain)

    def _timeout(self, table: dict[str, object]) -> timedelta:
        written = table.get("timeout")
        if written is None:
            return DEFAULT_GATE_TIMEOUT

        if isinstance(written, int | float) and not isinstance(written, bool):
            seconds: float = written
        else:
            duration = read_duration(str(written))
            seconds = 0 if isinstance(duration, Problem) else duration.total_seconds()

        if not 0.1 <= seconds <= 300:
            fix = "Write seconds from 0.1 to 300, for example `timeout: 30`."
            self._wrong("gate", f"`{shown(str(written))}` is not a timeout of a gate.", fix)
            return DEFAULT_GATE_TIMEOUT

        return timedelta(seconds=seconds)

    def _env(self, table: dict[str, object]) -> dict[str, str]:
        written = table.get("env")
        if written is None:
            return {}

        if not isinstance(written, dict) or any(
            isinstance(value, dict | list) for value in written.values()
        ):
            fix = "Write `  env:` and below it `    NAME: value`."
            self._wrong("gate", "`env` takes names and values.", fix)
            return {}

        return {name: _as_written(value) for name, value in written.items()}

    def _texts(self, table: dict[str, object], key: str) -> tuple[str, ...]:
        written = table.get(key)
        if written is None:
            return ()

        if isinstance(written, str):
            return (written,)
        if isinstance(written, list) and all(isinstance(item, str) for item in written):
            return tuple(written)

        fix = f"Write `  {key}:` and below it `    - …`."
        self._wrong("gate", f"`{key}` takes a list of texts.", fix)
        return ()

    def _wrong(self, key: str, message: str, hint: str) -> None:
        """Report a value that cannot be read; the prompt then does not run until it is clear."""
        written = self.values[key].value if key in self.values else ""
        about = what_is_written(key, written)
        self.unclear = self.unclear or Unclear(message.rstrip("."), "HB507", about)
        self._report("HB507", key, message, hint)

    def _report(self, code: str, key: str, message: str, hint: str) -> None:
        entry = self.values[key]
        self.findings.add(code, entry.line, entry.column, message, hint)


def _as_written(value: object) -> str:
    """Return a simple YAML value as the text that a command sees: `true`, not Python's `True`."""
    if isinstance(value, bool):
        return str(value).lower()

    return "" if value is None else str(value)
