"""`heartbeat run`: one beat now, with live progress and a receipt."""

import signal
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from types import FrameType

import click

from core.model.holder import BUSY, Holder, Purpose
from core.model.ledger import Pause
from core.model.light_dataclass import replace
from core.model.occurrence import FAILURES, Outcome, Verdict
from core.model.report import BeatReport, ItemReport, NoticeKind
from core.model.waiting import is_unchecked
from core.rules.printable import for_terminal
from core.rules.reporting.endings import BETWEEN, counted_endings, ending_of, words_of
from core.rules.reporting.unmet import unmet_of, way_to_run
from core.rules.residing.next_step import wake_after
from core.rules.scoring.words import kept_of_day
from core.rules.timing.durations import duration_words
from core.services import Services
from core.usecases import approving, beats, pausing, planning, reading, status, workspaces
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.check import cut
from tray_app.cli.colours import MARKS, OF_TONE
from tray_app.cli.live import Live
from tray_app.cli.plan import table
from tray_app.cli.tables import folded
from tray_app.cli.words import (
    approval_words,
    counted,
    instant_and_distance,
    refusal_words,
    until,
    usage_json,
    usage_words,
)

APPROVAL_NEEDED = 4  # the exit code
MOST_OF_ADVICE = 20  # lines

AT_WORK: Mapping[Purpose | None, str] = {  # what the holder of the lock is doing
    Purpose.BEAT: "A beat is already running",
    Purpose.UNDO: "An undo is already running",
    Purpose.PLAN: "A plan is being made",
    Purpose.BATCH: "The model is at work",
    Purpose.EDIT: "The model is writing in the workspace",
    Purpose.MEMORY: "The model is writing in the workspace",
    Purpose.BACKGROUND: "A background action is running",
    Purpose.DAEMON: "Heartbeat is already running",
    Purpose.TRAY: "Heartbeat is already running",
    Purpose.DOCTOR: "heartbeat doctor is running",
    None: "Heartbeat is already at work here",
}


@click.command("run")
@click.argument("items", nargs=-1, metavar="[ID]…")
@click.option("--dry-run", is_flag=True, help="Only say what would run.")
@json_option
@click.pass_obj
def command(call: Call, items: tuple[str, ...], dry_run: bool) -> int:
    """Do one beat now: everything that is due, and everything without a schedule. With IDs:
    exactly these, due or not."""
    call.only_looks = dry_run
    services = call.services()
    items = planning.known_items(services, items)
    if dry_run:
        plan = planning.plan(services, items=items)
        if call.as_json:
            from tray_app.cli.plan import as_json as plan_as_json

            print_json(plan_as_json(plan))
        else:
            click.echo("\n".join(table(plan, terminal_width())))

        return 0

    return run_now(services, items, as_json=call.as_json)


def run_now(services: Services, items: Sequence[str], *, as_json: bool) -> int:
    """Do one beat in this process and show it; return the exit code."""
    other = status.run_by(services)
    if other is not None:
        click.echo(
            f"{for_terminal(other)} runs this workspace; this beat runs here anyway.",
            err=True,
        )

    _end_on_interrupt(services.cancelled.set, lambda: services.processes.kill_all())
    report = _beat(services, items, quiet=as_json)
    if isinstance(report, Holder):
        return busy(report, beats.items_at_work(services, report), as_json)

    waiting = status.approvals_noted(services)
    if as_json:
        print_json(report_as_json(report))
    else:
        was_told = any(notice.kind is NoticeKind.REFUSED for notice in report.notices)
        refused = [] if was_told else refusal_words(reading.refusal(services))
        now = workspaces.local_now(services)
        lines = receipt(report, now, pausing.pause_of(services), items, waiting)
        was_said = any(notice.kind is NoticeKind.APPROVALS for notice in report.notices)
        reasons = [] if was_said else [item.why for item in report.items]
        unchecked = approving.unchecked_words(services, reasons)
        place = f"Workspace: {workspaces.shown_root(services)}"
        click.echo("\n".join([*refused, *lines, *unchecked, place]))

    return exit_code(report, items, waiting)


def _beat(services: Services, items: Sequence[str], *, quiet: bool) -> BeatReport | Holder:
    """Do one beat and show what it is doing, or return who holds the lock."""
    with Live(
        services.clock.monotonic, lambda item: beats.last_line(services, item), quiet=quiet
    ) as live:

        def show(item: str, report: ItemReport | None) -> None:
            live(item, item_line(without_advice(report)) if report else None)

        return beats.run_beat(services, items, show)


