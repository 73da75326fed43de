"""Reading prompt files: the prompt, its gate, what is reported."""

from datetime import timedelta

import pytest

from core.model.document import Gate, Prompt, PromptFile
from core.rules.reading.prompts import read_prompt


def read(front: str, body: str = "Do it.", name: str = "some-id") -> PromptFile:
    return read_prompt(name, f"---\n{front}\n---\n\n{body}\n".encode())


def prompt_of(front: str) -> Prompt:
    prompt = read(front).prompt
    assert prompt
    return prompt


def gate_of(*lines: str) -> Gate:
    gate = prompt_of(
        "\n".join(["title: A", "gate:", '  command: "test -e x"', *[f"  {line}" for line in lines]])
    ).gate
    assert gate
    return gate


def codes(front: str, body: str = "Do it.") -> list[str]:
    return [one.code for one in read(front, body).diagnostics]


def gate_codes(*lines: str) -> list[str]:
    return codes("\n".join(["title: A", "gate:", "  command: x", *[f"  {line}" for line in lines]]))


WHOLE_PROMPT = """title: Check internet
gate:
  command: "curl -fsS https://api.example.com/healthz >/dev/null"
  allowedDomains:
    - api.example.com"""


def test_a_whole_prompt_with_a_gate() -> None:
    prompt = prompt_of(WHOLE_PROMPT)
    assert (prompt.id, prompt.title, prompt.body, prompt.file) == (
        "some-id",
        "Check internet",
        "Do it.",
        "heartbeat/some-id.md",
    )
    assert prompt.gate
    assert prompt.gate.command == "curl -fsS https://api.example.com/healthz >/dev/null"
    assert prompt.gate.allowed_domains == ("api.example.com",)
    assert codes(WHOLE_PROMPT) == []


def test_the_defaults() -> None:
    prompt = prompt_of("title: A")
    assert (prompt.gate, prompt.schedule, prompt.run_if, prompt.unclear) == (
        None,
        None,
        "success",
        None,
    )
    gate = gate_of()
    assert (gate.cwd, gate.timeout, gate.env) == (None, timedelta(seconds=30), {})
    assert (gate.permissions, gate.allowed_domains) == ((), ())


def test_all_keys() -> None:
    prompt = prompt_of("title:  Two   words \nschedule: weekdays:09:00\nrun_if: failure")
    assert (prompt.title, prompt.schedule, prompt.run_if) == (
        "Two words",
        "weekdays:09:00",
        "failure",
    )
    gate = gate_of(
        "cwd: sub",
        "timeout: 2m",
        "env: {A: b, N: 1, T: true, E: }",
        "permissions: ['@shell', '@read:docs']",
        "allowedDomains: one.example",
    )
    assert (gate.cwd, gate.timeout) == ("sub", timedelta(minutes=2))
    assert gate.env == {"A": "b", "N": "1", "T": "true", "E": ""}
    assert (gate.permissions, gate.allowed_domains) == (("@shell", "@read:docs"), ("one.example",))


@pytest.mark.parametrize(
    ("written", "seconds"), [("0.1", 0.1), ("300", 300), ("45", 45), ("30s", 30), ("1m30s", 90)]
)
def test_a_timeout_from_a_tenth_of_a_second_to_300(written: str, seconds: float) -> None:
    assert gate_of(f"timeout: {written}").timeout == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "written",
    ["0", "0.05", "301", "-1", "soon", "true", "[1]", "999999999999999", "9" * 400, "10m"],
)
def test_another_timeout_is_an_error_and_the_prompt_waits(written: str) -> None:
    front = f"title: A\ngate:\n  command: x\n  timeout: {written}"
    assert codes(front) == ["HB507"]
    assert prompt_of(front).unclear


@pytest.mark.parametrize(
    "front",
    ["", "gate:\n  command: x", "title:", "title: ''", "title: '  '", "title: [a]", "# title: a"],
)
def test_without_a_title_it_is_an_error_and_does_not_run(front: str) -> None:
    assert "HB501" in codes(front)
    prompt = read(front).prompt
    assert prompt
    assert prompt.unclear
    assert prompt.unclear.code == "HB501"


def test_a_file_without_frontmatter_is_a_prompt_that_does_not_run() -> None:
    file = read_prompt("a", b"Just words.\n")
    assert file.prompt
    assert (file.prompt.title, bool(file.prompt.unclear)) == ("a", True)
    assert [one.code for one in file.diagnostics] == ["HB501"]


def test_an_empty_prompt_is_reported_and_does_not_run() -> None:
    assert codes("title: A", "  \n\t") == ["HB506"]
    prompt = read("title: A", "").prompt
    assert prompt
    assert prompt.unclear


def test_permissions_on_the_prompt_itself_are_ignored_and_reported() -> None:
    found = read("title: A\npermissions: ['@shell']").diagnostics
    assert [(one.code, one.severity) for one in found] == [("HB503", "info")]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("titel: B", "title"),
        ("shedule: hourly", "schedule"),
        ("gates: x", "gate"),
        ("runif: always", "run_if"),
    ],
)
def test_an_unknown_key_is_reported_with_the_nearest_one(line: str, meant: str) -> None:
    found = read(f"title: A\n{line}").diagnostics
    assert [(one.code, one.line) for one in found] == [("HB502", 3)]
    assert meant in found[0].hint


def test_an_unknown_key_of_a_gate_is_reported() -> None:
    assert gate_codes("alowedDomains: [x]") == ["HB502"]


