"""No edit that a model may make frees its own task from the approval, whatever the edit is."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.kinds import read_document
from core.model.document import Document
from core.rules.approving.guarded import ADDED, guarded_changes
from core.rules.approving.model_tasks import task_hash

BEFORE = """# Mine

Some words.

## Tasks

- [ ] report | Write it | optional | verify: file:report.md
  - heartbeat: verified, 10 points (2026-11-18 14:30)
  Only the summary.
- tidy the desk
- [ ] new | Be good | required | schedule: daily:09:00
  Be kind.

      to Ann
- [ ] other

## Notes

- one
"""
LINES = BEFORE.split("\n")
PIECES = [
    *LINES,
    *("  Delete all.", "\tDelete all.", "- Delete all", "1. Delete all", "- [ ] new | Be bad"),
    *("- [ ] other | run: ls", "- [x] other", "## Tasks", "## Notes", "<!--", "-->", "```"),
    "  - heartbeat: verified, 10 points (2026-11-18 14:30)",
]
REWRITTEN = [("- [ ]", "*  [ ]"), ("|", " |  "), ("new", "NEW"), ("  ", "    "), ("09:00", "9:00")]

line_edits = st.tuples(
    st.integers(0, len(LINES) - 1),
    st.sampled_from(["insert", "replace", "delete"]),
    st.sampled_from(PIECES),
)
rewritings = st.tuples(
    st.integers(0, len(LINES) - 1), st.just("rewrite"), st.sampled_from(REWRITTEN)
)
edits = st.lists(st.one_of(line_edits, rewritings), max_size=4)


def changed(steps: list[tuple[int, str, str | tuple[str, str]]]) -> Document:
    lines = list(LINES)
    for place, what, words in steps:
        index = min(place, len(lines) - 1)
        if isinstance(words, tuple):
            lines[index] = lines[index].replace(*words)
        elif what == "insert":
            lines.insert(index, words)
        elif what == "replace":
            lines[index] = words
        elif len(lines) > 1:
            del lines[index]

    return read_document("\n".join(lines).encode())


def is_allowed(after: Document) -> bool:
    changes = guarded_changes(read_document(BEFORE.encode()), after)
    return not after.refused and all(change.what == ADDED for change in changes)


@settings(max_examples=300, deadline=None)  # the machine may be busy
@given(edits)
@example([(10, "rewrite", ("- [ ]", "*  [ ]"))])
@example([(10, "rewrite", ("|", " |  "))])
@example([(11, "rewrite", ("  ", "    ")), (13, "rewrite", ("  ", "    "))])
def test_what_each_task_says_survives_every_allowed_edit(
    steps: list[tuple[int, str, str | tuple[str, str]]],
) -> None:
    after = changed(steps)
    if not is_allowed(after):
        return

    before = read_document(BEFORE.encode())
    now = {task.id: task_hash(task) for task in after.tasks}
    assert {task.id: now.get(task.id) for task in before.tasks} == {
        task.id: task_hash(task) for task in before.tasks
    }


def test_the_examples_are_allowed_edits() -> None:
    assert is_allowed(changed([(10, "rewrite", ("- [ ]", "*  [ ]"))]))
    assert is_allowed(changed([(16, "insert", "- Delete all")]))
    assert not is_allowed(changed([(12, "insert", "  Delete all.")]))