def exit_code(report: BeatReport, named: Collection[str] = (), approvals_waiting: int = 0) -> int:
    """`named` are the ids or keys that the person asked for: each of them has to run.
    `approvals_waiting` counts also what is not due: where nothing is, it is all there is to do."""
    for item in report.items:
        is_unclear = item.outcome is Outcome.NEEDS_CLARIFICATION
        if item.outcome in FAILURES or is_unclear or item.verdict is Verdict.NOT_VERIFIED:
            return 1

    nothing_ran = not report.in_background and all(item.duration is None for item in report.items)
    unmet = unmet_of(report, named)
    if unmet and any(item.outcome is not Outcome.NEEDS_APPROVAL for item in unmet):
        return 1

    needs_approval = any(item.outcome is Outcome.NEEDS_APPROVAL for item in report.items)
    only_approvals = approvals_waiting > 0 and not (report.items or named)
    if nothing_ran and (needs_approval or only_approvals):
        return APPROVAL_NEEDED

    return 1 if unmet else 0


def _end_on_interrupt(cancel: Callable[[], None], kill_all: Callable[[], None]) -> None:
    """The first Ctrl-C ends the running item cleanly and stops; the second kills the running
    command and ends at once."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end_at_once)

        click.echo("\nStopping cleanly … (press Ctrl-C again to stop immediately)", err=True)
        cancel()

    def end_at_once(_number: int, _frame: FrameType | None) -> None:
        kill_all()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)


def busy(holder: Holder, items: Sequence[str], wants_json: bool) -> int:
    """Say who is at work, since when, and with what."""
    since = f", since {holder.since.astimezone():%H:%M:%S}" if holder.since else ""
    doing = f": {cut(', '.join(items), 100)}" if items else ""
    message = f"{AT_WORK[holder.purpose]} (pid {holder.pid}{since}){doing}."
    can_be_ended = holder.purpose in (Purpose.BEAT, Purpose.BATCH)
    hint = "Try again when it is done" + (", or end it: heartbeat cancel" if can_be_ended else ".")
    if wants_json:
        print_json({"error": {"message": message, "hint": hint}})
    else:
        click.echo(f"heartbeat: {message}\n  {hint}", err=True)

    return BUSY


def item_line(item: ItemReport) -> str:
    """The verdict, then the item: nobody has to read on to know whether it is good news."""
    end = ending_of(item)
    took = f" ({item.duration.total_seconds():.1f} s)" if item.duration is not None else ""
    said = words_of(item, has_run=item.duration is not None, found=item.check)
    words = BETWEEN.join(cut(part, 160) for part in said)

    head = click.style(f"{MARKS[end.tone]} {end.with_points}", fg=OF_TONE[end.tone])
    return ": ".join(filter(None, [f"  {head}  {cut(item.id, 40)}{took}", words]))


def without_advice(item: ItemReport) -> ItemReport:
    """The item as its line shows it: why the model gave no answer is said once, below."""
    return replace(item, error=item.error.partition(": ")[0]) if _got_no_answer(item) else item


def _got_no_answer(item: ItemReport) -> bool:
    """Whether it was given to a model that did not come to its end."""
    return item.outcome is Outcome.WAITING and item.duration is not None


def receipt(
    report: BeatReport,
    now: datetime,
    pause: Pause | None = None,
    named: Collection[str] = (),
    approvals_waiting: int = 0,
) -> list[str]:
    """What waits and why, what ran and how long it took, what is next. `named` is what the person
    asked for, and `approvals_waiting` counts also what is not due yet."""
    return [
        *no_answer_lines(report),
        *waiting_lines(report, named, approvals_waiting),
        *never_run_lines(report),
        *beat_lines(report),
        *background_lines(report),
        *notice_lines(report),
        *next_lines(report, now, pause),
    ]


def waiting_lines(
    report: BeatReport, named: Collection[str] = (), approvals_waiting: int = 0
) -> Iterator[str]:
    waiting = [item for item in report.items if item.duration is None]
    yield from (item_line(item) for item in waiting)

    unapproved = sum(
        item.outcome is Outcome.NEEDS_APPROVAL and not is_unchecked(item.why) for item in waiting
    )
    was_told = any(notice.kind is NoticeKind.APPROVAL for notice in report.notices)
    if unapproved and not was_told:
        yield f"{unapproved} waiting for your approval. To see and approve: heartbeat approve"
    elif not was_told:
        yield from approval_words(approvals_waiting)

    without_model = [item.reason for item in waiting if item.outcome is Outcome.NEEDS_MODEL]
    if without_model and not any(notice.kind is NoticeKind.MODEL for notice in report.notices):
        yield f"Something {without_model[0]}"

    yield from dict.fromkeys(filter(None, map(way_to_run, unmet_of(report, named))))

    if report.beat is None and not unapproved:
        is_due = bool(waiting or approvals_waiting)
        yield "Nothing ran." if is_due else "Nothing was due."


def never_run_lines(report: BeatReport) -> Iterator[str]:
    """What can never run, unless a notice says it below."""
    was_told = any(notice.kind is NoticeKind.NEVER_RUNS for notice in report.notices)
    if report.never_run and not was_told:
        yield f"{counted(report.never_run, 'line')} can never run: heartbeat check"


def no_answer_lines(report: BeatReport) -> Iterator[str]:
    """Why the model gave no answer, and what to do: all of it."""
    for why in dict.fromkeys(item.error for item in report.items if _got_no_answer(item)):
        yield from folded(f"{why[:1].upper()}{why[1:]}", terminal_width(), MOST_OF_ADVICE)


def beat_lines(report: BeatReport) -> Iterator[str]:
    ran = [item for item in report.items if item.duration is not None]
    if report.beat is not None:
        took = duration_words(report.finished - report.started)
        counted_items = counted_endings(ran) or counted_endings(report.items)
        counts = f"{counted_items}, " if counted_items else ""
        yield f"Beat {report.beat} ({report.reason}): {counts}{took}."

    has_verdict = any(item.verdict for item in report.items)
    kept = kept_of_day(report.score) if ran or has_verdict else ""
    points = f"{report.score.today} of {report.score.target} points" if has_verdict else ""
    if kept or points:
        yield f"Today: {', '.join(filter(None, [kept, points]))}."

    if report.usage is not None:
        yield f"The model: {usage_words(report.usage)}."


def background_lines(report: BeatReport) -> Iterator[str]:
    for name in report.in_background:
        yield f"{cut(name, 40)} still runs in the background (heartbeat history shows how it ends)"


def notice_lines(report: BeatReport) -> Iterator[str]:
    for notice in report.notices:
        words = f"{notice.title.rstrip('.')}: {notice.message}"
        yield from (for_terminal(line) for line in words.splitlines())

    if report.write_problem:
        why = report.write_problem.message
        yield f"The results are recorded, but not in the file yet: {why}"


def next_lines(report: BeatReport, now: datetime, pause: Pause | None) -> Iterator[str]:
    if pause:
        yield f"Paused {until(pause.until, now)}."

    following = wake_after(pause, report.next_wake, now)
    if following:
        yield f"Next: {instant_and_distance(following, now)}."
    elif not pause:
        yield "Nothing is scheduled."


def report_as_json(report: BeatReport) -> dict[str, object]:
    return {
        "beat": report.beat,
        "reason": str(report.reason),
        "started": report.started.isoformat(),
        "finished": report.finished.isoformat(),
        "items": [
            {
                "id": item.id,
                "kind": str(item.kind),
                "outcome": str(item.outcome),
                "verdict": str(item.verdict) if item.verdict else None,
                "contradiction": item.contradiction,
                "check_fails": item.check_fails,
                "self_reported": item.self_reported,
                "ruling": item.ruling or None,
                "points": item.points,
                "attempts": item.attempts,
                "duration": item.duration.total_seconds() if item.duration is not None else None,
                "result": item.result or None,
                "error": item.error or None,
                "reason": item.reason,
            }
            for item in report.items
        ],
        "in_background": list(report.in_background),
        "model": usage_json(report.usage),
        "score": {
            "today": report.score.today,
            "target": report.score.target,
            "delta": sum(item.points for item in report.items),
            "kept": report.score.kept,
            "kept_count": report.score.kept_count,
            "due_count": report.score.due_count,
        },
        "notifications": [
            {"kind": str(notice.kind), "title": notice.title, "message": notice.message}
            for notice in report.notices
        ],
    }
