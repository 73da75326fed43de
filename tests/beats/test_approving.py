"""A beat runs what is approved and holds back the rest; with `approval = "owner"` saving
approves, a beat does not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.engine.background import run_in_background
from core.engine.status import status_now
from core.model.agent import Batch, BatchEnding, BatchResult
from core.model.document import Priority
from core.model.occurrence import Beat, BeatReason, IllegalTransitionError, Outcome, Verdict
from core.model.plan import Decision
from core.model.settings import Settings
from core.model.status import Status, WorkspaceState
from tests.approving import approve_all_in
from tests.fakes.model import CHOICE
from tests.fakes.outside import approvals_trouble
from tests.stage import MONDAY, ROOT, Stage, action, actions

HOURLY = "schedule: every:1h"


def stage(*blocks: str) -> Stage:
    made = Stage(actions(*blocks))
    made.says_yes = False
    return made


def say_yes(stage: Stage) -> None:
    approve_all_in(stage.world(), stage.workspace())


def add(stage: Stage, identifier: str) -> None:
    stage.edit("## Pending Actions\n", "## Pending Actions\n\n" + action(identifier, HOURLY))


def outcomes(stage: Stage) -> dict[str, Outcome]:
    return {item.id: item.outcome for item in stage.beat().items}


def status(stage: Stage) -> Status:
    return status_now(ROOT, stage.ledger, None, stage.clock.now(), resident=True)


def test_what_is_not_approved_does_not_run_and_the_rest_does() -> None:
    one = stage(action("old", HOURLY))
    say_yes(one)
    add(one, "new")
    assert outcomes(one) == {"new": Outcome.NEEDS_APPROVAL, "old": Outcome.COMPLETED}
    assert one.ran == ["old"]
    planned = one.planned("new")
    assert (planned.decision, planned.held_as) == (Decision.BLOCKED, Outcome.NEEDS_APPROVAL)
    assert planned.reason == "it waits for your approval"
    say_yes(one)
    assert outcomes(one) == {"new": Outcome.COMPLETED}


def test_what_depends_on_an_unapproved_action_waits_for_it() -> None:
    one = stage(action("first"), action("second", "depends_on: first"))
    approvals = one.approvals
    say_yes(one)
    approvals.take_back(["action:first"])
    report = one.beat()
    assert {item.id: item.outcome for item in report.items} == {
        "first": Outcome.NEEDS_APPROVAL,
        "second": Outcome.WAITING,
    }
    assert (one.ran, report.beat) == ([], None)


def test_an_unapproved_action_wakes_nobody_again_and_again() -> None:
    one = stage(action("new", "schedule: every:1m"))
    one.beat()
    assert one.wakes_at is None
    say_yes(one)
    one.plan_only()
    assert one.wakes_at == one.clock.now()


def test_running_it_by_name_does_not_replace_the_approval() -> None:
    one = stage(action("new", HOURLY))
    report = one.run(None, "new")
    assert [item.outcome for item in report.items] == [Outcome.NEEDS_APPROVAL]
    assert one.ran == []


def test_what_waits_is_counted_when_it_is_saved_not_when_it_is_due() -> None:
    one = stage(
        action("later", "schedule: daily:23:00"), action("never", "schedule: yearly:01-01:00:00")
    )
    one.plan_only()
    assert (status(one).approvals_waiting, status(one).state) == (2, WorkspaceState.ATTENTION)
    say_yes(one)
    one.plan_only()
    assert (status(one).approvals_waiting, status(one).state) == (0, WorkspaceState.IDLE)


def test_a_beat_with_nothing_due_asks_for_no_proof() -> None:
    one = stage(action("later", "schedule: daily:23:00"))
    say_yes(one)
    one.beat()
    one.approvals.trouble = approvals_trouble("The keyring is locked.", is_locked=True)
    assert one.beat().notices == ()
    assert status(one).approvals_waiting == 0


def test_a_record_that_is_not_trusted_is_announced_once_and_nothing_runs() -> None:
    one = stage(action("old", HOURLY))
    say_yes(one)
    one.approvals.trouble = approvals_trouble("The record is not trusted.")
    report = one.beat()
    assert [item.outcome for item in report.items] == [Outcome.NEEDS_APPROVAL]
    messages = [notice.message for notice in report.notices if notice.kind == "approvals"]
    assert messages == ["The record is not trusted. Look again."]
    assert (one.beat().notices, one.ran) == ((), [])


def test_while_the_keyring_is_locked_everything_waits_with_that_reason() -> None:
    one = stage(action("old", HOURLY))
    say_yes(one)
    one.approvals.trouble = approvals_trouble("The keyring is locked.", is_locked=True)
    report = one.beat()
    assert [(item.outcome, item.reason) for item in report.items] == [
        (Outcome.NEEDS_APPROVAL, "its approval cannot be checked here")
    ]
    assert [notice.kind for notice in report.notices] == ["approvals"]  # nothing is to be approved
    one.approvals.trouble = None
    one.beat()
    assert one.ran == ["old"]


def test_an_action_that_changes_the_script_of_a_later_one_stops_it() -> None:
    """In the same beat, after everything was planned."""
    one = stage(action("first.sh", priority="HIGH"), action("second.sh"))
    one.scripts.files = {"first.sh": "a", "second.sh": "b"}
    say_yes(one)

    def meanwhile(line: str) -> None:
        one.scripts.files["second.sh"] = "evil"

    one.processes.meanwhile = meanwhile
    assert outcomes(one) == {"first.sh": Outcome.COMPLETED, "second.sh": Outcome.NEEDS_APPROVAL}
    assert one.ran == ["first.sh"]
    assert one.planned("second.sh").reason == "a script that it names changed since you approved it"


def test_a_background_action_that_changed_after_the_beat_read_it_is_not_run() -> None:
    one = stage(action("long", priority=Priority.BG))
    say_yes(one)
    one.beat()
    (started,) = one.background.started
    one.edit("command: long", "command: evil")
    run_in_background(one.world(), started.item, started.slot)
    assert one.ran == []
    assert one.history("long")[-1].outcome is Outcome.FAILED
    assert "changed since you approved it" in one.history("long")[-1].error


# approval = "owner"


@pytest.fixture
def owned() -> Stage:
    """The always-on process has looked at a workspace whose one action is approved."""
    made = stage(action("old", HOURLY))
    made.settings = replace(Settings(), approval="owner")
    made.watched_since = MONDAY - timedelta(hours=1)
    say_yes(made)
    made.plan_only()
    return made


def test_what_the_person_saves_while_it_watches_is_approved(owned: Stage) -> None:
    add(owned, "new")
    owned.edit("command: old", "command: better")
    owned.plan_only()
    assert status(owned).approvals_waiting == 0
    owned.beat()
    assert owned.ran == ["new", "better"]


def test_with_approval_ask_a_new_action_waits(owned: Stage) -> None:
    owned.settings = Settings()
    add(owned, "new")
    owned.plan_only()
    assert status(owned).approvals_waiting == 1


def test_a_saved_action_is_approved_even_if_a_beat_runs_before_the_plan(owned: Stage) -> None:
    add(owned, "new")
    owned.run()
    assert owned.ran == ["new", "old"]


def test_an_item_seen_for_the_first_time_waits() -> None:
    made = stage(action("strange", HOURLY))
    made.settings = replace(Settings(), approval="owner")
    made.watched_since = MONDAY
    made.plan_only()
    made.plan_only()
    made.beat()
    assert (made.ran, status(made).approvals_waiting) == ([], 1)


def test_what_changed_while_it_was_off_waits(owned: Stage) -> None:
    add(owned, "new")
    owned.watched_since = MONDAY + timedelta(hours=1)
    owned.plan_only()
    owned.plan_only()
    assert status(owned).approvals_waiting == 1


def test_what_changes_during_a_beat_waits_for_ever(owned: Stage) -> None:
    owned.processes.meanwhile = lambda line: add(owned, "evil") if line == "old" else None
    owned.beat()
    owned.plan_only()
    add(owned, "mine")  # the person saves at the same time
    owned.plan_only()
    owned.beat()
    assert owned.ran == ["old", "mine"]
    assert status(owned).approvals_waiting == 1


def test_a_script_that_changes_during_a_beat_waits(owned: Stage) -> None:
    def meanwhile(line: str) -> None:
        owned.scripts.files["tool.sh"] = "evil"

    owned.scripts.files = {"tool.sh": "a"}
    add(owned, "tool.sh")
    owned.processes.meanwhile = meanwhile
    owned.beat("16 09:00")
    owned.processes.meanwhile = lambda _: None
    assert owned.ran == ["tool.sh", "old"]
    owned.beat("16 10:30")
    assert owned.ran == ["old"]
    owned.scripts.files["tool.sh"] = "the person's own"
    owned.beat()
    assert owned.ran == ["tool.sh"]


def test_what_a_beat_that_crashed_left_waits(owned: Stage) -> None:
    owned.ledger.beats.open(BeatReason.TIMER, 1, owned.clock.now())
    add(owned, "evil")
    owned.plan_only()
    owned.plan_only()
    assert status(owned).approvals_waiting == 1


def test_what_was_hidden_while_a_beat_looked_waits(owned: Stage) -> None:
    """The file is gone at the end of the beat, and back afterwards."""
    text = owned.files.text

    def hide(line: str) -> None:
        owned.files.data = None

    owned.processes.meanwhile = hide
    owned.beat()
    owned.processes.meanwhile = lambda _: None
    owned.files.save(text)
    add(owned, "evil")
    owned.plan_only()
    assert status(owned).approvals_waiting == 1


def test_what_was_revoked_is_not_approved_by_the_next_save(owned: Stage) -> None:
    owned.approvals.take_back(["action:old"])
    add(owned, "new")
    owned.plan_only()
    owned.beat()
    assert owned.ran == ["new"]


def test_a_look_that_finds_nothing_new_writes_nothing(owned: Stage) -> None:
    before = owned.ledger.approvals.last_inspection()
    owned.plan_only()
    assert owned.ledger.approvals.last_inspection() == before


def test_beats_are_told_apart_from_the_looks_of_other_processes() -> None:
    """A plan that is made while another beat runs inspects the workspace in the middle of it."""
    made = stage(action("old", HOURLY))
    made.settings = replace(Settings(), approval="owner")
    made.watched_since = MONDAY
    say_yes(made)
    made.beat()
    running: Beat = made.ledger.beats.open(BeatReason.TIMER, 1, made.clock.now())
    add(made, "evil")
    made.plan_only()
    made.ledger.beats.close(running.number, made.clock.now())
    made.plan_only()
    assert status(made).approvals_waiting == 1


# Right before each start


def tasks(*lines: str, probes: str = "") -> Stage:
    made = Stage("## Tasks\n" + "".join(f"- [ ] {line}\n" for line in lines) + probes)
    made.says_yes = False
    made.scripts.files = {"work.sh": "a", "check.sh": "a", "later.sh": "a"}
    say_yes(made)
    return made


def change(stage: Stage, name: str, during: str) -> None:
    def meanwhile(line: str) -> None:
        if line == during:
            stage.scripts.files[name] = "evil"

    stage.processes.meanwhile = meanwhile


@pytest.mark.parametrize(
    ("check", "probes"),
    [("cmd:./check.sh", ""), ("measured > 0", "\n## Probes\n- measured: ./check.sh\n")],
)
def test_a_command_that_changes_the_script_of_its_own_check_is_not_checked_by_it(
    check: str, probes: str
) -> None:
    one = tasks(f"one | One | run: ./work.sh | verify: {check}", probes=probes)
    change(one, "check.sh", during="./work.sh")
    (item,) = one.run().items
    assert one.ran == ["./work.sh"]
    assert item.verdict is not Verdict.VERIFIED
    assert "changed since you approved it" in item.check


def test_a_task_that_changes_the_script_of_a_later_one_stops_it() -> None:
    one = tasks("one | One | run: ./work.sh", "two | Two | run: ./later.sh")
    change(one, "later.sh", during="./work.sh")
    assert {item.id: item.outcome for item in one.run().items} == {
        "one": Outcome.COMPLETED,
        "two": Outcome.NEEDS_APPROVAL,
    }
    assert one.ran == ["./work.sh"]


def test_a_gate_that_changes_the_script_of_a_later_one_stops_it() -> None:
    one = tasks()
    for name, script in (("a", "./work.sh"), ("b", "./later.sh")):
        one.files.prompts[name] = f"---\ntitle: {name}\ngate:\n  command: {script}\n---\nDo it.\n"
    say_yes(one)
    change(one, "later.sh", during="./work.sh")
    assert {item.id: item.outcome for item in one.run().items} == {
        "a": Outcome.NEEDS_MODEL,
        "b": Outcome.NEEDS_APPROVAL,
    }
    assert one.ran == ["./work.sh"]


# While a batch is with the model


@pytest.mark.parametrize("is_guarded", [True, False])
def test_what_changes_while_a_model_works_waits_however_many_beats_come_meanwhile(
    owned: Stage, monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """Without the check of the model's lock, a beat that is no longer among the last ten would be
    forgotten."""
    owned.agent.chosen = CHOICE
    owned.files.prompts["look"] = "---\ntitle: Inspection\n---\nLook.\n"
    if not is_guarded:
        monkeypatch.setattr(owned.model_lock, "holder", lambda: None)

    def work(_: Batch) -> BatchResult:
        for _number in range(12):
            beside = owned.ledger.beats.open(BeatReason.TIMER, 1, owned.clock.now())
            owned.ledger.beats.close(beside.number, owned.clock.now())
        owned.plan_only()
        add(owned, "evil")
        owned.plan_only()
        return BatchResult(BatchEnding.FINISHED)

    owned.agent.script = work
    if is_guarded:
        owned.beat()
        owned.plan_only()
    else:
        with pytest.raises(IllegalTransitionError):  # a plan took the batch for a crash
            owned.beat()
    assert status(owned).approvals_waiting == (1 if is_guarded else 0)
