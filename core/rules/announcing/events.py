"""One event is one notification: a verdict, the points that it cost and what the model said are
told together, the verdict first. Pure.

Law: what a model said is never news beside a verdict that denies it.
"""

from collections.abc import Collection, Mapping

from core.model.announcements import Message
from core.model.item import item_key
from core.model.light_dataclass import light_dataclass, replace
from core.model.occurrence import Verdict
from core.model.report import ItemReport, Notice, NoticeKind
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.printable import as_sentence, one_line
from core.rules.reporting.endings import Tone, ending_of

SCORE_DROP = TroubleKey(TroubleKind.SCORE_DROP)
LONGEST_SAID = 300


@light_dataclass(frozen=True, slots=True)
class Closing:
    """The model's last words to the person."""

    words: Notice
    items: tuple[ItemReport, ...]  # what it worked on

    @property
    def keys(self) -> set[str]:
        return {item_key(one.kind, one.id) for one in self.items}


def told_together(
    fresh: Mapping[TroubleKey, Message],
    denials: Collection[TroubleKey],
    closing: Closing | None,
    key: TroubleKey,
) -> dict[TroubleKey, Message]:
    """What is new, with the model's last words as part of the first denial of what it worked on,
    else as a message of their own, under `key`; and with the score drop as part of the first
    denial. A contradiction comes before any other denial. That attempts are used up is part of the
    failure that used them up."""
    told = dict(fresh)
    new = [one for one in told if one in denials]
    new.sort(key=lambda one: one.kind is not TroubleKind.CONTRADICTION)

    if closing:
        denying = [one for one in new if one.about in closing.keys]
        alone = None if denying else closing_notice(closing)
        if denying:
            _append(told, denying[0], _said(one_line(closing.words.message, LONGEST_SAID)))
        if alone:
            told[key] = Message(alone, trouble=key)

    if new and SCORE_DROP in told:
        _append(told, new[0], told.pop(SCORE_DROP).notice.message)

    return _with_exhaustion(told)


def _with_exhaustion(told: dict[TroubleKey, Message]) -> dict[TroubleKey, Message]:
    for key in [one for one in told if one.kind is TroubleKind.EXHAUSTED]:
        kinds = (TroubleKind.CONTRADICTION, TroubleKind.FAILURE)
        ways = [TroubleKey(kind, key.about) for kind in kinds]
        failure = next((one for one in ways if one in told), None)
        if failure:
            _append(told, failure, told.pop(key).notice.message)

    return told


def _append(told: dict[TroubleKey, Message], key: TroubleKey, words: str) -> None:
    notice = told[key].notice
    told[key] = replace(told[key], notice=replace(notice, message=f"{notice.message}\n{words}"))


def _said(words: str) -> str:
    return f"The model said: “{words}”"


def closing_notice(closing: Closing) -> Notice | None:
    """The last words as a notice of their own, with the verdict in its title where one is in doubt;
    None if all that they can be about is denied."""
    good = [one for one in closing.items if ending_of(one).tone is Tone.GOOD]
    denied = [
        one for one in closing.items if one.verdict is Verdict.NOT_VERIFIED or one.check_fails
    ]
    doubtful = denied or [one for one in closing.items if ending_of(one).tone is Tone.OPEN]
    if not doubtful:
        return closing.words
    if denied and not good:
        return None

    verdicts = dict.fromkeys(ending_of(one).words for one in doubtful)
    many = len(doubtful)
    names = one_line(doubtful[0].id, 60) if many == 1 else f"{many} tasks"

    why = one_line(doubtful[0].ruling) if many == 1 else ""
    said = _said(closing.words.message)

    return Notice(
        NoticeKind.MESSAGE,
        f"{names}: {', '.join(verdicts)}",
        f"{as_sentence(why)}\n{said}" if why else said,
    )
