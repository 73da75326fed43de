"""`notify` actions through the installed command: a real notification daemon, web and mail
servers, a real keyring."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.desktop import Desktop
from tests.e2e.machine import Machine, action, block, wait_for
from tests.e2e.servers import Reply, Site, mailbox, self_signed, site
from tests.e2e.with_keyring import MachineWithKeyring

NOTIFICATIONS = "org.freedesktop.Notifications"


def notify(identifier: str, message: str, *lines: str, priority: str = "MEDIUM") -> str:
    return block(identifier, "type: notify", f"message: {message}", *lines, priority=priority)


def settings(machine: Machine, text: str) -> None:
    (machine.config / "config.toml").write_text(
        "[notify]\nchannels = []\n" + text, encoding="utf-8"
    )


def items(machine: Machine) -> dict[str, tuple[str, str]]:
    report = machine.read_json(machine.heartbeat("run", "--json"))
    return {
        one["id"]: (one["outcome"], one["result"] or one["error"] or one["reason"])
        for one in report["items"]
    }


# -- the desktop -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with tempfile.TemporaryDirectory(
        prefix="heartbeat-"
    ) as folder:  # a short path: the bus's socket lies in it
        desktop = Desktop(Path(folder))
        try:
            desktop.start_display()
            desktop.start_bus()
            desktop.run("dunst")
            wait_for(lambda: desktop.has_owner(NOTIFICATIONS), "the notification daemon")
            yield desktop
        finally:
            desktop.stop()


def shown_on(desktop: Desktop) -> dict[str, str]:
    """Title and text of what the daemon has shown."""

    def ask(*words: str) -> str:
        done = subprocess.run(
            ["dunstctl", *words],
            env=desktop.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    ask("close-all")
    found = json.loads(ask("history"))["data"][0]
    assert len(found) == len({one["summary"]["data"] for one in found})
    return {one["summary"]["data"]: one["body"]["data"] for one in found}


def test_a_message_is_shown_on_the_desktop_as_it_was_written(
    machine: Machine, desktop: Desktop
) -> None:
    settings(machine, "")
    machine.environment["DBUS_SESSION_BUS_ADDRESS"] = desktop.environment[
        "DBUS_SESSION_BUS_ADDRESS"
    ]
    machine.write(
        notify("plain", "a < b & c > d, {{completed_count}} done"),
        notify("urgent", "now", "title: It burns", "urgency: critical", "channel: desktop"),
    )
    assert items(machine) == {"plain": ("completed", "OK"), "urgent": ("completed", "OK")}
    assert shown_on(desktop) == {"plain": "a &lt; b &amp; c > d, 0 done", "It burns": "now"}


def test_without_a_desktop_a_notification_fails(machine: Machine) -> None:
    settings(machine, "")
    machine.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
    machine.write(notify("plain", "hello"))
    assert items(machine)["plain"][0] == "failed"
    assert "**status**: FAILED" in machine.text()


# -- channels --------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Site]:
    with site() as server:
        yield server


def bodies(server: Site) -> list[Any]:
    return [json.loads(one.body) for one in server.asked]


def test_ntfy_gets_the_message_with_the_token_of_the_keyring(
    secretive: MachineWithKeyring, server: Site
) -> None:
    secretive.keep_secret("ntfy-token", "tk_AgQdq7mVBoFD37zQ")
    settings(
        secretive,
        (
            f'[channels.phone]\ntype = "ntfy"\nserver = "http://{server.address}/"\n'
            'topic = "home"\n'
            'token = "ntfy-token"\n'
        ),
    )
    secretive.write(
        notify("call", "come home", "title: Dinner", "channel: phone", "urgency: critical")
    )
    assert items(secretive) == {"call": ("completed", "OK")}
    assert bodies(server) == [
        {"topic": "home", "title": "Dinner", "message": "come home", "priority": 5}
    ]
    assert server.asked[0].headers["authorization"] == "Bearer tk_AgQdq7mVBoFD37zQ"
    assert secretive.files_with("tk_AgQdq7mVBoFD37zQ") == []


def test_telegram_gets_the_message_and_its_token_stays_in_the_keyring(
    secretive: MachineWithKeyring, server: Site
) -> None:
    token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
    secretive.keep_secret("bot", token)
    channel = (
        f'[channels.chat]\ntype = "telegram"\nserver = "http://{server.address}"\n'
        'chat = "42"\ntoken = "bot"\n'
    )
    settings(secretive, channel)
    secretive.write(notify("call", "come home", "title: Dinner", "channel: chat"))
    assert items(secretive) == {"call": ("completed", "OK")}
    assert server.asked[0].path == f"/bot{token}/sendMessage"
    assert bodies(server) == [{"chat_id": "42", "text": "Dinner\ncome home"}]
    server.replies[f"/bot{token}/sendMessage"] = Reply(
        302, headers={"Location": f"http://localhost/{token}"}
    )
    secretive.write(notify("again", "come home", "channel: chat"))
    done = secretive.heartbeat("run")
    assert done.code == 1
    assert "it redirects to another server" in done.err
    assert token not in done.err + done.out
    assert secretive.files_with(token) == []


def test_a_webhook_gets_the_message_as_json(machine: Machine, server: Site) -> None:
    settings(machine, f'[channels.hook]\ntype = "webhook"\nurl = "http://{server.address}/hook"\n')
    machine.write(notify("call", 'say "hi"', "title: Dinner", "channel: hook"))
    assert items(machine) == {"call": ("completed", "OK")}
    assert bodies(server) == [{"title": "Dinner", "message": 'say "hi"', "kind": "action"}]
    assert server.asked[0].headers["content-type"] == "application/json"
    assert "authorization" not in server.asked[0].headers


def mail_settings(port: int, *lines: str) -> str:
    known = [
        f"port = {port}",
        'type = "smtp"',
        'host = "127.0.0.1"',
        'from = "me@home.test"',
        'to = "you@home.test"',
    ]
    return "[channels.mail]\n" + "\n".join([*known, *lines]) + "\n"


def test_a_mail_goes_encrypted_and_with_the_password_of_the_keyring(
    secretive: MachineWithKeyring, tmp_path: Path
) -> None:
    certificate = self_signed(tmp_path)
    secretive.environment["SSL_CERT_FILE"] = str(certificate)  # the person trusts it
    secretive.keep_secret("mail-password", "correct horse")
    with mailbox(certificate, ("me", "correct horse")) as server:
        settings(secretive, mail_settings(server.port, 'user = "me"', 'password = "mail-password"'))
        secretive.write(
            notify("call", "Grüße nach Hause", "title: Abendessen für zwei", "channel: mail")
        )
        assert items(secretive) == {"call": ("completed", "OK")}
        assert server.logins == [("me", "correct horse")]
        assert [line.split()[0].upper() for line in server.in_the_clear] == ["EHLO", "STARTTLS"]
    (mail,) = (message_from_bytes(data) for data in server.mails)
    assert (mail["From"], mail["To"]) == ("me@home.test", "you@home.test")
    payload = mail.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert payload.decode(mail.get_content_charset() or "ascii").strip() == "Grüße nach Hause"
    assert secretive.files_with("correct horse") == []


def test_an_untrusted_mail_server_gets_nothing(machine: Machine, tmp_path: Path) -> None:
    with mailbox(self_signed(tmp_path)) as server:
        settings(machine, mail_settings(server.port))
        machine.write(notify("call", "hello", "channel: mail"))
        assert items(machine) == {
            "call": ("failed", "the mail server refused it (SSLCertVerificationError)")
        }
        assert server.mails == []


def test_mail_is_sent_without_encryption_only_if_the_settings_say_so(machine: Machine) -> None:
    with mailbox() as server:
        settings(machine, mail_settings(server.port))
        machine.write(notify("call", "hello", "channel: mail"))
        assert items(machine)["call"][0] == "failed"
        settings(machine, mail_settings(server.port, 'security = "none"'))
        machine.write(notify("again", "hello", "channel: mail"))
        assert items(machine)["again"] == ("completed", "OK")
        assert len(server.mails) == 1


def test_a_channel_that_refuses_or_is_missing_is_a_failure(
    secretive: MachineWithKeyring, server: Site
) -> None:
    server.replies["/full"] = Reply(507)
    with mailbox(login=("me", "right")) as mail, site() as gone:
        gone_address = gone.address
        secretive.keep_secret("wrong-password", "s3same")
        mail.refuses = True
        channels = [
            f'[channels.full]\ntype = "webhook"\nurl = "http://{server.address}/full"\n',
            (
                f'[channels.keyless]\ntype = "webhook"\nurl = "http://{server.address}/"\n'
                'token = "nobody"\n'
            ),
            mail_settings(mail.port, 'security = "none"').replace(
                "channels.mail", "channels.refusing"
            ),
            mail_settings(
                mail.port, 'security = "none"', 'user = "me"', 'password = "wrong-password"'
            ),
        ]
        settings(
            secretive,
            "".join(channels)
            + f'[channels.gone]\ntype = "webhook"\nurl = "http://{gone_address}"\n',
        )
        names = ("full", "keyless", "refusing", "mail", "nowhere")
        secretive.write(*(notify(f"to_{name}", "hello", f"channel: {name}") for name in names))
        ended = items(secretive)
    assert ended == {
        "to_full": ("failed", "the server answered 507"),
        "to_keyless": ("failed", "There is no secret `nobody` in the keyring"),
        "to_refusing": ("failed", "the mail server refused it (SMTPRecipientsRefused)"),
        "to_mail": ("failed", "the mail server refused it (535 wrong password)"),
        "to_nowhere": ("failed", "there is no [channels.nowhere] in config.toml"),
    }
    secretive.write(notify("to_gone", "hello", "channel: gone"))
    assert items(secretive)["to_gone"][0] == "failed"


def test_there_is_one_message_per_channel_and_beat(machine: Machine, server: Site) -> None:
    settings(
        machine,
        f'[channels.a]\ntype = "webhook"\nurl = "http://{server.address}/a"\n'
        f'[channels.b]\ntype = "webhook"\nurl = "http://{server.address}/b"\n',
    )
    machine.write(
        notify("one", "first", "channel: a", "title: One", priority="HIGH"),
        notify("two", "second, {{completed_count}} done", "channel: a", "title: Two"),
        notify("other", "alone", "channel: b"),
        notify("bad", "{{secret:none}}", "channel: a"),
        notify("not", "never", "channel: a", "condition: any_failed and hour < 0"),
        action("work", "true", priority="LOW"),
    )
    ended = items(machine)
    assert {name: outcome for name, (outcome, _) in ended.items()} == {
        "one": "completed",
        "two": "completed",
        "other": "completed",
        "bad": "failed",
        "not": "needs_clarification",
        "work": "completed",
    }
    assert {
        one.path: body["message"] for one, body in zip(server.asked, bodies(server), strict=True)
    } == {
        "/a": "One: first\nTwo: second, 1 done",
        "/b": "alone",
    }


def test_a_critical_failure_stops_all_but_the_message_that_asks_for_failures(
    machine: Machine, server: Site
) -> None:
    settings(machine, f'[channels.a]\ntype = "webhook"\nurl = "http://{server.address}/"\n')
    machine.write(
        action("first", "echo broken; exit 3", priority="CRITICAL"),
        action("later", "echo x > later"),
        notify(
            "told",
            "{{failure_count}} failed: {{last_error}}",
            "channel: a",
            "condition: any_failed",
        ),
        notify("critical", "so it is", "channel: a", "condition: any_critical_failed"),
        notify("other", "not asked for", "channel: a"),
    )
    ended = items(machine)
    assert {name: outcome for name, (outcome, _) in ended.items()} == {
        "first": "failed",
        "later": "waiting",
        "told": "completed",
        "critical": "completed",
        "other": "waiting",
    }
    assert [body["message"] for body in bodies(server)] == [
        "told: 1 failed: exit code 3: broken\ncritical: so it is"
    ]
    assert machine.text().count("**status**: PENDING") == 2
    assert not (machine.workspace / "later").exists()
