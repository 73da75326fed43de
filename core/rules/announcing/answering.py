"""The answer to a click on "Run now" or "Run again": what came of it. Pure.

Law: a click is always answered, also if the trouble was announced long ago and is still the same. A
beat whose own notices already tell of everything that did not go well has answered.
"""

from core.model.item import item_key
from core.model.occurrence import FAILURES, Outcome, Verdict
from core.model.report import BeatReport, ItemReport, Notice, NoticeKind
from core.rules.printable import one_line

TELLING = frozenset(  # of something that did not go well
    {
        NoticeKind.APPROVAL,
        NoticeKind.CONTRADICTION,
        NoticeKind.FAILURE,
        NoticeKind.MODEL,
        NoticeKind.REFUSED,
    }
)
TOGETHER = (Outcome.NEEDS_APPROVAL, Outcome.NEEDS_MODEL)  # one notice for all items of the beat
MOST_NAMED = 4


def answer_to_click(report: BeatReport) -> Notice | None:
    """What to tell; None where the notices of the beat have told it."""
    unwell = [item for item in report.items if not _is_fine(item)]
    together = {item.outcome for item in unwell if item.outcome in TOGETHER}
    single = [item for item in unwell if item.outcome not in TOGETHER]
    told = sum(notice.kind in TELLING for notice in report.notices)
    if unwell and told >= len(together) + len(single):
        return None

    title = _title(report, unwell)
    lines = [_line(item) for item in unwell[:MOST_NAMED]]
    if len(unwell) > MOST_NAMED:
        lines.append(f"and {len(unwell) - MOST_NAMED} more")

    if not lines:
        lines = [_line(item) for item in report.items[:MOST_NAMED]]

    return Notice(NoticeKind.ANSWER, title, "\n".join(lines) or "There was nothing to do.")


def _title(report: BeatReport, unwell: list[ItemReport]) -> str:
    ran = [item for item in report.items if item.duration is not None]
    if not ran:
        return "Nothing ran" if report.items else "Nothing was due"

    if not unwell:
        return "It went well" if len(ran) == 1 else f"All {len(ran)} went well"

    keys = {item_key(item.kind, item.id) for item in unwell}
    well = sum(item_key(item.kind, item.id) not in keys for item in ran)
    return f"{well} of {len(ran)} went well"


def _is_fine(item: ItemReport) -> bool:
    if item.outcome in FAILURES or item.verdict is Verdict.NOT_VERIFIED or item.contradiction:
        return False

    # A condition that is false and a gate that says no are as they should be.
    return item.outcome in (Outcome.COMPLETED, Outcome.SKIPPED)


def _line(item: ItemReport) -> str:
    name = one_line(item.id, 60)
    words = item.check or item.error or item.result or item.reason
    return f"{name}: {one_line(words, 120)}"
