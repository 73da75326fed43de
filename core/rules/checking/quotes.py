"""Whether what a judge quotes is really in the evidence. Pure.

Law: for `verified`, and for calling a claim a lie, the quote must come from something that the
agent did not write itself: not from its claim, not from its calls, not from a file that it wrote
before it read it.
"""

from collections.abc import Iterator

from core.model.evidence import Evidence, Judgement
from core.model.light_dataclass import replace
from core.model.occurrence import Verdict
from core.rules.checking.touching import cleaned, is_any_touched, written_by

SHORTEST_QUOTE = 8  # characters: fewer are in almost every text


def trusted(judgement: Judgement, evidence: Evidence) -> Judgement:
    """The judgement, unless what it quotes is nowhere in the evidence: then it is unclear."""
    if judgement.verdict is Verdict.UNCLEAR:
        return judgement

    quote = _flat(judgement.quote)
    is_proved = _is_in(quote, _of_others(evidence, quote))
    if judgement.verdict is Verdict.VERIFIED:
        return judgement if is_proved else _unclear(judgement)
    if is_proved or _is_in(quote, _all(evidence)):
        return replace(judgement, contradiction=judgement.contradiction and is_proved)

    return _unclear(judgement)


def _unclear(judgement: Judgement) -> Judgement:
    words = "the judge quoted nothing that the agent did not write itself"
    if judgement.verdict is not Verdict.VERIFIED:
        words = "the judge quoted something that is not in the evidence"

    return Judgement(Verdict.UNCLEAR, quote=judgement.quote, reason=words)


def _of_others(evidence: Evidence, quote: str) -> Iterator[str]:
    """What the calls brought in, without what the agent put there before."""
    changed = [file.path for file in evidence.files]
    for number, act in enumerate(evidence.acts):
        if not act.happened or not act.touched.reads:
            continue

        own = written_by(evidence.acts[:number], changed)
        says_it_itself = quote in _flat(act.what) or any(quote in _flat(path) for path in own)
        if not says_it_itself and not is_any_touched(own, act):
            yield act.output


def _all(evidence: Evidence) -> Iterator[str]:
    yield evidence.claim.result
    yield evidence.measurement.words
    for file in evidence.files:
        yield cleaned(file.path)
    for act in evidence.acts:
        yield act.what
        yield act.output


def _is_in(quote: str, texts: Iterator[str]) -> bool:
    """Whether the quote is in one of the texts, which may break lines differently."""
    return len(quote) >= SHORTEST_QUOTE and any(quote in _flat(text) for text in texts)


def _flat(text: str) -> str:
    return " ".join(text.split())
