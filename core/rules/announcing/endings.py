"""That a trouble is over, as a sentence of its own. Pure."""

from collections.abc import Mapping

from core.model.announcements import Announced
from core.model.item import identifier_of_key
from core.model.occurrence import Outcome, Verdict
from core.model.report import Notice, NoticeKind
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.printable import one_line

# Title and message; `{}` is the name of the item.
BY_KIND: Mapping[TroubleKind, tuple[str, str]] = {
    TroubleKind.FAILURE: ("{} works again", "It failed before, and now it went well."),
    TroubleKind.CONTRADICTION: (
        "{} is verified now",
        "What was said about it before was not so. Now its check passes.",
    ),
    TroubleKind.APPROVAL: (
        "Nothing waits for your approval any more",
        "What you approved runs when it is due.",
    ),
    TroubleKind.REFUSED: ("HEARTBEAT.md is read again", "What it asks for runs as before."),
    TroubleKind.PROVIDER: (
        "The language model answers again",
        "What waited for it goes on with the next beat.",
    ),
}
# The failures of an item, by the first part of what they are recognized by.
OF_AN_ITEM: Mapping[str, tuple[str, str]] = {
    Verdict.NOT_VERIFIED: ("{} is verified now", "Its check failed before, and now it passes."),
    Outcome.SKIPPED: ("{} is as it should be", "Its check no longer fails."),
    Outcome.NEEDS_CLARIFICATION: ("{} is understood now", "It runs as it is written."),
}


def over_notice(key: TroubleKey, was: Announced) -> Notice:
    title, message = BY_KIND.get(key.kind, (f"No longer: {was.title}", "You need do nothing."))
    if key.kind is TroubleKind.FAILURE and was.sameness:
        title, message = OF_AN_ITEM.get(was.sameness[0], (title, message))

    name = one_line(identifier_of_key(key.about), 60)
    return Notice(NoticeKind.OVER, title.format(name), message)
