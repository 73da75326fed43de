"""Fields that are not where, or not as, the format has them: what the reader makes of them."""

import pytest

from core.kinds import read_document
from core.model.diagnostic import Diagnostic
from core.model.document import Task


def read(line: str) -> tuple[Task, list[Diagnostic]]:
    document = read_document(f"## Tasks\n{line}\n".encode())
    (task,) = document.tasks
    return task, [one for one in document.diagnostics if one.code != "HB208"]


# -- a field where the description belongs ---------------------------------------------------------


@pytest.mark.parametrize("start", ["- [ ] ", "- ", "2. "])
@pytest.mark.parametrize(
    ("field", "schedule"),
    [
        ("daily:09:00", "daily:09:00"),
        ("hourly", "hourly"),
        ("every: 30m", "every: 30m"),
        ("weekdays: 09:00", "weekdays: 09:00"),
        ("schedule: daily:09:00", "daily:09:00"),
    ],
)
def test_a_schedule_in_second_place_is_the_schedule_and_that_is_said(
    start: str, field: str, schedule: str
) -> None:
    task, (found,) = read(f"{start}Water plants | {field}")
    assert (task.id, task.description) == ("water_plants", "Water plants")
    assert (task.schedule, task.unclear) == (schedule, None)
    assert (found.code, found.severity) == ("HB207", "warning")
    assert f"`water_plants | Water plants | {field}`" in found.hint


@pytest.mark.parametrize(
    ("field", "name", "value"),
    [
        ("file:report.md", "verify", "file:report.md"),
        ("cmd:make", "verify", "cmd:make"),
        ("verify: mails > 0", "verify", "mails > 0"),
        ("run: make all", "run", "make all"),
        ("max_attempts: 5", "max_attempts", 5),
        ("optional", "required", False),
    ],
)
def test_another_field_in_second_place_is_that_field(
    field: str, name: str, value: str | int
) -> None:
    for rest in ("", " | required" if name != "required" else ""):
        task, found = read(f"- [ ] Water plants | {field}{rest}")
        assert task.description == "Water plants"
        assert getattr(task, name) == value
        assert "HB207" in [one.code for one in found]


@pytest.mark.parametrize(
    "field",
    [
        "sandbox: true",
        "priority: high",
        "retry: 3",
        "shedule: daily:09:00",
        "rn: make all",
        "fiel:report.md",
        "daily:25:00",
        "every: 3 moons",
    ],
)
def test_a_field_in_second_place_that_cannot_be_read_keeps_the_task_from_running(
    field: str,
) -> None:
    task, found = read(f"- [ ] Water plants | {field}")
    assert task.description == "Water plants"
    assert task.unclear
    assert [one.severity for one in found] == ["warning", "error"]


@pytest.mark.parametrize(
    "description",
    [
        "Daily: sweep the yard",
        "https://example.org/feed",
        "May: plan the holiday",
    ],
)
def test_what_may_be_either_is_the_description_and_that_is_said(description: str) -> None:
    task, (found,) = read(f"- [ ] yard | {description} | run: true")
    assert (task.id, task.description, task.unclear) == ("yard", description, None)
    assert (found.code, found.hint) == ("HB207", f"Write: `yard | what to do | {description}`.")


@pytest.mark.parametrize(
    "description",
    [
        "Weekly report",
        "At 18:00 call Anna",
        "Every mail gets an answer",
        "Note: be brief",
        "week: plan it",
        "files: sort them",
        "Dairy: buy milk",
        "Run the tests",
        "File the taxes",
        "Read https://example.org/",
        "a: b",
    ],
)
def test_a_sentence_in_second_place_is_the_description(description: str) -> None:
    task, found = read(f"- [ ] one | {description} | run: true")
    assert (task.id, task.description, found) == ("one", description, [])


def test_a_field_alone_leaves_nothing_to_do() -> None:
    document = read_document(b"## Tasks\n- [ ] | daily:09:00\n- [ ] a | b | run: true\n")
    assert [task.id for task in document.tasks] == ["a"]
    assert "HB201" in [one.code for one in document.diagnostics]


# -- names of fields -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("retry: 3", "Did you mean `max_attempts:`?"),
        ("fiel:report.md", "Did you mean `file:`?"),
        ("a:b", "Write one of verify:"),
    ],
)
def test_an_unknown_field_gets_only_a_suggestion_that_is_like_it(field: str, hint: str) -> None:
    _, (found,) = read(f"- [ ] a | b | {field}")
    assert found.code == "HB215"
    assert found.hint.startswith(hint)


# -- a field without its colon ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("daily", "Write it like `daily:09:00`."),
        ("weekdays", "Write it like `weekdays:09:00`."),
        ("monthly", "Write it like `monthly:1:09:00`."),
        ("every 30m", "Write `every:30m`."),
        ("Every 30 minutes", "Write `every:30m`."),
        ("every day", "Write `daily:09:00`."),
        ("every hour", "Write `hourly`."),
        ("at 18:00", "Write `daily:18:00`."),
        ("cron 5 4 * * *", "Write `cron:'5 4 * * *'`."),
        ("timeout 1h", "Write `timeout: 1h`."),
        ("max_attempts 5", "Write `max_attempts: 5`."),
        ("run make", "Write `run: make`."),
        ("run", "Write `run: …`."),
        ("verify report.md", "Write `verify: file:report.md`."),
        ("verify mails > 0 or so", ""),
        ("file report.md", "Write `file:report.md`."),
        ("cmd make", "Write `cmd:make`."),
        ("every mail has an answer", "A schedule is written like `every:5m`."),
        ("file it away", "Write `file:it away`. A check in words needs `verify:` before it."),
    ],
)
def test_a_field_without_its_colon_is_told_and_not_used_as_a_check(field: str, hint: str) -> None:
    task, found = read(f"- [ ] a | b | {field} | optional")
    assert task.schedule is None
    if not hint:  # it compares something
        assert task.verify == field
        return

    assert [(one.code, one.severity) for one in found] == [("HB205", "warning")]
    assert found[0].hint.startswith(hint)
    assert (task.verify, task.required) == ("task_completed", False)


@pytest.mark.parametrize("field", ["Every 30 minutes", "daily", "at 18:00"])
def test_a_schedule_without_its_colon_in_second_place_is_told_too(field: str) -> None:
    task, found = read(f"- [ ] Water plants | {field}")
    assert (task.description, task.verify) == ("Water plants", "task_completed")
    assert [one.code for one in found] == ["HB205", "HB207"]
