"""`heartbeat score`: kept and broken promises, day by day."""

import click

from core import bootstrap
from core.model.item import identifier_of_key
from core.model.score import Mover, Score, ScoredDay
from tray_app.cli.check import cut
from tray_app.cli.main import Call, json_option, print_json

WIDTH = 30  # characters of the widest bar
LEVEL_COLOURS = {"lockdown": "red", "escalated": "red", "tightened": "yellow", "warning": "yellow"}


@click.command("score", short_help="Say how many promises were kept.")
@click.option("--days", type=click.IntRange(1, 3650), default=14, show_default=True, help="So many days back.")
@click.option("--rebuild", is_flag=True, help="Add the score up again from the single verdicts, and compare.")
@json_option
@click.pass_obj
def command(call: Call, days: int, rebuild: bool) -> int:
    """Say how many promises were kept: the last days, today, and what moved it, biggest first."""
    root = bootstrap.locate_workspace(call.workspace)
    score, movers = bootstrap.score(root)
    wrong = bootstrap.score_differences(root) if rebuild else []
    shown = score.days[-days:]
    if call.as_json:
        found = as_json(score, shown)
        if rebuild:
            found["rebuilt"] = {"same": not wrong, "differences": [str(kept.day) for kept, _ in wrong]}
        print_json(found)
        return 1 if wrong else 0
    click.echo("\n".join([*plot(shown), "", *words(score), *moved(movers)]))
    if rebuild:
        for kept, again in wrong:
            click.echo(f"{kept.day}: kept {kept.score:+d}, added up again {again.score:+d}", err=True)
        click.echo("The score is not the sum of its verdicts." if wrong else "Added up again: the same.")
    return 1 if wrong else 0


def plot(days: tuple[ScoredDay, ...]) -> list[str]:
    """One line a day: the bar is the score, `|` the target."""
    largest = max(max(abs(day.score), day.target) for day in days)
    lines = []
    for day in days:
        length, mark = round(WIDTH * abs(day.score) / largest), round(WIDTH * day.target / largest)
        bar = ("█" if day.score >= 0 else "░") * length
        row = bar.ljust(WIDTH + 1)
        row = row[:mark] + ("|" if mark >= length else row[mark]) + row[mark + 1 :]
        colour = "green" if day.reached else "red" if day.score < 0 else None
        kept = "" if day.kept is None else f"{day.kept:4.0%} kept"
        lines.append(
            f"{day.date:%a %d %b} {day.score:>5} {click.style(row, fg=colour)} of {day.target:<4} {kept}".rstrip()
        )
    return lines


def words(score: Score) -> list[str]:
    today, level = score.today, score.level
    named = f", {click.style(level, fg=LEVEL_COLOURS.get(level, 'green'))}" if level else ", no verdict yet"
    days = "1 day" if score.streak == 1 else f"{score.streak} days"
    return [f"Today {today.score} of {today.target}{named}. Streak: {days}. Floor: {today.floor}."]


def moved(movers: list[Mover]) -> list[str]:
    return [
        f"  {mover.points:+5d}  {cut(identifier_of_key(mover.what), 40) or 'your thumb for the day'}"
        + (f" ({mover.times} times)" if mover.times > 1 else "")
        for mover in movers
    ]


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
            }
            for day in shown
        ],
        "today": score.today.score,
        "target": score.today.target,
        "floor": score.today.floor,
        "streak": score.streak,
        "level": score.level,
    }
