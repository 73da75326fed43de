"""The tools for commands in the sandbox, pages of allowed hosts, messages to the person, and
prompts."""

import socket
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from core.adapters.sandbox.egress.addresses import public_addresses
from core.agent.toolbox import BatchToolbox
from core.agent.tools import commands
from core.agent.tools.commands import command_reach
from core.engine.read import read_workspace
from core.model.agent import Batch, BatchPrompt, BatchTask
from core.model.document import Gate
from core.model.report import Notice, NoticeKind
from core.model.sandbox import Reach, SandboxState
from core.model.settings import NotifySettings, Settings
from tests.agent.workbench import EVERYTHING, Workbench
from tests.fakes.processes import FakeSandbox
from tests.fakes.services import changed
from tests.sandbox.servers import Server, web_server
from tests.stage import MONDAY

SEND = "@send-after-reading"


def to_this_machine(_host: str, _port: int) -> Sequence[str]:
    return ["127.0.0.1"]


# -- commands --------------------------------------------------------------------------------------


def run(line: str) -> tuple[str, dict[str, str]]:
    return "run_command", {"command": line}


def test_a_command_runs_in_the_workspace_and_says_how_it_ended(bench: Workbench) -> None:
    bench.grants = ("@shell", "@workspace")
    assert bench.play(run("echo hello > made.md; cat made.md; exit 3")) == [
        "exit code 3\n[run_command]\n» hello"
    ]
    assert bench.text("made.md") == "hello\n"


def test_without_the_workspace_tag_a_command_only_reads(bench: Workbench) -> None:
    bench.grants = ("@shell",)
    (answer,) = bench.play(run("touch made.md"))

    assert "exit code 1" in answer
    assert not bench.exists("made.md")


def test_a_command_cannot_leave_the_sandbox(bench: Workbench) -> None:
    bench.grants = ("@shell", "@workspace")
    key = bench.home / ".ssh" / "id_ed25519"
    (answer,) = bench.play(
        run(f"cat {key} {bench.state}/* ; env; echo x >> HEARTBEAT.md; echo done")
    )

    assert "PRIVATE KEY" not in answer
    assert "» done" in answer
    assert "echo 3\n" in bench.text("HEARTBEAT.md")
    assert not bench.text("HEARTBEAT.md").endswith("x\n")


def test_without_a_working_sandbox_a_command_is_refused_with_the_reason(bench: Workbench) -> None:
    bench.grants = ("@shell",)
    sandbox = FakeSandbox()
    sandbox.current_state = SandboxState(
        works=False, reason="There is no bubblewrap.", fix="apt install bubblewrap"
    )
    toolbox = BatchToolbox(changed(bench.services(), sandbox=sandbox), bench.batch)
    answer = toolbox.call(*run("touch made.md"))

    assert answer == "Commands cannot be run: There is no bubblewrap. apt install bubblewrap"
    assert not toolbox.recorded().acts[0].could_do_it
    assert sandbox.reaches == []


def test_a_command_has_the_access_of_its_tags_and_a_network_only_with_the_grant_to_send(
    bench: Workbench,
) -> None:
    (bench.home / "data").mkdir()
    bench.domains = ("example.com",)
    bench.grants = ("@shell", "@network", f"@read:{bench.home}/data", "@workspace")
    reach = command_reach(bench.services())

    assert isinstance(reach, Reach)
    assert (reach.readable, reach.workspace_writable, reach.domains) == (
        (bench.home / "data",),
        True,
        (),
    )

    bench.grants = ("@shell", "@network", SEND)
    reach = command_reach(bench.services())

    assert isinstance(reach, Reach)
    assert (reach.readable, reach.workspace_writable, reach.domains) == (
        (),
        False,
        ("example.com",),
    )


