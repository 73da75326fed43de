"""The shape that a judge has to answer in."""

import json

from core.agent.judge import shape

EXPECTED = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "task_id": {"type": "string"},
                    "verdict": {"type": "string", "enum": ["verified", "not_verified", "unclear"]},
                    "contradiction": {"type": "boolean"},
                    "quote": {"type": "string"},
                    "reason": {"type": "string"},
                },
                "required": ["task_id", "verdict", "contradiction", "quote", "reason"],
            },
        }
    },
    "required": ["answers"],
}


def test_the_shape_uses_only_keywords_that_small_servers_know() -> None:
    assert json.dumps(shape()) == json.dumps(EXPECTED), "also in this order"
