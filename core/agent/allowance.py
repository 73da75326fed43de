"""What the next request may use of a batch's limits; decided before it is sent. Pure."""

from collections.abc import Callable

from core.model.agent import Limits, Usage

Price = Callable[[Usage], float | None]  # what so much use of the model costs, in dollars; None: nobody knows

LONGEST_ANSWER = 4096  # tokens: the libraries' own limit is many times that
SHORTEST_ANSWER = 256  # with less than that left, a request is money thrown away
CHARACTERS_A_TOKEN = 3  # on the safe side: English has 4, code and other scripts fewer


def tokens_of(text: str) -> int:
    """About how many tokens a text is."""
    return len(text) // CHARACTERS_A_TOKEN + 1


def answer_allowed(limits: Limits, used: Usage, seconds_used: float, next_input: int, price: Price) -> int | str:
    """How many tokens the next answer may have, or which limit forbids to ask."""
    if used.requests >= limits.requests:
        return f"the limit of {limits.requests} requests a beat"
    if seconds_used >= limits.time.total_seconds():
        return f"the time limit of {limits.time.total_seconds() / 60:g} minutes a beat"
    answer = min(LONGEST_ANSWER, limits.tokens - used.input_tokens - used.output_tokens - next_input)
    if answer < SHORTEST_ANSWER:
        return f"the limit of {limits.tokens} tokens a beat"
    answer = min(answer, _affordable(limits, used, next_input, answer, price))
    return answer if answer >= SHORTEST_ANSWER else "the day's money"


def _affordable(limits: Limits, used: Usage, next_input: int, answer: int, price: Price) -> int:
    """The longest answer that the money left pays for, if the provider counts as we do."""
    asking, all_of_it = (
        price(Usage(input_tokens=next_input)),
        price(Usage(input_tokens=next_input, output_tokens=answer)),
    )
    if limits.usd is None or asking is None or all_of_it is None:
        return answer
    left = limits.usd - (price(used) or 0.0)
    if all_of_it <= left:
        return answer
    return int(answer * (left - asking) / (all_of_it - asking)) if left > asking and all_of_it > asking else 0
