"""The program's line under a task: its form, and what is not it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.kinds import read_document
from core.model.document import NodeKind
from core.model.item import ItemKind
from core.model.occurrence import FAILURES, Occurrence, Outcome, Verdict
from core.rules.reading.verdict_lines import (
    FAILURE_WORDS,
    VERDICT_WORDS,
    is_verdict_line,
    verdict_line,
    word_of,
)

AT = datetime(2026, 11, 18, 14, 30, tzinfo=UTC)
OURS = "  - heartbeat: verified, 10 points (2026-11-18 14:30)"


def run_of(**values: Any) -> Occurrence:
    return Occurrence("task:a", ItemKind.TASK, AT, 1, why="", **values)


@pytest.mark.parametrize(
    ("task", "run", "line"),
    [
        ("- [ ] a", run_of(verdict=Verdict.VERIFIED, points=10), OURS),
        (
            "\t* [ ] a",
            run_of(verdict=Verdict.VERIFIED, points=1),
            "\t  - heartbeat: verified, 1 point (",
        ),
        (
            "- [ ] a",
            run_of(verdict=Verdict.NOT_VERIFIED, points=-15),
            "  - heartbeat: not verified, -15 points (",
        ),
        (
            "- [ ] a",
            run_of(verdict=Verdict.NOT_VERIFIED, points=-45, contradiction=True),
            "  - heartbeat: contradiction, -45 points (",
        ),
        (
            "- [ ] a",
            run_of(verdict=Verdict.UNCLEAR, points=-2),
            "  - heartbeat: unclear, -2 points (",
        ),
        ("- [ ] a", run_of(outcome=Outcome.FAILED), "  - heartbeat: failed, 0 points ("),
        ("- [ ] a", run_of(outcome=Outcome.INTERRUPTED), "  - heartbeat: interrupted, 0 points ("),
        (
            "- [ ] a",
            run_of(outcome=Outcome.SKIPPED, check_fails=True),
            "  - heartbeat: skipped although its check fails, 0 points (",
        ),
    ],
)
def test_it_says_the_verdict_the_points_and_when(task: str, run: Occurrence, line: str) -> None:
    word = word_of(run)
    assert word
    written = verdict_line(task, word, run.points, AT)
    assert written.startswith(line)
    assert is_verdict_line(written)


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.COMPLETED, None])
def test_a_run_that_found_nothing_out_has_no_word(outcome: Outcome | None) -> None:
    assert word_of(run_of(outcome=outcome)) is None


def test_every_verdict_and_failure_has_its_words() -> None:
    assert set(VERDICT_WORDS) == set(Verdict)
    assert set(FAILURE_WORDS) == FAILURES


@pytest.mark.parametrize(
    "line",
    [
        OURS.strip(),
        OURS + " ",
        OURS + " good",
        OURS.replace("verified", "fine"),
        OURS.replace("10", "ten"),
        OURS.replace("10", "٣"),
        OURS.replace("14:30", "25:30"),
        OURS.replace("2026-11-18", "2026-11-8"),
        OURS.replace("-", "*", 1),
        OURS.replace("heartbeat", "Heartbeat"),
        OURS.removesuffix(")"),
        "  - heartbeat: check that it beats",
    ],
)
def test_a_line_that_only_looks_like_it_is_the_persons(line: str) -> None:
    assert not is_verdict_line(line)
    document = read_document(f"## Tasks\n- [ ] a | Do it\n{line}\n".encode())
    assert all(node.kind is not NodeKind.VERDICT for node in document.nodes)


def test_it_is_ours_only_right_below_a_task() -> None:
    text = f"## Tasks\n- [ ] a | Do it\n{OURS}\n{OURS}\n\n## Notes\n{OURS}\n"
    document = read_document(text.encode())
    kinds = {node.first: node.kind for node in document.nodes}
    assert kinds[3] is NodeKind.VERDICT
    assert document.context.count("heartbeat: verified") == 1
    assert [(task.id, task.details) for task in document.tasks] == [("a", OURS.strip())]
