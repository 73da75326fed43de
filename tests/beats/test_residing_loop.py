"""The always-on loop with children that a test ends: what is started when, and what is said."""

from datetime import timedelta

from core.adapters.ledger import SqliteLedger
from core.adapters.ledger.notes import RequestNotes
from core.model.holder import Holder, Machine, Owner, Purpose
from core.model.ledger import Pause, PlanNote, RunRequest
from core.model.occurrence import BeatReason
from core.model.status import WorkspaceState
from tests.beats.house import House
from tests.fakes.processes import FakeChild
from tests.stage import at


def test_a_start_asks_for_a_plan_and_then_sleeps_until_what_it_names() -> None:
    house = House(wake=None)
    assert house.round() == "plan"
    assert house.until is None  # until the child has ended
    house.child_ends(wake="16 10:30")
    assert house.round() == ""
    assert house.until == at("16 10:30")


def test_at_the_moment_that_was_noted_one_beat_starts() -> None:
    house = House()
    house.settle()
    assert house.round("16 10:59:59") == ""
    assert house.round("16 11:00") == "beat timer"
    assert house.round("16 11:00:01") == ""
    house.child_ends(wake="16 12:00", beat=True)
    assert house.round() == ""
    assert house.until == at("16 12:00")


def test_the_child_is_told_since_when_the_resident_runs() -> None:
    house = House()
    house.round()
    words = house.children.started[0].arguments
    assert words[:3] == ("/bin/heartbeat", "plan", "/workspace")
    assert words[words.index("--resident-start") + 1] == at("16 10:00").isoformat()


def test_a_saved_file_or_a_clock_that_was_set_asks_for_one_plan() -> None:
    house = House()
    house.settle()
    house.waiting.happenings = [house.changed.set]
    house.resident._wait(None)
    assert house.round() == "plan"
    house.child_ends()
    assert house.round() == ""
    house.waiting.clock_was_set = True
    house.resident._wait(None)
    assert house.round() == "plan"


def test_a_change_while_a_child_works_is_planned_for_right_after() -> None:
    house = House()
    house.settle()
    assert house.round("16 11:00") == "beat timer"
    house.waiting.happenings = [house.changed.set]
    house.resident._wait(None)
    assert house.round() == ""
    house.child_ends(wake="16 12:00", beat=True)
    assert house.round() == "plan"


def test_the_persons_request_starts_a_beat_at_once_also_while_paused() -> None:
    house = House()
    house.settle()
    house.ledger.requests.pause(Pause(house.clock.now(), None))
    assert house.round("16 11:00") == ""
    house.resident.run_now()
    assert house.round() == "beat person"
    assert house.ledger.requests.run_requested() is None
    house.child_ends(beat=True)
    house.ledger.requests.request_run(["backup", "report"], house.clock.now())
    assert house.round() == "beat person backup report"


def test_a_request_that_comes_in_between_is_not_lost() -> None:
    """The person's command writes into the ledger while the resident decides."""

    class LateRequests(RequestNotes):
        late: tuple[str, ...] = ()

        def run_requested(self) -> RunRequest | None:
            answer = super().run_requested()
            late = self.late
            self.late = ()
            if late:
                self.request_run(late, at("16 10:00"))
            return answer

    ledger = SqliteLedger()
    requests = LateRequests(ledger.database)
    ledger.requests = requests
    house = House(ledger=ledger)
    house.settle()
    requests.request_run(["backup"], house.clock.now())
    requests.late = ("report",)
    assert house.round() == "beat person backup report"
    house.child_ends(beat=True)
    requests.late = ("mail",)
    assert house.round("16 11:00") == "beat timer"
    house.child_ends(wake="16 12:00", beat=True)
    assert house.round() == "beat person mail"


def test_a_plan_that_finds_another_beat_does_not_repeat_what_the_person_asked_for_before() -> None:
    house = House()
    house.settle()
    house.resident.run_now(["backup"])
    assert house.round() == "beat person backup"
    house.child_ends(beat=True)
    house.waiting.happenings = [house.changed.set]
    house.resident._wait(None)
    assert house.round() == "plan"
    house.child_ends(3)
    assert house.ledger.requests.run_requested() is None


def test_a_crash_loop_backs_off_and_is_said_once() -> None:
    house = House()
    house.settle()
    rests = []
    assert house.round("16 11:00") == "beat timer"
    for _ in range(12):
        house.child_ends(70)
        assert house.round() == ""
        assert house.until
        rests.append((house.until - house.clock.now()).total_seconds())
        house.clock.moment = house.until
        assert house.round() == "plan"
    assert rests == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
    assert len(house.said) == 2  # of the beat, then of the plan
    house.child_ends()
    assert house.said[-1] == "Beats work again."
    assert house.round() == "beat timer"


def test_a_beat_that_gets_nowhere_backs_off() -> None:
    house = House()
    house.settle()
    assert house.round("16 11:00") == "beat timer"
    house.child_ends(0)  # and the note still says 11:00
    assert house.round() == ""
    assert house.until == at("16 11:00:01")


