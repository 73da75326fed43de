"""The answer to a click on "Run now" or "Run again": what came of it. Pure.

Law: a click is always answered, also if the trouble was announced long ago and is still the same. A
beat whose own notices already tell of everything that did not go well has answered. What went well
is decided where every view asks, so that an answer never says more than the history.
"""

from core.model.occurrence import Outcome
from core.model.report import BeatReport, ItemReport, Notice, NoticeKind
from core.rules.printable import one_line
from core.rules.reporting.endings import BETWEEN, Tone, counted_endings, ending_of, words_of

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

    if unwell or any(ending_of(item).tone is not Tone.GOOD for item in ran):
        return counted_endings(ran)

    return "It went well" if len(ran) == 1 else f"All {len(ran)} went well"


def _is_fine(item: ItemReport) -> bool:
    # A condition that is false and a gate that says no are as they should be.
    is_over = item.outcome in (Outcome.COMPLETED, Outcome.SKIPPED)
    return is_over and ending_of(item).tone in (Tone.GOOD, Tone.CALM)


def _line(item: ItemReport) -> str:
    name = one_line(item.id, 60)
    words = words_of(item, has_run=item.duration is not None, found=item.check)
    if item.verdict or item.check_fails:
        words.insert(0, ending_of(item).with_points)

    return f"{name}: {BETWEEN.join(one_line(part, 120) for part in words)}"