def test_a_command_that_takes_too_long_is_ended(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.grants = ("@shell",)
    enough_to_start = timedelta(seconds=10)  # a busy machine is slow to set up the sandbox
    monkeypatch.setattr(commands, "TIME_LIMIT", enough_to_start)
    (answer,) = bench.play(run("echo begun; sleep 600"))

    assert answer.startswith("ended: it took longer than")
    assert "» begun" in answer


def test_a_long_output_is_shortened_to_its_beginning_and_end(bench: Workbench) -> None:
    bench.grants = ("@shell",)
    (answer,) = bench.play(run("echo first; seq 100000; echo last"))

    assert "» first" in answer
    assert "» last" in answer
    assert len(answer) <= 8000


# -- pages -----------------------------------------------------------------------------------------


def get(server: Server, path: str = "/", host: str = "allowed.test") -> tuple[str, dict[str, str]]:
    return "http_get", {"url": f"http://{host}:{server.port}{path}"}


@pytest.fixture
def online(bench: Workbench) -> Workbench:
    bench.grants = ("@network", "@workspace")
    bench.domains = ("allowed.test",)
    bench.leads_to = to_this_machine
    return bench


def test_a_page_of_an_allowed_host_is_fetched(online: Workbench) -> None:
    with web_server() as server:
        (answer,) = online.play(get(server))
        assert answer == f"status 200\n[allowed.test]\n» hello from allowed.test:{server.port}"
        assert server.asked == [f"GET allowed.test:{server.port} /"]


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.test/",
        "http://allowed.test.evil.test/",
        "http://allowed.test@evil.test/",
        "http://127.0.0.1/",
        "http://2130706433/",
        "file:///etc/passwd",
        "http://allowed.test\\@evil.test/",
        "http://[::1]/",
        "http://ALLOWED.test\u3002evil.test/",
        "allowed.test",
        "http://",
        "http://allowed.test:99999/",
        "http://al lowed.test/",
    ],
)
def test_any_other_address_is_refused(online: Workbench, url: str) -> None:
    online.leads_to = None  # a request that got out would be resolved, and the test would hang
    (answer,) = online.play(("http_get", {"url": url}))

    assert "status" not in answer

    refusals = (
        "hosts are allowed",
        "Write an address",
        "The page was not fetched",
        "not an address",
    )

    assert any(refusal in answer for refusal in refusals)


def test_a_name_that_resolves_to_this_machine_is_refused(online: Workbench) -> None:
    found: list[tuple[object, ...]] = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))
    ]
    online.leads_to = partial(public_addresses, lookup=lambda *_, **__: found)
    with web_server() as server:
        (answer,) = online.play(get(server))
        assert "is not on the public internet" in answer
        assert server.asked == []


def test_a_redirect_is_followed_to_allowed_hosts_only(online: Workbench) -> None:
    with (
        web_server() as target,
        web_server(redirect_to=f"http://evil.test:{target.port}/") as server,
    ):
        (answer,) = online.play(get(server, "/redirect"))
        assert answer.startswith(
            "The page was not fetched: evil.test is not among the allowed hosts"
        )
        assert target.asked == []

        online.domains = ("allowed.test", "evil.test")  # what it would do
        assert "status 200" in online.play(get(server, "/redirect"))[0]
        assert target.asked == [f"GET evil.test:{target.port} /"]


def test_endless_redirects_are_given_up(online: Workbench) -> None:
    with web_server(redirect_to="/redirect") as server:
        (answer,) = online.play(get(server, "/redirect"))
        assert answer == "The page was not fetched: more than 5 redirects."


def test_after_reading_an_address_that_could_carry_data_is_refused(
    online: Workbench,
) -> None:
    online.write("notes.md", "secret plan\n")
    read = ("read_file", {"path": "notes.md"})
    with web_server() as server:
        assert "status 200" in online.play(get(server, "/?q=weather"))[0], (
            "before anything was read it is fine"
        )

        for path in ("/?q=secret", "/" + "secret" * 20, "/%73ecret", "/secret"):
            assert "which is not granted" in online.play(read, get(server, path))[1]

        assert not any("secret" in asked for asked in server.asked)

        online.grants += (SEND,)
        online.play(read, get(server, "/?q=secret"))

        assert server.asked[-1].endswith("/?q=secret")


