"""How an item ended, as every view says it: the verdict first, and nothing sounds better than it
is."""

from dataclasses import replace

import pytest

from core.model.item import ItemKind
from core.model.occurrence import Outcome, Verdict
from core.model.waiting import Wait, WaitReason
from core.rules.reporting.endings import (
    Tone,
    claim_words,
    counted_endings,
    ending,
    ending_of,
    words_of,
)
from tests.unit.ended_occurrence import ended

DONE = Outcome.COMPLETED
NOT = Verdict.NOT_VERIFIED
NEEDS_MODEL = Wait(WaitReason.NO_MODEL, ("no model is set up. Store a key: heartbeat key set.",))


@pytest.mark.parametrize(
    ("kind", "outcome", "verdict", "words", "tone"),
    [
        (ItemKind.TASK, DONE, Verdict.VERIFIED, "verified", Tone.GOOD),
        (ItemKind.TASK, DONE, NOT, "not verified", Tone.BAD),
        (ItemKind.TASK, Outcome.SKIPPED, NOT, "not verified", Tone.BAD),
        (ItemKind.TASK, DONE, Verdict.UNCLEAR, "unclear", Tone.OPEN),
        (ItemKind.TASK, DONE, None, "unchecked", Tone.OPEN),
        (ItemKind.ACTION, DONE, None, "completed", Tone.GOOD),
        (ItemKind.PROMPT, DONE, None, "answered", Tone.GOOD),
        (ItemKind.TASK, Outcome.FAILED, None, "failed", Tone.BAD),
        (ItemKind.TASK, Outcome.SKIPPED, None, "skipped", Tone.CALM),
        (ItemKind.ACTION, Outcome.NEEDS_APPROVAL, None, "needs approval", Tone.OPEN),
        (ItemKind.ACTION, None, None, "not over yet", Tone.CALM),
    ],
)
def test_the_verdict_comes_before_the_outcome(
    kind: ItemKind, outcome: Outcome | None, verdict: Verdict | None, words: str, tone: Tone
) -> None:
    found = ending(kind, outcome, verdict)
    assert (found.words, found.tone) == (words, tone)


@pytest.mark.parametrize("outcome", [DONE, Outcome.FAILED])
def test_what_was_undone_is_neither_good_nor_bad_news(outcome: Outcome) -> None:
    one = ending_of(ended("one", 0, outcome, is_undone=True, contradiction=True, points=5))
    assert (one.with_points, one.tone) == ("undone", Tone.CALM)


def test_every_outcome_of_every_kind_has_words_and_only_a_verdict_has_points() -> None:
    for kind in ItemKind:
        for outcome in Outcome:
            assert ending(kind, outcome, None).words
            assert not ending(kind, outcome, None, points=3).points
            for verdict in Verdict:
                assert ending(kind, outcome, verdict, points=-2).with_points.endswith(" -2")


def test_nothing_but_a_verified_task_is_good_news_about_a_task() -> None:
    good = [
        (outcome, verdict)
        for outcome in Outcome
        for verdict in (*Verdict, None)
        if ending(ItemKind.TASK, outcome, verdict).tone is Tone.GOOD
    ]
    assert {verdict for _, verdict in good} == {Verdict.VERIFIED}


def test_a_contradiction_is_called_one() -> None:
    lie = ended("task:mail", 0, verdict=NOT, contradiction=True, points=-45)
    assert ending_of(lie).with_points == "contradiction -45"
    assert ending_of(lie).tone is Tone.BAD


def test_what_nothing_confirms_is_shown_as_a_claim() -> None:
    lie = ended("task:mail", 0, verdict=NOT)
    assert claim_words(lie, "All done!") == "it said: “All done!”"
    assert claim_words(replace(lie, verdict=None), "All done!") == "it said: “All done!”"
    assert claim_words(replace(lie, verdict=Verdict.VERIFIED), "3 mails") == "3 mails"
    assert claim_words(replace(lie, verdict=None, kind="action"), "hello") == "hello"
    assert claim_words(lie, "") == ""


def test_unclear_and_unchecked_do_not_count_as_having_gone_well() -> None:
    items = [
        ended("task:a", 0, verdict=Verdict.VERIFIED),
        ended("task:b", 0, verdict=Verdict.UNCLEAR),
        ended("task:c", 0),
        ended("task:d", 0, Outcome.SKIPPED),
        ended("task:e", 0, verdict=NOT),
    ]
    assert counted_endings(items) == "1 of 4 went well, 1 unclear, 1 unchecked, 1 skipped"
    assert counted_endings(items[3:4]) == "1 skipped"
    assert counted_endings([]) == ""


def test_a_skip_whose_check_fails_is_no_peaceful_skip() -> None:
    broken = ended("task:a", 0, Outcome.SKIPPED, check_fails=True, ruling="it found 0")
    assert (ending_of(broken).with_points, ending_of(broken).tone) == (
        "skipped, but its check fails",
        Tone.BAD,
    )
    assert counted_endings([broken]) == "0 of 1 went well"
    assert words_of(replace(broken, result="no mail"), has_run=True) == [
        "it found 0",
        "it said: “no mail”",
    ]


def test_why_a_verdict_is_so_comes_before_the_claim() -> None:
    lie = ended("task:a", 0, verdict=NOT, ruling="it asks for > 0; it found 0", result="3 new")
    assert words_of(lie, has_run=True) == ["it asks for > 0; it found 0", "it said: “3 new”"]
    unclear = replace(lie, verdict=Verdict.UNCLEAR, ruling="there is no judge")
    assert words_of(unclear, has_run=True)[0] == "there is no judge"
    assert words_of(unclear, has_run=True, found="cannot be measured")[0] == "there is no judge"
    nothing = replace(lie, verdict=Verdict.VERIFIED, ruling="it was so already")
    assert words_of(nothing, has_run=True) == ["it was so already", "3 new"]
    assert words_of(replace(nothing, ruling=""), has_run=True, found="0 > 0") == ["0 > 0"]
    assert words_of(replace(lie, error=lie.ruling), has_run=True) == [lie.ruling]


def test_what_was_measured_from_the_models_own_words_says_so_first() -> None:
    own = ended("task:a", 0, verdict=Verdict.VERIFIED, self_reported=True, result="3 new")
    assert words_of(own, has_run=True) == ["self-reported", "3 new"]


def test_why_it_started_is_never_the_reason_for_its_end() -> None:
    skipped = ended("task:a", 0, Outcome.SKIPPED)
    assert words_of(skipped, has_run=True) == ["it was skipped"]
    assert words_of(replace(skipped, result="no mail"), has_run=True) == ["no mail"]
    assert words_of(replace(skipped, outcome=DONE), has_run=True) == []
    assert words_of(skipped, has_run=False) == ["due"]


def test_a_missing_model_is_told_without_saying_it_twice_or_what_to_do() -> None:
    waits = replace(ended("task:a", 0, Outcome.NEEDS_MODEL), why=NEEDS_MODEL)
    assert words_of(waits, has_run=False) == ["no model is set up."]
