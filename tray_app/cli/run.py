"""`heartbeat run`: one beat now, with live progress and a receipt."""

import signal
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING

import click

from core import bootstrap
from core.model.holder import Holder
from core.model.memory import Pause
from core.model.occurrence import Outcome
from core.model.report import BeatReport, ItemReport
from core.model.verdict import Verdict
from core.rules.residing import wake_after
from core.rules.timing.durations import duration_words
from tray_app.cli.check import cut
from tray_app.cli.main import Call, harmless, json_option, print_json
from tray_app.cli.plan import table
from tray_app.cli.words import moment_and_distance, refusal_words, until, usage_json, usage_words

if TYPE_CHECKING:
    from core.engine.world import World

FAILED = (Outcome.FAILED, Outcome.INTERRUPTED, Outcome.NEEDS_CLARIFICATION)
MARKS = {Outcome.COMPLETED: ("✓", "green"), Outcome.FAILED: ("✗", "red"), Outcome.INTERRUPTED: ("✗", "red")}
VERDICT_MARKS = {
    Verdict.VERIFIED: ("✓", "green"),
    Verdict.NOT_VERIFIED: ("✗", "red"),
    Verdict.UNCLEAR: ("?", "yellow"),
}
BUSY = 3
LOOKS, PAUSE_BETWEEN_LOOKS = 50, 0.1  # at a plan that is being made


@click.command("run", short_help="Do one beat now.")
@click.argument("items", nargs=-1, metavar="[ID]…")
@click.option("--dry-run", is_flag=True, help="Only say what would run.")
@json_option
@click.pass_obj
def command(call: Call, items: tuple[str, ...], dry_run: bool) -> int:
    """Do one beat now: all that is due, and all without a schedule. With IDs: exactly these, due or not."""
    root = bootstrap.locate_workspace(call.workspace)
    items = bootstrap.known_items(root, items)
    if dry_run:
        plan = bootstrap.plan(root, items=items)
        if call.as_json:
            from tray_app.cli.plan import as_json as plan_as_json

            print_json(plan_as_json(plan))
        else:
            click.echo("\n".join(table(plan)))
        return 0
    if other := bootstrap.run_by(root):
        click.echo(f"{harmless(other)} runs this workspace; this beat runs here all the same.", err=True)
    world = bootstrap.open_world(root)
    _end_on_interrupt(world.cancel, lambda: world.processes.kill_all())
    report = _beat(world, items, quiet=call.as_json)
    if isinstance(report, Holder):
        return busy(report, call.as_json)
    if call.as_json:
        print_json(as_json(report))
    else:
        was_told = any(notice.kind == "refused" for notice in report.notices)
        refused = [] if was_told else refusal_words(bootstrap.refusal(root))
        click.echo("\n".join([*refused, *receipt(report, bootstrap.local_now(root), bootstrap.pause_of(root))]))
    return exit_code(report)


def _beat(world: "World", items: Sequence[str], *, quiet: bool) -> BeatReport | Holder:
    """One beat; a plan, which follows every save and is over in a moment, is waited for."""
    for _ in range(LOOKS):
        done = bootstrap.run_beat(world, items, lambda item, report: None if quiet else _say(item, report))
        if not (isinstance(done, Holder) and done.purpose == "plan") or world.cancelled.is_set():
            break
        time.sleep(PAUSE_BETWEEN_LOOKS)
    return done


def exit_code(report: BeatReport) -> int:
    outcomes = [item.outcome for item in report.items]
    if any(outcome in FAILED for outcome in outcomes) or any(item.verdict == "not_verified" for item in report.items):
        return 1
    nothing_ran = all(item.duration is None for item in report.items)
    return 4 if nothing_ran and Outcome.NEEDS_APPROVAL in outcomes else 0