@pytest.mark.parametrize("end", ["", ".", ")", ">", "**, and so on"])
def test_after_reading_exactly_the_addresses_in_the_persons_words_are_fetched(
    online: Workbench, end: str
) -> None:
    read = ("list_files", {"pattern": "*"})
    with web_server() as server:
        words = f"Look at http://allowed.test:{server.port}/weather/today{end}"
        for batch in (
            Batch(MONDAY, context=words),
            Batch(MONDAY, plain=words),
            Batch(MONDAY, review=words),
            Batch(MONDAY, tasks=(BatchTask("weather", words, required=True),)),
            Batch(MONDAY, prompts=(BatchPrompt("weather", "Weather", words),)),
        ):
            online.batch = batch
            _, fine, shorter, longer = online.play(
                read,
                *(
                    get(server, path)
                    for path in ("/weather/today", "/weather/toda", "/weather/today/x")
                ),
            )
            assert "status 200" in fine
            assert "which is not granted" in shorter
            assert "which is not granted" in longer
        assert len(server.asked) == 5


def test_after_reading_a_link_on_a_page_is_fetched(online: Workbench) -> None:
    with web_server() as server:
        server.page = f'<a href="http://allowed.test:{server.port}/next?page=2">more</a>'
        _, fine, other = online.play(
            *(get(server, path) for path in ("/", "/next?page=2", "/next?page=3"))
        )

        assert "status 200" in fine
        assert "which is not granted" in other


def test_a_page_counts_as_read(online: Workbench) -> None:
    with web_server() as server:
        assert "which is not granted" in online.play(get(server), get(server, "/?q=x"))[1]


# -- messages --------------------------------------------------------------------------------------


def notify(title: str = "Tea", message: str = "It is ready.") -> tuple[str, dict[str, str]]:
    return "notify", {"title": title, "message": message}


def test_a_message_reaches_the_person(bench: Workbench) -> None:
    assert bench.play(notify("Tea\n", "It is\x07 ready.\nNow.")) == ["Sent."]
    assert bench.messenger.sent == [
        ("desktop", Notice(NoticeKind.AGENT, "Tea", "It is ready. Now."))
    ]


def test_six_messages_per_hour_are_sent_and_the_rest_waits_for_a_digest(bench: Workbench) -> None:
    answers = bench.play(*(notify(str(number)) for number in range(10)))
    assert len(bench.messenger.sent) == 6
    assert answers.count("Sent.") == 6

    held = bench.world().ledger.announcements.current().held
    assert {one.title for one in held.values()} >= {"9"}


def test_the_same_message_can_be_sent_again(bench: Workbench) -> None:
    bench.play(notify())
    bench.play(notify())

    assert len(bench.messenger.sent) == 2
    assert not bench.world().ledger.announcements.current().announced


def test_in_quiet_hours_a_message_waits(bench: Workbench) -> None:
    bench.settings = Settings(quiet="00:00-24:00")
    (answer,) = bench.play(notify())

    assert answer.startswith("Held back for now")
    assert bench.messenger.sent == []


def test_after_reading_a_message_goes_only_to_the_desktop(bench: Workbench) -> None:
    bench.settings = Settings(quiet="", notify=NotifySettings(channels=("desktop", "phone")))
    bench.write("notes.md", "secret plan\n")
    read = ("read_file", {"path": "notes.md"})
    bench.play(notify())

    assert [channel for channel, _ in bench.messenger.sent] == ["desktop", "phone"]

    answer = bench.play(read, notify())[1]
    assert answer == f"Sent. Not to phone: after reading that needs {SEND}."
    assert [channel for channel, _ in bench.messenger.sent] == ["desktop", "phone", "desktop"]

    bench.grants += (SEND,)
    bench.play(read, notify())

    assert bench.messenger.sent[-1][0] == "phone"


def test_a_channel_that_fails_is_reported(bench: Workbench) -> None:
    bench.messenger.problem = "there is no desktop"
    toolbox = bench.toolbox()

    assert toolbox.call(*notify()) == "The message was not sent: there is no desktop."
    assert not toolbox.recorded().acts[0].could_do_it


# -- prompts ---------------------------------------------------------------------------------------


