"""What went wrong with a provider, in words for a person. Law: neither a key nor anything that looks like one is in
them."""

from datetime import timedelta

from core.agent.choosing import Access
from core.rules.redacting import without_tokens, without_values

LONGEST_WORDS = 200  # characters of what a provider said


def words_for(error: BaseException, access: Access) -> str:
    """A sentence: what happened, and what to do about it."""
    from pydantic_ai import exceptions as kinds

    name, status = access.choice.provider, getattr(error, "status_code", None)
    code = f" ({status})" if status else ""
    said = _said(error, access.key)
    match error:
        case kinds.ModelAuthenticationError():
            return f"{name} refused the key{code}{said}. Store a valid one: heartbeat key set {name}"
        case kinds.ModelQuotaExceededError():
            return f"The account at {name} has no credit left{code}{said}."
        case kinds.ModelRateLimitError():
            return f"{name} asks for a pause{code}{said}."
        case kinds.ModelUnavailableError() | kinds.ModelServerError():
            return f"{name} has trouble of its own{code}{said}."
        case kinds.ModelNotFoundError():
            return f"{name} does not know the model {access.choice.model}{code}{said}. Write another into config.toml."
        case kinds.ModelContextWindowExceededError():
            return f"What is due does not fit into the model {access.choice.model}{code}{said}."
        case kinds.ModelRequestRejectedError():
            return f"{name} refused the request{code}{said}."
        case kinds.ModelConnectionError():
            return f"{name} cannot be reached at {access.choice.base_url}, or hung up{said}."
        case kinds.ModelAPIError() | kinds.UnexpectedModelBehavior():
            return f"{name} gave an answer that cannot be read{code}{said}."
        case _:
            return broken(error, access)


def broken(error: BaseException, access: Access) -> str:
    """What nobody foresaw."""
    return f"Asking {access.choice.provider} failed: {type(error).__name__}{_said(error, access.key)}."


def pause_wanted(error: BaseException) -> timedelta | None:
    seconds = getattr(error, "retry_after", None)
    return timedelta(seconds=float(seconds)) if isinstance(seconds, int | float) and seconds >= 0 else None


def _said(error: BaseException, key: str) -> str:
    """The provider's own words, or the library's, on one line."""
    words = _message_in(getattr(error, "body", None)) or ("" if hasattr(error, "status_code") else str(error))
    words = without_values(words, (key,) if key else ())
    words = without_tokens(" ".join(words.split())[:LONGEST_WORDS]).rstrip(".")
    return f": {words}" if words else ""


def _message_in(body: object) -> str:
    """Providers put it into `message`, some into `error` around that."""
    if not isinstance(body, dict):
        return ""
    inner = body.get("error")
    message = inner.get("message") if isinstance(inner, dict) else body.get("message")
    return message if isinstance(message, str) else ""