@pytest.mark.parametrize(
    "front",
    [
        "title: A\nrun_if: sometimes",
        "title: A\ngate: test -e x",
        "title: A\ngate:",
        "title: A\ngate: {}",
        "title: A\ngate:\n  timeout: 3",
        "title: A\ngate: [a]",
        "title: A\ngate:\n  command: 5",
    ],
)
def test_a_value_that_cannot_be_read_is_an_error_and_the_prompt_waits(front: str) -> None:
    assert codes(front) == ["HB507"]
    assert prompt_of(front).unclear


@pytest.mark.parametrize(
    "line",
    [
        "env: words",
        "env: [a]",
        "env: {A: [1]}",
        "permissions: 5",
        "permissions: [1]",
        "allowedDomains: {a: b}",
    ],
)
def test_a_gate_that_cannot_be_read_makes_the_prompt_wait(line: str) -> None:
    assert gate_codes(line) == ["HB507"]


def test_a_schedule_that_cannot_be_read_makes_the_prompt_wait() -> None:
    assert codes("title: A\nschedule: never ever") == ["HB401"]
    assert prompt_of("title: A\nschedule: never ever").unclear


@pytest.mark.parametrize(
    "tag",
    [
        "@network",
        "@workspace",
        "@read:docs",
        "@write:out",
        "@read:",  # it can be read, but no grant covers it
        "@write:",
        "@shell",
        "@notify",
        "@memory",
        "@heartbeat",
    ],
)
def test_every_tag_of_a_gate_is_known(tag: str) -> None:
    assert gate_codes(f"permissions: ['{tag}']", "allowedDomains: [a.example]") == []


@pytest.mark.parametrize(
    ("tag", "meant"), [("@netwrk", "@network"), ("shell", "@shell"), ("@root", "@")]
)
def test_an_unknown_tag_is_an_error_with_the_nearest_one(tag: str, meant: str) -> None:
    found = read(f"title: A\ngate:\n  command: x\n  permissions: ['{tag}']").diagnostics
    assert [one.code for one in found] == ["HB507"]
    assert meant in found[0].hint


def test_a_tag_that_only_a_person_can_grant_is_an_error_on_a_gate() -> None:
    front = "title: A\ngate:\n  command: x\n  permissions: ['@send-after-reading']"
    (found,) = read(front).diagnostics
    assert found.code == "HB507"
    assert found.message == "`@send-after-reading` is not a permission."
    assert found.hint == (
        "Write one of: @network, @workspace, @read:DIR, @write:DIR, @shell, @notify, @memory, "
        "@heartbeat."
    )
    assert prompt_of(front).unclear


def test_network_without_domains_is_reported() -> None:
    assert gate_codes("permissions: ['@network']") == ["HB505"]
    assert gate_codes("allowedDomains: [a.example]") == []


@pytest.mark.parametrize("name", ["a b", "a.b", "", "x" * 65, "../up", "a\x1bb", "a\u202eb"])
def test_a_file_name_that_cannot_be_an_id_is_an_error(name: str) -> None:
    file = read("title: A", name=name)
    assert file.prompt is None
    assert [one.code for one in file.diagnostics] == ["HB508"]


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"\xff", "HB002"), (b"---\ntitle: A\n---\n\0", "HB003"), (b"x" * (1 << 20) + b"x", "HB001")],
)
def test_a_refused_file_is_not_a_prompt(data: bytes, code: str) -> None:
    file = read_prompt("a", data)
    assert file.prompt is None
    assert [(one.code, one.file) for one in file.diagnostics] == [(code, "heartbeat/a.md")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff", "\ufeff\ufeff"])
def test_every_line_end_and_a_bom(bom: str, end: str) -> None:
    prompt = read_prompt(
        "a", (bom + end.join(["---", "title: A", "---", "", "One", "", "Two", ""])).encode()
    ).prompt
    assert prompt
    assert (prompt.title, prompt.body) == ("A", f"One{end}{end}Two")


def test_the_body_is_taken_as_it_is() -> None:
    body = "## Tasks\n- [ ] a | b\n\n```\n---\n```\n<!-- c -->"
    prompt = read("title: A", body).prompt
    assert prompt
    assert prompt.body == body


def test_a_wrong_gate_is_remembered_without_its_variables() -> None:
    secret = "sk-live-1234567890abcdef"
    gate = f"gate:\n  command: x\n  timeout: soon\n  env:\n    API_TOKEN: {secret}"
    found = prompt_of(f"title: Mail\n{gate}")
    assert found.unclear
    assert secret not in found.unclear.about


@pytest.mark.parametrize("key", ["model: fast", "max_usd: 1", "channel: mail", "on: wake(x)"])
def test_a_field_of_a_later_version_is_an_error_that_says_so(key: str) -> None:
    found = read_prompt("a", f"---\ntitle: A\n{key}\n---\nDo it.\n".encode())
    assert [one.code for one in found.diagnostics] == ["HB216"]
    assert found.prompt
    assert found.prompt.unclear


@pytest.mark.parametrize("domain", ["https://example.com", "*.example.com", "", "example.com/x"])
def test_an_allowed_domain_that_cannot_work_is_an_error_and_the_prompt_waits(domain: str) -> None:
    front = f"title: A\ngate:\n  command: 'true'\n  allowedDomains: ['{domain}']"
    file = read_prompt("a", f"---\n{front}\n---\nDo it.\n".encode())
    assert [one.code for one in file.diagnostics] == ["HB509"]
    assert file.prompt
    assert file.prompt.unclear


@pytest.mark.parametrize("domain", ["localhost", "localhost:8080", "192.168.1.5:8123", "[::1]:80"])
def test_a_host_of_the_local_network_may_be_named(domain: str) -> None:
    front = f"title: A\ngate:\n  command: 'true'\n  allowedDomains: ['{domain}']"
    file = read_prompt("a", f"---\n{front}\n---\nDo it.\n".encode())
    assert file.diagnostics == ()
