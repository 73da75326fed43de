"""Messages that leave the machine: ntfy, telegram, smtp, webhook. Their secrets come from the keyring, by name."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta

from core.adapters.patience import GaveUpError, within
from core.model.errors import HeartbeatError
from core.model.http import Answer, NoAnswer, Request
from core.model.report import Notice
from core.model.settings import CHANNEL_KEYS
from core.ports import Http
from core.rules.redacting_secrets import without_secrets

PATIENCE = timedelta(seconds=10)  # in all: a beat that is to end waits for the message that it is sending
NTFY_PRIORITY = {"low": 2, "normal": 3, "critical": 5}
NEEDED = {kind: needed for kind, (needed, _) in CHANNEL_KEYS.items()}


class Channels:
    """The configured `[channels.NAME]`; `secret` gives the value of a keyring name."""

    def __init__(
        self, configured: Mapping[str, Mapping[str, object]], http: Http, secret: Callable[[str], str]
    ) -> None:
        self._configured = configured
        self._http = http
        self._keyring = secret
        self._used: dict[str, str] = {}

    def send(self, channel: str, notice: Notice, urgency: str = "normal") -> str:
        """Send it; returns why that was not possible, or nothing."""
        settings = self._configured.get(channel)
        if settings is None:
            return f"there is no [channels.{channel}] in config.toml"
        kind = str(settings.get("type", ""))
        missing = [key for key in NEEDED.get(kind, ()) if not settings.get(key)]
        if kind not in NEEDED or missing:
            wants = f"`{missing[0]}`" if missing else f"a type of {', '.join(NEEDED)}"
            return f"config.toml needs {wants} in [channels.{channel}]"
        try:
            problem = (
                self._mail(settings, notice)
                if kind == "smtp"
                else _refusal(self._http.send(self._request(kind, settings, notice, urgency)))
            )
        except HeartbeatError as error:
            return error.message.rstrip(".")
        return without_secrets(problem, self._used)  # an address may stand in it, with its token

    def _secret(self, name: str) -> str:
        self._used[name] = self._keyring(name)
        return self._used[name]

    def _request(self, kind: str, settings: Mapping[str, object], notice: Notice, urgency: str) -> Request:
        if kind == "ntfy":
            server = str(settings.get("server") or "https://ntfy.sh").rstrip("/")
            message = {"topic": settings["topic"], "title": notice.title, "message": notice.message}
            body = json.dumps({**message, "priority": NTFY_PRIORITY.get(urgency, 3)})
            return Request("POST", server, self._authorization(settings), body, PATIENCE)
        headers = {"Content-Type": "application/json"}
        if kind == "telegram":
            server = str(settings.get("server") or "https://api.telegram.org").rstrip("/")
            url = f"{server}/bot{self._secret(str(settings['token']))}/sendMessage"
            body = json.dumps({"chat_id": settings["chat"], "text": f"{notice.title}\n{notice.message}"})
            return Request("POST", url, headers, body, PATIENCE)
        body = json.dumps({"title": notice.title, "message": notice.message, "kind": notice.kind})
        return Request("POST", str(settings["url"]), {**headers, **self._authorization(settings)}, body, PATIENCE)

    def _authorization(self, settings: Mapping[str, object]) -> dict[str, str]:
        name = settings.get("token")
        return {"Authorization": f"Bearer {self._secret(str(name))}"} if name else {}

    def _mail(self, settings: Mapping[str, object], notice: Notice) -> str:
        import smtplib

        password = self._secret(str(settings.get("password", ""))) if settings.get("user") else ""
        try:
            within(PATIENCE.total_seconds(), lambda: _hand_over(settings, notice, password))
        except GaveUpError:
            return f"the mail server did not take it within {PATIENCE.total_seconds():g} s"
        except smtplib.SMTPResponseException as error:
            return f"the mail server refused it ({error.smtp_code} {_words(error.smtp_error)})"
        except (OSError, ValueError, smtplib.SMTPException) as error:  # ValueError: what no header or login can hold
            return f"the mail server refused it ({type(error).__name__})"
        return ""


def _hand_over(settings: Mapping[str, object], notice: Notice, password: str) -> None:
    import smtplib
    import ssl
    from email.message import EmailMessage

    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = notice.title, str(settings["from"]), str(settings["to"])
    mail.set_content(notice.message)
    secure = str(settings.get("security", "starttls"))
    port = int(str(settings.get("port") or (465 if secure == "tls" else 587)))
    host, seconds, context = str(settings["host"]), PATIENCE.total_seconds(), ssl.create_default_context()
    server = (
        smtplib.SMTP_SSL(host, port, timeout=seconds, context=context)
        if secure == "tls"
        else smtplib.SMTP(host, port, timeout=seconds)
    )
    with server:
        if secure == "starttls":
            server.starttls(context=context)
        if settings.get("user"):
            server.login(str(settings["user"]), password)
        server.send_message(mail)


def _words(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


def _refusal(answer: Answer | NoAnswer) -> str:
    if isinstance(answer, NoAnswer):
        return answer.reason
    return "" if 200 <= answer.status < 300 else f"the server answered {answer.status}"