def test_a_plan_that_leaves_no_note_backs_off() -> None:
    """Wrong settings: exit code 2, again and again."""
    house = House(wake=None)
    assert house.round() == "plan"
    house.child_ends(2)
    assert house.round() == ""
    assert house.until == at("16 10:00:01")


def test_a_saved_file_ends_a_rest() -> None:
    house = House(wake=None)
    for _ in range(12):
        assert house.round() == "plan"
        house.child_ends(70)
        house.round()
        assert house.until
        house.clock.moment = house.until
    house.round()
    house.child_ends(70)
    assert house.round() == ""
    house.waiting.happenings = [house.changed.set]
    house.resident._wait(house.until)
    assert house.round() == "plan"


def test_a_clock_that_is_set_back_does_not_prolong_a_rest() -> None:
    house = House(wake=None)
    house.round()
    house.child_ends(70)
    house.clock.step(-timedelta(days=1))
    house.waiting.happenings = [lambda: None]
    house.waiting.clock_was_set = True
    house.resident._wait(None)
    assert house.round() == "plan"


def test_a_beat_in_a_terminal_is_waited_for() -> None:
    house = House()
    house.settle()
    house.lock.acquire(Purpose.BEAT, house.clock.now())
    assert house.round("16 11:00") == "beat timer"
    house.child_ends(3)
    assert house.round() == ""
    assert house.until == at("16 11:00:30")
    assert house.round("16 11:00:30") == "plan"
    assert house.said == []


def test_a_beat_in_a_terminal_that_has_ended_ends_the_rest() -> None:
    house = House()
    house.settle()
    house.lock.acquire(Purpose.BEAT, house.clock.now())
    assert house.round("16 11:00") == "beat timer"
    house.child_ends(3)
    assert house.round("16 11:00:05") == ""
    house.lock.held_by = None
    assert house.round("16 11:00:06") == "plan"


def test_a_program_that_cannot_be_started_is_said_and_tried_again() -> None:
    house = House(wake=None)
    house.children.missing = frozenset({"/bin/heartbeat"})
    assert house.round() == ""
    assert house.until == at("16 10:00:01")
    house.children.missing = frozenset()
    assert house.round("16 10:00:01") == "plan"
    assert len(house.said) == 1


def test_another_machine_that_took_over_stops_everything_here_and_is_said_once() -> None:
    house = House()
    house.settle()
    house.owner.shared.owner = Owner(Machine("m2", "the laptop"), house.clock.now())
    for moment in ("16 11:00", "16 12:00"):
        assert house.round(moment) == ""
        assert house.until is None
    assert house.said == ["the laptop has taken this workspace over; nothing starts here any more."]
    assert (house.resident.status().run_by, house.resident.status().next_beat) == (
        "the laptop",
        None,
    )


def test_after_a_pause_one_beat_makes_up_for_what_was_due() -> None:
    house = House()
    house.settle()
    house.ledger.requests.pause(Pause(house.clock.now(), at("16 15:00")))
    assert house.round("16 12:00") == ""
    assert house.until == at("16 15:00")
    assert house.round("16 15:00") == "plan"
    house.child_ends()
    assert house.round() == "beat timer"


def test_a_pause_survives_a_restart() -> None:
    house = House()
    house.settle()
    house.ledger.requests.pause(Pause(house.clock.now(), None))
    again = House(ledger=house.ledger)
    again.settle()
    assert again.round("16 11:00") == ""
    assert again.until is None


def test_the_end_of_a_pause_asks_for_a_plan_first() -> None:
    """A beat by hand during the pause has left a note that knows nothing of `startup`."""
    house = House()
    house.settle()
    house.ledger.requests.pause(Pause(house.clock.now(), None))
    assert house.round() == ""
    house.ledger.requests.resume()
    assert house.round() == "plan"
    house.child_ends()
    assert house.round() == ""
    assert house.until == at("16 11:00")


def test_it_shows_how_things_stand() -> None:
    house = House()
    house.settle()
    assert (house.resident.status().state, house.resident.status().next_beat) == (
        WorkspaceState.IDLE,
        at("16 11:00"),
    )
    number = house.ledger.beats.open(BeatReason.TIMER, 1, house.clock.now()).number
    house.ledger.beats.close(number, house.clock.now(), failed=1)
    assert house.resident.status().state is WorkspaceState.ERROR
    number = house.ledger.beats.open(BeatReason.TIMER, 1, house.clock.now()).number
    house.ledger.beats.close(number, house.clock.now(), completed=1)
    house.ledger.plan.save(PlanNote(house.clock.now(), at("16 11:00"), errors=1))
    assert house.resident.status().state is WorkspaceState.ATTENTION
    house.ledger.plan.save(PlanNote(house.clock.now(), at("16 11:00"), is_refused=True))
    assert house.resident.status().state is WorkspaceState.ERROR
    house.ledger.requests.pause(Pause(house.clock.now(), None))
    assert house.resident.status().state is WorkspaceState.PAUSED
    assert house.resident.status().next_beat is None
    house.lock.acquire(Purpose.BEAT, house.clock.now())
    assert house.resident.status().state is WorkspaceState.RUNNING


