"""`heartbeat score`: show kept and broken promises, day by day."""

import click

from core.model.item import identifier_of_key
from core.model.score import Mover, Score, ScoredDay
from core.rules.scoring.words import explained, kept_of_day
from core.usecases import records as scoring
from core.usecases import workspaces
from tray_app.cli.call import Call, json_option, print_json, terminal_width
from tray_app.cli.check import cut
from tray_app.cli.colours import BAD, GOOD, OPEN
from tray_app.cli.tables import folded

NO_VERDICT = "no verdict yet"
WIDTH = 30  # characters of the widest bar
NARROWEST = 8
BESIDE = 40  # columns of a line without its bar
LEVEL_COLOURS = {"lockdown": BAD, "escalated": BAD, "tightened": OPEN, "warning": OPEN}


@click.command("score")
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    metavar="N",
    default=14,
    show_default=True,
    help="How many days to show.",
)
@click.option("--rebuild", is_flag=True, help="Recompute the score from the verdicts, and compare.")
@click.option("--explain", is_flag=True, help="Say what today's numbers mean.")
@json_option
@click.pass_obj
def command(call: Call, days: int, rebuild: bool, explain: bool) -> int:
    """Show how many promises were kept: the last days, today, and what changed the score most."""
    services = call.services()
    score, movers = scoring.score(services)
    wrong = scoring.score_differences(services) if rebuild else []
    shown = score.days[-days:]

    if call.as_json:
        found = as_json(score, shown)
        if rebuild:
            found["rebuilt"] = {
                "same": not wrong,
                "differences": [str(kept.day) for kept, _ in wrong],
            }

        print_json(found)
        return 1 if wrong else 0

    columns = terminal_width()
    if explain:
        has_consequences = workspaces.shows_level(services)
        for sentence in explained(score, has_consequences=has_consequences):
            click.echo("\n".join(folded(sentence, columns, most=20)))

        return 0

    click.echo("\n".join([*plot(shown, columns), "", *words(score), *moved(movers)]))
    if rebuild:
        for kept, again in wrong:
            click.echo(f"{kept.day}: stored {kept.score:+d}, recomputed {again.score:+d}", err=True)

        click.echo(
            "The score does not match its verdicts." if wrong else "The score matches its verdicts."
        )

    return 1 if wrong else 0


def plot(days: tuple[ScoredDay, ...], columns: int) -> list[str]:
    """One line per day: the bar is the score, `|` the target."""
    width = max(min(WIDTH, columns - BESIDE), NARROWEST)
    largest = max(max(abs(day.score), day.target) for day in days)
    lines = []
    for day in days:
        length = round(width * abs(day.score) / largest)
        mark = round(width * day.target / largest)
        bar = ("█" if day.score >= 0 else "░") * length
        row = bar.ljust(width + 1)
        if mark >= length:
            row = row[:mark] + "|" + row[mark + 1 :]

        bar_and_target = click.style(row, fg=colour_of(day))
        when = f"{day.date:%a %d %b} {day.score:>5}"
        line = f"{when} {bar_and_target} of {day.target:<4} {kept_of_day(day)}"
        lines.append(line.rstrip())

    return lines


def colour_of(day: ScoredDay) -> str | None:
    if day.reached:
        return "green"

    return "red" if day.score < 0 else None


def words(score: Score) -> list[str]:
    today = score.today
    level = score.level
    named = f", {click.style(level, fg=LEVEL_COLOURS.get(level, GOOD))}" if level else ""
    points = f"{today.score} of {today.target} points{named}" if today.has_verdict else NO_VERDICT
    kept = f"{words}, " if (words := kept_of_day(today)) else ""
    days = "1 day" if score.streak == 1 else f"{score.streak} days"

    return [
        f"Today: {kept}{points}. Streak: {days}. Floor: {today.floor}.",
        "What that means: heartbeat score --explain",
    ]


def moved(movers: list[Mover]) -> list[str]:
    lines = []
    for mover in movers:
        name = cut(identifier_of_key(mover.what), 40) or "your feedback for the day"
        times = f" ({mover.times} times)" if mover.times > 1 else ""
        lines.append(f"  {mover.points:+5d}  {name}{times}")

    return lines


def as_json(score: Score, shown: tuple[ScoredDay, ...]) -> dict[str, object]:
    return {
        "days": [
            {
                "date": day.date.isoformat(),
                "score": day.score,
                "target": day.target,
                "reached": day.reached,
                "verified": day.sums.verified,
                "not_verified": day.sums.not_verified,
                "unclear": day.sums.unclear,
                "contradictions": day.sums.contradictions,
                "kept": day.kept,
                "kept_count": day.sums.kept,
                "due_count": day.sums.due,
            }
            for day in shown
        ],
        "today": score.today.score,
        "target": score.today.target,
        "floor": score.today.floor,
        "streak": score.streak,
        "level": score.level,
    }
