"""Lets the judge decide what nothing can measure: one call for all of it, and no quote is believed unseen."""

from collections.abc import Sequence
from dataclasses import replace

from core.engine.verifying import Measured
from core.engine.world import World
from core.model.agent import JudgeResult, Limits, Question, Usage
from core.model.evidence import Judgement, Said
from core.model.verdict import Verdict
from core.rules.budgeting import left_for_judge
from core.rules.checking.verdicts import trusted
from core.rules.reporting.evidence import evidence_text
from core.rules.writing.harmless import one_line

NO_BUDGET = "the budget of this beat was used up before the judge was asked"


def judged(world: World, measured: Sequence[Measured], limits: Limits, used: Usage) -> tuple[list[Measured], Usage]:
    """The same with a judgement where one is needed, and what that used."""
    asked = [one for one in measured if one.may_be_judged]
    answer, left = JudgeResult(problem=NO_BUDGET), left_for_judge(limits, used)
    if asked and left and not world.cancelled.is_set():
        answer = world.agent.judge([_question(one) for one in asked], left, world.cancelled)
    if world.cancelled.is_set():
        return [_cut_off(one) if one.may_be_judged else one for one in measured], answer.usage
    return [_with_judgement(one, answer) if one.may_be_judged else one for one in measured], answer.usage


def _question(one: Measured) -> Question:
    task = one.claimed.task
    return Question(task.id, task.description, task.verify, evidence_text(one.evidence))


def _with_judgement(one: Measured, answer: JudgeResult) -> Measured:
    said = answer.judgements.get(one.claimed.task.id)
    if said is None:
        reason = answer.problem or "the judge said nothing about it"
        return replace(one, judgement=Judgement(Verdict.UNCLEAR, reason=one_line(reason)))
    return replace(one, judgement=trusted(replace(said, reason=one_line(said.reason)), one.evidence))


def _cut_off(one: Measured) -> Measured:
    claim = replace(one.claimed.claim, said=Said.CUT_OFF)
    return replace(one, claimed=replace(one.claimed, claim=claim), may_be_judged=False)
