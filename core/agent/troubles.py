"""What went wrong with a provider, in words for a person. Law: they contain no key, and nothing
that looks like one."""

from collections.abc import Mapping

from core.agent.choose import Access, AnyAccess
from core.agent.wire.values import Failure, Trouble
from core.model.diagnostic import Problem
from core.rules.providers import key_variables
from core.rules.redacting import without_tokens, without_values

LONGEST_WORDS = 200  # characters of what a provider said

PROBLEMS: Mapping[Trouble, Problem] = {
    Trouble.KEY: Problem(
        "{name} refused the key{code}{said}.",
        "Store a valid one: heartbeat key set {name}{variable}",
    ),
    Trouble.FORBIDDEN: Problem(
        "{name} does not allow this with this key{code}{said}.",
        "Allow it in the provider's settings of the key, or store another: heartbeat key set "
        "{name}",
    ),
    Trouble.CREDIT: Problem(
        "The account at {name} has no credit left{code}{said}.",
        "Add some at the provider, or choose another model in config.toml.",
    ),
    Trouble.PAUSE: Problem(
        "{name} asks for a pause{code}{said}.",
        "It is asked again later; if this happens often, beat less often or ask for more quota.",
    ),
    Trouble.SERVER: Problem(
        "{name} had an internal error{code}{said}.", "It is asked again later by itself."
    ),
    Trouble.NO_MODEL: Problem(
        "{name} does not know the model {model}, or not at {address}{code}{said}.",
        "Correct `model` or `base_url` under [agent] in config.toml.",
    ),
    Trouble.TOO_LONG: Problem(
        "What is due does not fit into the model {model} of {name}{code}{said}.",
        "Shorten HEARTBEAT.md or the prompts, or choose a model that reads more.",
    ),
    Trouble.REFUSED: Problem(
        "{name} refused the request{code}{said}.",
        "See what it says; `heartbeat plan --prompt` shows what is sent.",
    ),
    Trouble.REFUSAL: Problem(
        "The model {model} of {name} will not do what is due{said}.",
        "Reword it (`heartbeat plan --prompt` shows what is sent), or choose another model.",
    ),
    Trouble.REDIRECT: Problem(
        "{name} has moved{code}: {address} names another address, which gets no key.",
        "Write the right one into config.toml: [agent] base_url",
    ),
    Trouble.UNREACHABLE: Problem(
        "{name} cannot be reached at {address}, or closed the connection{said}.",
        "Check the network, and `base_url` under [agent] in config.toml; `heartbeat doctor` helps.",
    ),
    Trouble.UNREADABLE: Problem(
        "{name} gave an answer that cannot be read{code}{said}.",
        "Check that {address} speaks the protocol of {name}.",
    ),
}


def problem_of(failure: Failure, access: Access) -> Problem:
    """What happened, and what to do about it."""
    choice = access.choice
    variable = key_variables().get(choice.provider)
    details = {
        "name": choice.provider,
        "model": choice.model,
        "address": choice.base_url,
        "code": f" ({failure.status})" if failure.status else "",
        "said": _said(failure.said, access.key),
        # Without a keyring there is no other way to give a key.
        "variable": f", or without a keyring set {variable}" if variable else "",
    }

    known = PROBLEMS[failure.trouble]
    return Problem(known.message.format(**details), known.hint.format(**details))


def unexpected(error: BaseException, access: AnyAccess) -> Problem:
    """An error that should not happen."""
    said = _said(str(error), access.key)
    return Problem(f"Asking {access.choice.provider} failed: {type(error).__name__}{said}.", "")


def _said(words: str, key: str) -> str:
    """Somebody's own words, on one line."""
    words = without_values(words, (key,) if key else ())
    words = without_tokens(" ".join(words.split())[:LONGEST_WORDS]).rstrip(".")

    return f": {words}" if words else ""
