"""Conditions of actions in a beat."""

from core.model.occurrence import Outcome
from tests.stage import Stage, action, actions


def test_an_action_whose_condition_is_an_expression_runs_skips_or_asks() -> None:
    stage = Stage(
        actions(
            action("backup"),
            action("when-good", 'condition: backup.status == "COMPLETED"'),
            action("when-bad", "condition: failures > 0"),
            action("unclear", "condition: failurs > 0"),
        )
    )
    report = stage.run()
    assert stage.ran == ["backup", "when-good"]
    outcomes = {item.id: item.outcome for item in report.items}
    assert outcomes["when-bad"] is Outcome.SKIPPED
    assert outcomes["unclear"] is Outcome.NEEDS_CLARIFICATION
