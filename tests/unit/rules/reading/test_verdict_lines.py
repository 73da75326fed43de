"""The program's line under a task: its form, and what is not it."""

from datetime import UTC, datetime

import pytest

from core.kinds import read_document
from core.model.document import NodeKind
from core.model.occurrence import Verdict
from core.rules.reading.verdict_lines import VERDICT_WORDS, is_verdict_line, verdict_line

AT = datetime(2026, 11, 18, 14, 30, tzinfo=UTC)
OURS = "  - heartbeat: verified, 10 points (2026-11-18 14:30)"


@pytest.mark.parametrize(
    ("task", "verdict", "contradiction", "points", "line"),
    [
        ("- [ ] a", Verdict.VERIFIED, False, 10, OURS),
        ("\t* [ ] a", Verdict.VERIFIED, False, 1, "\t  - heartbeat: verified, 1 point ("),
        ("- [ ] a", Verdict.NOT_VERIFIED, False, -15, "  - heartbeat: not verified, -15 points ("),
        ("- [ ] a", Verdict.NOT_VERIFIED, True, -45, "  - heartbeat: contradiction, -45 points ("),
        ("- [ ] a", Verdict.UNCLEAR, False, -2, "  - heartbeat: unclear, -2 points ("),
    ],
)
def test_it_says_the_verdict_the_points_and_when(
    task: str, verdict: Verdict, contradiction: bool, points: int, line: str
) -> None:
    written = verdict_line(task, verdict, contradiction, points, AT)
    assert written.startswith(line)
    assert is_verdict_line(written)


def test_every_verdict_has_its_words() -> None:
    assert set(VERDICT_WORDS) == set(Verdict)


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
