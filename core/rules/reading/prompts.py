"""Prompt files: `heartbeat/<id>.md`, frontmatter and the text for the model, with the gate that lets it in."""

from collections.abc import Mapping
from datetime import timedelta

from core.model.diagnostic import Problem
from core.model.document import FrontmatterValue, Gate, Prompt, PromptFile
from core.rules.reading.findings import Findings, did_you_mean, shown
from core.rules.reading.frontmatter import read_frontmatter
from core.rules.reading.lines import BOM, split_lines
from core.rules.reading.refusals import decode
from core.rules.reading.values import read_schedule_field
from core.rules.timing.durations import read_duration

KEYS = ("title", "gate", "schedule", "run_if")
GATE_KEYS = ("command", "cwd", "timeout", "env", "permissions", "allowedDomains")
TAGS = ("@network", "@workspace", "@read:DIR", "@write:DIR", "@shell", "@notify", "@memory", "@heartbeat")
RUN_IF = ("success", "failure", "always")
LONGEST_ID = 64


def valid_prompt_id(name: str) -> bool:
    return 0 < len(name) <= LONGEST_ID and all(sign.isalnum() or sign in "_-" for sign in name)


def read_prompt(identifier: str, data: bytes) -> PromptFile:
    """The prompt that the file holds. Total: any bytes give an answer."""
    file = f"heartbeat/{identifier}.md"
    findings = Findings(file)
    if not valid_prompt_id(identifier):
        mend = "Rename the file: letters, digits, `_` and `-` only, at most 64."
        findings.add("HB508", 0, 1, f"`{shown(identifier)}` cannot be an id.", mend)
        return PromptFile(None, findings.sorted())
    text = decode(data, findings)
    if text is None:
        return PromptFile(None, findings.sorted())
    text = text.lstrip(BOM)
    lines = split_lines(text)
    front = read_frontmatter(lines, text, findings)
    body = "".join(text[line.start : line.end] for line in lines[front.last_line :]).strip()
    # A gate or a schedule may stand in what could not be read: without it the prompt would run when it should not.
    unclear = "its frontmatter cannot be read" if findings.found else ""
    prompt = _Reading(front.values, findings, unclear).prompt(identifier, body, file)
    return PromptFile(prompt, findings.sorted())


class _Reading:
    def __init__(self, values: Mapping[str, FrontmatterValue], findings: Findings, unclear: str) -> None:
        self.values = values
        self.findings = findings
        self.unclear = unclear

    def prompt(self, identifier: str, body: str, file: str) -> Prompt | None:
        for key in self.values:
            if key == "permissions":
                mend = "Grant them in config.toml, under [agent]."
                self._report("HB503", key, "`permissions` of a prompt are ignored.", mend)
            elif key not in KEYS:
                self._report("HB502", key, f"`{shown(key)}` is not a key of a prompt.", did_you_mean(key, KEYS))
        title = self.values["title"].value if "title" in self.values else None
        if not isinstance(title, str) or not title.strip():
            mend = "Write `---`, `title: What it is`, `---` at the top of the file."
            self.findings.add("HB501", 1, 1, "This prompt has no title, so it does not run.", mend)
            return None
        if not body:
            self.findings.add(
                "HB506", 1, 1, "This prompt says nothing to the model.", "Write the prompt below the frontmatter."
            )
            self.unclear = self.unclear or "the prompt is empty"
        gate = self._gate()
        return Prompt(
            identifier, " ".join(title.split()), gate, self._schedule(), self._run_if(), body, file, self.unclear
        )

    def _schedule(self) -> str | None:
        entry = self.values.get("schedule")
        if not entry or entry.value is None:
            return None
        value = str(entry.value)
        problem = read_schedule_field(value, entry.line, entry.column, self.findings)
        self.unclear = self.unclear or problem
        return value

    def _run_if(self) -> str:
        entry = self.values.get("run_if")
        if not entry or entry.value in RUN_IF:
            return str(entry.value) if entry else "success"
        self._wrong("run_if", f"`{shown(str(entry.value))}` is no `run_if`.", did_you_mean(str(entry.value), RUN_IF))
        return "success"

    def _gate(self) -> Gate | None:
        entry = self.values.get("gate")
        if not entry:
            return None
        if not isinstance(entry.value, dict):
            self._wrong("gate", "`gate` takes keys of its own.", 'Write `gate:` and below it `  command: "…"`.')
            return None
        table: dict[str, object] = entry.value
        for key in table:
            if key not in GATE_KEYS:
                self._report("HB502", "gate", f"`{shown(key)}` is not a key of a gate.", did_you_mean(key, GATE_KEYS))
        command = table.get("command")
        if not isinstance(command, str) or not command.strip():
            self._wrong("gate", "The gate has no command.", 'Write `  command: "…"` below `gate:`.')
            return None
        domains = self._texts(table, "allowedDomains")
        permissions = self._texts(table, "permissions")
        self._check_tags(permissions, domains)
        cwd = table.get("cwd")
        return Gate(
            command, str(cwd) if cwd is not None else None, self._timeout(table), self._env(table), permissions, domains
        )

    def _check_tags(self, permissions: tuple[str, ...], domains: tuple[str, ...]) -> None:
        for tag in permissions:
            if tag not in TAGS and not tag.startswith(("@read:", "@write:")):
                self._wrong("gate", f"`{shown(tag)}` is not a permission.", did_you_mean(tag, TAGS))
        if "@network" in permissions and not domains:
            mend = "List the hosts below `allowedDomains:`."
            self._report("HB505", "gate", "`@network` without allowed domains reaches no host.", mend)

    def _timeout(self, table: dict[str, object]) -> timedelta:
        default = timedelta(seconds=30)
        written = table.get("timeout")
        if written is None:
            return default
        if isinstance(written, int | float) and not isinstance(written, bool):
            seconds: float = written
        else:
            duration = read_duration(str(written))
            seconds = 0 if isinstance(duration, Problem) else duration.total_seconds()
        if not 0.1 <= seconds <= 300:
            mend = "Write seconds from 0.1 to 300, for example `timeout: 30`."
            self._wrong("gate", f"`{shown(str(written))}` is no time limit of a gate.", mend)
            return default
        return timedelta(seconds=seconds)

    def _env(self, table: dict[str, object]) -> dict[str, str]:
        written = table.get("env")
        if isinstance(written, dict) and not any(isinstance(value, dict | list) for value in written.values()):
            return {name: _as_written(value) for name, value in written.items()}
        if written is not None:
            self._wrong("gate", "`env` takes names and values.", "Write `  env:` and below it `    NAME: value`.")
        return {}

    def _texts(self, table: dict[str, object], key: str) -> tuple[str, ...]:
        written = table.get(key)
        if isinstance(written, str):
            return (written,)
        if isinstance(written, list) and all(isinstance(item, str) for item in written):
            return tuple(written)
        if written is not None:
            self._wrong("gate", f"`{key}` takes a list of texts.", f"Write `  {key}:` and below it `    - …`.")
        return ()

    def _wrong(self, key: str, message: str, hint: str) -> None:
        """A value that cannot be read: the prompt waits for the person instead of running otherwise than meant."""
        self.unclear = self.unclear or message.rstrip(".")
        self._report("HB507", key, message, hint)

    def _report(self, code: str, key: str, message: str, hint: str) -> None:
        entry = self.values[key]
        self.findings.add(code, entry.line, entry.column, message, hint)


def _as_written(value: object) -> str:
    """A simple YAML value as the text that a command sees: `true`, not Python's `True`."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