def test_it_runs_until_it_is_asked_to_end_and_gives_a_running_child_time() -> None:
    house = House(wake=None)

    def obedient() -> None:
        assert house.children.started[0].asked == ["end"]
        house.children.started[0].end(0)

    house.waiting.happenings = [house.resident.end, obedient]
    house.resident.run()
    assert house.children.started[0].asked == ["end", "close"]
    assert house.waiting.waits == [None, at("16 10:00:10")]
    assert not house.watcher.is_watching


def test_a_child_that_does_not_listen_is_ended_after_ten_seconds() -> None:
    house = House(wake=None)
    house.waiting.happenings = [house.resident.end]
    house.resident.run()
    assert house.children.started[0].asked == ["end", "kill", "close"]
    assert house.clock.now() == at("16 10:00:10")


def test_a_helper_of_the_person_is_reaped() -> None:
    house = House()
    house.settle()
    house.resident.start_helper(["/usr/bin/editor"])
    helper = house.children.started[-1]
    house.resident.reap()
    assert house.resident.helpers == [helper]
    helper.end(0)
    house.resident.reap()
    assert (house.resident.helpers, helper.asked) == ([], ["close"])


def test_only_the_first_plan_belongs_to_the_start() -> None:
    house = House()
    house.round()
    house.child_ends(wake="16 11:00")
    house.changed.set()
    house.resident._wait(None)
    house.round()
    reasons = [
        child.arguments[child.arguments.index("--reason") + 1] for child in house.children.started
    ]
    assert reasons == [BeatReason.STARTUP, BeatReason.FILE]


def starts_its_batch(house: House) -> FakeChild:
    """What a beat does when it comes to its batch: it takes the model's lock, and gives the
    workspace's up."""
    child = house.children.started[-1]
    house.model_lock.held_by = Holder(child.pid, house.clock.now(), Purpose.BATCH)
    return child


def test_a_long_batch_delays_no_other_beat() -> None:
    house = House()
    house.settle()
    assert house.round("16 11:00") == "beat timer"
    child = house.children.started[-1]
    house.lock.held_by = Holder(child.pid, house.clock.now(), Purpose.BEAT)
    house.model_lock.held_by = Holder(child.pid, house.clock.now(), Purpose.BATCH)
    house.note("16 11:01")
    assert house.round("16 11:01") == ""  # it is still in its actions
    house.lock.held_by = None
    assert house.round("16 11:01") == "beat timer"
    assert house.resident.status().state is WorkspaceState.RUNNING
    house.child_ends(wake="16 12:00", beat=True)
    assert house.round() == ""
    assert house.until == at("16 12:00")
    assert (
        house.resident.status().state is WorkspaceState.RUNNING
    )  # the first one is still with the model
    house.model_lock.held_by = None
    child.end(0)
    house.resident.reap()
    assert (house.resident.batches, house.resident.status().state) == ([], WorkspaceState.IDLE)
    assert house.said == []


def test_a_batch_that_ends_badly_is_said_and_rested_after() -> None:
    house = House()
    house.settle()
    house.round("16 11:00")
    child = starts_its_batch(house)
    house.note("16 12:00")
    house.round()
    child.end(70)
    house.resident.reap()
    assert "while a model worked" in house.said[0]
    house.round()
    assert house.until == at("16 11:00:01")


def test_the_end_of_a_batch_wakes_the_loop() -> None:
    house = House()
    house.settle()
    house.round("16 11:00")
    child = starts_its_batch(house)
    house.note("16 12:00")
    house.round()
    assert child in house.resident.batches
    house.resident._wait(None)
    assert len(house.waiting.sources) == 2  # the watcher's, and the batch


def test_quitting_ends_a_batch_and_the_beat_that_runs_at_the_same_time() -> None:
    house = House()
    house.settle()
    house.round("16 11:00")
    batch_child = starts_its_batch(house)
    house.note("16 11:01")
    assert house.round("16 11:01") == "beat timer"
    beside = house.children.started[-1]
    house.resident._end_children()
    for child in (batch_child, beside):
        assert child.asked == ["end", "kill", "close"]


def test_a_beat_that_a_model_asked_for_waits_while_paused_and_says_who_asked() -> None:
    house = House()
    house.settle()
    house.ledger.requests.request_run(["prompt:look"], house.clock.now(), by_agent=True)
    house.ledger.requests.pause(Pause(house.clock.now(), None))
    assert house.round() == ""
    house.ledger.requests.resume()
    assert house.round() == "plan"  # as after every pause
    house.child_ends()
    assert house.round() == "beat agent prompt:look"
    house.child_ends(3)  # another one was at work: the request comes back as what it was
    assert house.ledger.requests.run_requested() == RunRequest(
        ("prompt:look",), at("16 10:00"), by_agent=True
    )