def add(**more: object) -> tuple[str, dict[str, object]]:
    return "heartbeat_add", {"id": "mail", "title": "Mail", "prompt": "Look at the mail.", **more}


def test_a_prompt_is_added_listed_replaced_and_removed(bench: Workbench) -> None:
    bench.grants = EVERYTHING
    answers = bench.play(
        add(),
        add(),
        add(gate="test -e new", overwrite=True),
        ("heartbeat_list", {}),
        ("heartbeat_remove", {"id": "mail"}),
    )

    assert answers == [
        "Added the prompt mail.",
        "Changed the prompt mail.",
        "Changed the prompt mail. Before its gate runs, the person has to approve it.",
        "[heartbeat_list]\n» mail | Mail | gate: test -e new",
        "Removed the prompt mail.",
    ]
    assert not bench.exists("heartbeat/mail.md")

    bench.undo()
    assert "test -e new" in bench.text("heartbeat/mail.md")


GATE = {
    "command": "test -e new",
    "cwd": "sub",
    "timeout": "10s",
    "env": {"A": "b: c"},
    "permissions": ["@read:docs"],
    "allowedDomains": ["localhost:8080", "example.com"],
}


def test_what_is_not_given_stays_as_it_was(bench: Workbench) -> None:
    bench.grants = EVERYTHING
    answers = bench.play(
        add(gate=GATE),
        ("heartbeat_add", {"id": "mail", "title": "Post", "gate": ""}),
        ("heartbeat_add", {"id": "mail", "gate": {"allowedDomains": ["localhost"]}}),
        ("heartbeat_add", {"id": "mail", "prompt": "Look again."}),
        ("heartbeat_add", {"id": "other", "prompt": "Look."}),
        ("heartbeat_add", {"id": "mail", "gate": {"comand": "x"}}),
        ("heartbeat_add", {"id": "mail", "gate": 7}),
    )
    waits = " Before its gate runs, the person has to approve it."
    assert answers[:5] == [
        f"Added the prompt mail.{waits}",
        "Changed the prompt mail.",
        f"Changed the prompt mail.{waits}",
        "Changed the prompt mail.",
        "There is no prompt other yet, so it needs a title.",
    ]
    assert "`comand` is not a key of a gate" in answers[5]
    assert "`gate` must be a text or a table." in answers[6]

    (prompt,) = read_workspace(bench.world()).prompts
    assert (prompt.title, prompt.body) == ("Post", "Look again.")
    assert prompt.gate == Gate(
        "test -e new",
        "sub",
        timedelta(seconds=10),
        {"A": "b: c"},
        ("@read:docs",),
        ("localhost",),
    )


def test_a_run_of_everything_is_recorded_for_after_the_beat(bench: Workbench) -> None:
    bench.grants = EVERYTHING
    toolbox = bench.toolbox()
    toolbox.call("heartbeat_run", {"ids": ["tidy"]})
    assert toolbox.call("heartbeat_run", {}) == "What is due runs right after this beat."
    toolbox.call("heartbeat_run", {"ids": ["report"]})
    assert toolbox.recorded().wants_run == ("*",)


@pytest.mark.parametrize("identifier", ["../out", "a/b", "", "A b", "x" * 65, ".hidden"])
def test_an_invalid_id_creates_no_file(bench: Workbench, identifier: str) -> None:
    bench.grants = EVERYTHING
    before = sorted(Path(bench.home).rglob("*.md"))
    (answer,) = bench.play(add(id=identifier))

    assert "Added" not in answer
    assert sorted(Path(bench.home).rglob("*.md")) == before


def test_a_requested_run_is_recorded_for_after_the_beat(bench: Workbench) -> None:
    bench.grants = EVERYTHING
    toolbox = bench.toolbox()

    assert (
        toolbox.call("heartbeat_run", {"ids": ["report", "nothing"]}) == "There is no item nothing."
    )
    assert toolbox.recorded().wants_run == ()

    toolbox.call("heartbeat_run", {"ids": ["tidy", "tidy"]})
    toolbox.call("heartbeat_run", {"ids": ["tidy", "report"]})

    assert toolbox.recorded().wants_run == ("tidy", "report")