def _end_on_interrupt(cancel: Callable[[], None], kill_all: Callable[[], None]) -> None:
    """Ctrl-C once: end the running item cleanly and stop; twice: now, and the running command with it."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end_at_once)
        click.echo("\nEnding cleanly … (Ctrl-C again: at once)", err=True)
        cancel()

    def end_at_once(_number: int, _frame: FrameType | None) -> None:
        kill_all()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)


def busy(holder: Holder, wants_json: bool) -> int:
    since = f", since {holder.since.astimezone():%H:%M:%S}" if holder.since else ""
    message = f"Another {holder.purpose or 'beat'} is at work (pid {holder.pid}{since})."
    if wants_json:
        print_json({"error": {"message": message, "hint": "Try again when it is done."}})
    else:
        click.echo(f"heartbeat: {message}\n  Try again when it is done.", err=True)
    return BUSY


def _say(item: str, done: ItemReport | None) -> None:
    """One line an item: what it is doing on a terminal, what became of it everywhere."""
    if done is None:
        if sys.stderr.isatty():
            click.echo(f"  … {cut(item, 60)}\r", nl=False, err=True)
        return
    click.echo(item_line(done), err=True)


def item_line(item: ItemReport) -> str:
    mark, colour = MARKS.get(item.outcome, ("·", "yellow"))
    if item.verdict:
        mark, colour = VERDICT_MARKS[item.verdict]
    took = f" in {item.duration.total_seconds():.1f} s" if item.duration is not None else ""
    words = item.check or item.error or item.result or item.reason
    if item.outcome is Outcome.NEEDS_MODEL:  # what to do about it comes once, below
        words = f"{words.partition('. ')[0].rstrip('.')}."
    verdict = f" {item.verdict.replace('_', ' ')} {item.points:+d}" if item.verdict else ""
    lie = ", a contradiction" if item.contradiction else ""
    return f"  {click.style(mark, fg=colour)} {cut(item.id, 40)}{verdict}{lie}{took}: {cut(words, 160)}"


def receipt(report: BeatReport, now: datetime, pause: Pause | None = None) -> list[str]:
    """What ran, why, how long, what is next; what waits, with its reason."""
    waiting = [item for item in report.items if item.duration is None]
    lines = [item_line(item) for item in waiting]
    ran = [item for item in report.items if item.duration is not None]
    completed = sum(item.outcome is Outcome.COMPLETED and item.verdict is not Verdict.NOT_VERIFIED for item in ran)
    unapproved = sum(item.outcome is Outcome.NEEDS_APPROVAL for item in waiting)
    if unapproved:
        verb = "waits" if unapproved == 1 else "wait"
        lines.append(f"{unapproved} {verb} for your approval. To see and approve: heartbeat approve")
    without_model = [item.reason for item in waiting if item.outcome is Outcome.NEEDS_MODEL]
    if without_model and not any(notice.kind == "model" for notice in report.notices):
        lines.append(without_model[0].partition(". ")[2] or without_model[0])
    if report.beat is None and not unapproved:
        is_refused = any(item.outcome is Outcome.SKIPPED for item in waiting)
        lines.append("Nothing ran." if is_refused else "Nothing was due.")
    if report.beat is not None:
        took = duration_words(report.finished - report.started)
        lines.append(f"Beat {report.beat} ({report.reason}): {completed} of {len(ran)} went well, {took}.")
    if any(item.verdict for item in report.items):
        lines.append(f"Today: {report.score.today} of {report.score.target} points.")
    if report.usage is not None:
        lines.append(f"The model: {usage_words(report.usage)}.")
    told = [f"{notice.title.rstrip('.')}: {notice.message}" for notice in report.notices]
    lines += [harmless(line) for words in told for line in words.splitlines()]
    if report.write_problem:
        lines.append(f"The results are recorded, but not in the file yet: {report.write_problem}")
    if pause:
        lines.append(f"Paused {until(pause.until, now)}.")
    following = wake_after(pause, report.next_wake, now)
    if following:
        return [*lines, f"Next: {moment_and_distance(following, now)}."]
    return lines if pause else [*lines, "Nothing is scheduled."]


def as_json(report: BeatReport) -> dict[str, object]:
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
                "points": item.points,
                "attempts": item.attempts,
                "duration": item.duration.total_seconds() if item.duration is not None else None,
                "result": item.result or None,
                "error": item.error or None,
                "reason": item.reason,
            }
            for item in report.items
        ],
        "model": usage_json(report.usage),
        "score": {
            "today": report.score.today,
            "target": report.score.target,
            "delta": sum(item.points for item in report.items),
            "kept": report.score.kept,
        },
        "notifications": [
            {"kind": notice.kind, "title": notice.title, "message": notice.message} for notice in report.notices
        ],
    }
