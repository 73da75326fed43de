"""`heartbeat status`: how the workspace is doing."""

from collections.abc import Iterator
from datetime import datetime, tzinfo

import click

from core.model.status import Running, Status, WorkspaceState
from core.model.trouble import TroubleKind
from core.rules.printable import for_terminal
from core.rules.scoring.words import kept_of_day
from core.rules.timing.durations import duration_words
from core.services import Services
from core.usecases.status import current_status
from core.usecases.workspaces import local_now, settings_trouble
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.tables import folded
from tray_app.cli.words import (
    approval_words,
    clock_words,
    counted,
    dollars,
    instant_and_distance,
    trouble_words,
    until,
    zone_words,
)

DEEPER = "    "
MOST_OF_ADVICE = 20  # lines

WATCHED = "watching"
NOT_WATCHED = "not running (start it: heartbeat, or heartbeat daemon)"
STATE_WORDS = {  # of what there is to say beside that
    WorkspaceState.RUNNING: "a beat is running",
    WorkspaceState.ATTENTION: "something needs you",
    WorkspaceState.ERROR: "the last beat had an error",
}


@click.command("status")
@json_option
@click.pass_obj
def command(call: Call) -> int:
    """Show how the workspace is doing: state, last and next beat, today's score."""
    show_status(call, call.services())
    return 0


def show_status(call: Call, services: Services) -> None:
    status = current_status(services)
    now = local_now(services)
    if call.as_json:
        print_json(as_json(status, now.tzinfo))
    else:
        trouble = trouble_words(settings_trouble(services))
        zone = zone_words(now, services.clock.zone())
        shown = [*lines(status, now), *(f"  {words}" for words in (*trouble, *zone))]
        click.echo("\n".join(shown))
        if status.moved_from is not None:
            click.echo("".join(f"  {line}\n" for line in login_words(services)), nl=False)
            services.identity.tell_move()


def lines(status: Status, now: datetime) -> Iterator[str]:
    yield f"{status.workspace}\n  {WATCHED if status.is_watched else NOT_WATCHED}"
    if status.state in STATE_WORDS:
        yield f"  {STATE_WORDS[status.state]}"

    yield from running_lines(status.running, now)
    if status.is_paused:
        yield f"  paused {until(status.paused_until, now)}"
    if not status.is_enabled:
        yield (
            "  switched off in the settings (enabled = false): nothing starts on its own; "
            "heartbeat run still works"
        )
    yield from place_lines(status)

    yield f"  last beat: {instant_and_distance(status.last_beat, now)}"
    yield f"  next beat: {instant_and_distance(status.next_beat, now)}"
    yield from (f"  {words}" for words in approval_words(status.approvals_waiting))
    yield from need_lines(status)

    if status.model.provider:
        cost = f"{dollars(status.model.usd)} today, " if status.model.usd is not None else ""
        asked = f"{cost}{counted(status.model.requests, 'request')}"
        name = " ".join(filter(None, [status.model.provider, status.model.model]))
        source = status.model.key_from
        place = "the keyring" if source == "keyring" else source
        key = f", key from {place}" if place else ""
        yield f"  model: {name}{key}; {asked}"

    score = status.score
    kept = f"{words}; " if (words := kept_of_day(score)) else ""
    level = f", {score.level}" if score.level else ""
    yield f"  today: {kept}{score.today} of {score.target} points{level}; streak {score.streak}"


def need_lines(status: Status) -> Iterator[str]:
    """What waits for the person; approvals have a line of their own."""
    told = {TroubleKind.APPROVAL}
    if status.model.problem:
        told.add(TroubleKind.PROVIDER)
        words = f"needs you: the model gave no answer: {status.model.problem}"
        first, *rest = folded(words, terminal_width() - len(DEEPER), MOST_OF_ADVICE)
        yield f"  {first}"
        yield from (f"{DEEPER}{line}" for line in rest)

    for need in status.needs:
        if need.trouble.kind is TroubleKind.NEVER_RUNS:
            yield f"  {for_terminal(need.title)}: heartbeat check"
        elif need.trouble.kind not in told:
            yield f"  needs you: {for_terminal(need.title)}"


def place_lines(status: Status) -> Iterator[str]:
    """Where the workspace runs, and where its folder was before."""
    if status.run_by is not None:
        other = for_terminal(status.run_by)
        yield f"  run by {other}; to run it here instead: heartbeat daemon --take-over"
    if status.moved_from is not None:
        yield f"  moved from {for_terminal(status.moved_from)}; its history and score go on here"
        yield "  what was approved there waits for one yes: heartbeat approve"


def login_words(services: Services) -> Iterator[str]:
    """Of a workspace that was moved: whether its old path still starts at login."""
    from core.usecases.desktop import entries_left_behind  # imported here: few are ever moved

    if entries_left_behind(services):
        old = "at login Heartbeat still starts for the old path"
        yield f"{old}; for this one: heartbeat autostart on"


def running_lines(running: Running | None, now: datetime) -> Iterator[str]:
    """Which items run, since when, and what each of them printed last."""
    if running is None:
        return

    for item in running.items:
        since = f"{clock_words(item.since, now)} ({duration_words(now - item.since)})"
        line = f": {for_terminal(item.last_line)}" if item.last_line else ""
        yield f"    {for_terminal(item.id)}, running since {since}{line}"


def as_json(status: Status, zone: tzinfo | None) -> dict[str, object]:
    def here(instant: datetime | None) -> str | None:
        return instant.astimezone(zone).isoformat() if instant else None

    score = status.score
    running = status.running
    return {
        "workspace": status.workspace,
        "state": str(status.state),
        "paused": status.is_paused,
        "paused_until": here(status.paused_until),
        "enabled": status.is_enabled,
        "run_by": status.run_by,
        "moved_from": status.moved_from,
        "last_beat": here(status.last_beat),
        "next_beat": here(status.next_beat),
        "score": {
            "today": score.today,
            "target": score.target,
            "streak": score.streak,
            "level": score.level,
            "kept": score.kept,
            "kept_count": score.kept_count,
            "due_count": score.due_count,
        },
        "approvals_waiting": status.approvals_waiting,
        "model": {
            "provider": status.model.provider,
            "model": status.model.model,
            "requests_today": status.model.requests,
            "usd_today": status.model.usd,
            "key_from": status.model.key_from,
            "problem": status.model.problem,
        },
        "running": {
            "beat": running.beat,
            "since": here(running.since),
            "items": [
                {
                    "id": item.id,
                    "since": here(item.since),
                    "last_line": item.last_line or None,
                }
                for item in running.items
            ],
        }
        if running
        else None,
    }
