"""Messages that leave the machine: ntfy, telegram, smtp, webhook. Their secrets come from the keyring, by name."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta

from core.model.errors import HeartbeatError
from core.model.http import Answer, NoAnswer, Request
from core.model.report import Notice
from core.model.settings import CHANNEL_KEYS
from core.ports import Http

PATIENCE = timedelta(seconds=30)
NEEDED = {kind: needed for kind, (needed, _) in CHANNEL_KEYS.items()}


class Channels:
    """The configured `[channels.NAME]`; `secret` gives the value of a keyring name."""

    def __init__(
        self, configured: Mapping[str, Mapping[str, object]], http: Http, secret: Callable[[str], str]
    ) -> None:
        self._configured = configured
        self._http = http
        self._secret = secret

    def send(self, channel: str, notice: Notice) -> str:
        """Send it; returns why that was not possible, or nothing."""
        settings = self._configured.get(channel)
        if settings is None:
            return f"there is no [channels.{channel}] in config.toml"
        kind = str(settings.get("type", ""))
        missing = [key for key in NEEDED.get(kind, ()) if not settings.get(key)]
        if kind not in NEEDED or missing:
            wants = f"`{missing[0]}`" if missing else f"a type of {', '.join(NEEDED)}"
            return f"[channels.{channel}] in config.toml needs {wants}"
        try:
            if kind == "smtp":
                return self._mail(settings, notice)
            return _refusal(self._http.send(self._request(kind, settings, notice)))
        except HeartbeatError as error:
            return error.message.rstrip(".")

    def _request(self, kind: str, settings: Mapping[str, object], notice: Notice) -> Request:
        if kind == "ntfy":
            server = str(settings.get("server") or "https://ntfy.sh").rstrip("/")
            body = json.dumps({"topic": settings["topic"], "title": notice.title, "message": notice.message})
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
        import ssl
        from email.message import EmailMessage

        mail = EmailMessage()
        mail["Subject"], mail["From"], mail["To"] = notice.title, str(settings["from"]), str(settings["to"])
        mail.set_content(notice.message)
        secure = str(settings.get("security", "starttls"))
        port = int(str(settings.get("port") or (465 if secure == "tls" else 587)))
        host, seconds = str(settings["host"]), PATIENCE.total_seconds()
        try:
            context = ssl.create_default_context()
            server = (
                smtplib.SMTP_SSL(host, port, timeout=seconds, context=context)
                if secure == "tls"
                else smtplib.SMTP(host, port, timeout=seconds)
            )
            with server:
                if secure == "starttls":
                    server.starttls(context=context)
                if settings.get("user"):
                    server.login(str(settings["user"]), self._secret(str(settings.get("password", ""))))
                server.send_message(mail)
        except (OSError, smtplib.SMTPException) as error:
            return f"the mail server refused it ({type(error).__name__})"
        return ""


def _refusal(answer: Answer | NoAnswer) -> str:
    if isinstance(answer, NoAnswer):
        return answer.reason
    return "" if 200 <= answer.status < 300 else f"the server answered {answer.status}"
