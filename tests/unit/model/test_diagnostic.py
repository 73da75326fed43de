"""Problems as one text."""

from core.model.diagnostic import Problem


def test_a_problem_as_one_text_has_its_hint_if_there_is_one() -> None:
    assert Problem("The disk is full.", "Delete something.").full_text == (
        "The disk is full. Delete something."
    )
    assert Problem("It was cancelled.", "").full_text == "It was cancelled."
