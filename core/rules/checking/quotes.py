"""Whether what a judge quotes is really in the evidence. Pure.

Law: for `verified`, and for calling a claim a lie, the quote must come from something that the
agent did not write itself: not from its claim, not from its calls, not from a file that it wrote
before it read it. Whatever it wrote into the arguments of a call, in full, is its own from then on,
wherever it comes back.
"""

from collections.abc import Collection, Iterator

from core.model.evidence import Act, Evidence, Judgement
from core.model.light_dataclass import replace
from core.model.occurrence import Verdict
from core.rules.checking.touching import cleaned, is_any_touched, written_by

MARK = "»"  # begins every line of data that a model gets
SHORTEST_QUOTE = 8  # characters: fewer are in almost every text


def trusted(
    judgement: Judgement, evidence: Evidence, changed: Collection[str] | None = None
) -> Judgement:
    """The judgement, unless what it quotes is nowhere in the evidence: then it is unclear.
    `changed` are all files that differ, where the evidence shows only some of them."""
    if judgement.verdict is Verdict.UNCLEAR:
        return judgement

    quote = _flat(judgement.quote)
    if changed is None:
        changed = {file.path for file in evidence.files}

    is_proved = _is_in(quote, _of_others(evidence, quote, changed))
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


def _of_others(evidence: Evidence, quote: str, changed: Collection[str]) -> Iterator[str]:
    """What the calls brought in, without what the agent put there before."""
    own: set[str] = set()  # files
    for act in evidence.acts:
        is_said = any(quote in _flat(text) for text in (act.what, *act.said))
        brings_in = act.happened and act.found and act.touched.reads
        if brings_in and not is_said and quote in _flat(act.output) and not _is_from(own, act):
            yield act.output
        if is_said and act.touched.writes != ():
            return  # from here on it may come back from wherever the call put it

        own |= written_by([act], changed)


def _is_from(own: Collection[str], act: Act) -> bool:
    """Whether the output may come from the agent's own files, or be the name of one."""
    output = _flat(act.output)
    return any(_flat(path) in output for path in own) or is_any_touched(own, act)


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
    return " ".join(text.replace(MARK, " ").split())
