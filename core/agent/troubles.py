"""What went wrong with a provider, in words for a person. Law: they contain no key, and nothing
that looks like one."""

from datetime import timedelta

from core.agent.choose import Access, AnyAccess
from core.model.diagnostic import Problem
from core.rules.redacting import without_tokens, without_values

LONGEST_WORDS = 200  # characters of what a provider said


def problem_of(error: BaseException, access: Access) -> Problem:
    """What happened, and what to do about it."""
    known = next((one for kinds, one in _known_problems() if isinstance(error, kinds)), None)
    if known is None:
        return unexpected(error, access)

    status = getattr(error, "status_code", None)
    code = f" ({status})" if status else ""
    choice = access.choice
    details = {
        "name": choice.provider,
        "model": choice.model,
        "address": choice.base_url,
        "code": code,
        "said": _said(error, access.key),
    }

    return Problem(known.message.format(**details), known.hint.format(**details))


def _known_problems() -> tuple[tuple[tuple[type[BaseException], ...], Problem], ...]:
    """The problem with each kind of error; the first kind that matches is used."""
    from pydantic_ai import exceptions as kinds

    return (
        (
            (kinds.ModelAuthenticationError,),
            Problem(
                "{name} refused the key{code}{said}.",
                "Store a valid one: heartbeat key set {name}",
            ),
        ),
        (
            (kinds.ModelQuotaExceededError,),
            Problem("The account at {name} has no credit left{code}{said}.", ""),
        ),
        ((kinds.ModelRateLimitError,), Problem("{name} asks for a pause{code}{said}.", "")),
        (
            (kinds.ModelUnavailableError, kinds.ModelServerError),
            Problem("{name} had an internal error{code}{said}.", ""),
        ),
        (
            (kinds.ModelNotFoundError,),
            Problem(
                "{name} does not know the model {model}{code}{said}.",
                "Write another into config.toml.",
            ),
        ),
        (
            (kinds.ModelContextWindowExceededError,),
            Problem("What is due does not fit into the model {model}{code}{said}.", ""),
        ),
        (
            (kinds.ModelRequestRejectedError,),
            Problem("{name} refused the request{code}{said}.", ""),
        ),
        (
            (kinds.ModelConnectionError,),
            Problem("{name} cannot be reached at {address}, or closed the connection{said}.", ""),
        ),
        (
            (kinds.ModelAPIError, kinds.UnexpectedModelBehavior),
            Problem("{name} gave an answer that cannot be read{code}{said}.", ""),
        ),
    )


def unexpected(error: BaseException, access: AnyAccess) -> Problem:
    """An error that the client libraries do not document."""
    said = _said(error, access.key)
    return Problem(f"Asking {access.choice.provider} failed: {type(error).__name__}{said}.", "")


def pause_wanted(error: BaseException) -> timedelta | None:
    """How long the provider asks us to wait, if it says so."""
    seconds = getattr(error, "retry_after", None)
    if isinstance(seconds, int | float) and seconds >= 0:
        return timedelta(seconds=float(seconds))

    return None


def _said(error: BaseException, key: str) -> str:
    """The provider's own words, or the library's, on one line."""
    words = _message_in(getattr(error, "body", None))
    if not words and not hasattr(error, "status_code"):
        words = str(error)

    words = without_values(words, (key,) if key else ())
    words = without_tokens(" ".join(words.split())[:LONGEST_WORDS]).rstrip(".")

    return f": {words}" if words else ""


def _message_in(body: object) -> str:
    """The message of an error response: in `message`, with some providers in `error.message`."""
    if not isinstance(body, dict):
        return ""

    inner = body.get("error")
    message = inner.get("message") if isinstance(inner, dict) else body.get("message")
    return message if isinstance(message, str) else ""
