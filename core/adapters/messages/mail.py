"""Sends a mail through a mail server."""

from core.adapters.timeouts import GaveUpError, within
from core.model.report import NotSent
from core.rules.channels.record import TIMEOUT, Mail


def send_mail(mail: Mail) -> NotSent | None:
    """Return why it could not be sent, or None."""
    import smtplib

    seconds = TIMEOUT.total_seconds()
    try:
        within(seconds, lambda: _hand_over(mail, seconds))
    except GaveUpError:
        return NotSent(f"the mail server did not take it within {seconds:g} s", ("timeout",))
    except smtplib.SMTPResponseException as error:
        words = _words(error.smtp_error)
        code = error.smtp_code
        return NotSent(f"the mail server refused it ({code} {words})", (str(code), words))
    except (OSError, ValueError, smtplib.SMTPException) as error:
        # ValueError: a character that a header or a login cannot hold
        name = type(error).__name__
        return NotSent(f"the mail server refused it ({name})", (name,))

    return None


def _hand_over(mail: Mail, seconds: float) -> None:
    import smtplib
    import ssl
    from email.message import EmailMessage

    message = EmailMessage()
    message["Subject"] = mail.subject
    message["From"] = mail.sender
    message["To"] = mail.recipient
    message.set_content(mail.text)

    context = ssl.create_default_context()
    server: smtplib.SMTP
    if mail.security == "tls":
        port = int(mail.port or 465)
        server = smtplib.SMTP_SSL(mail.host, port, timeout=seconds, context=context)
    else:
        server = smtplib.SMTP(mail.host, int(mail.port or 587), timeout=seconds)

    with server:
        if mail.security == "starttls":
            server.starttls(context=context)

        if mail.user:
            server.login(mail.user, mail.password)

        server.send_message(message)


def _words(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
