"""The sections of MEMORY.md that a model reads."""

from core.rules.reading.sections import PATTERNS, PENDING, memory_section

MEMORY = """# Memory

## observed patterns
- early bird
```
## Pending
- in a fence
```

### More
- late bird
# Other
- not mine

## Pending

- call Ann
"""


def test_only_the_two_sections_are_read_and_a_fence_ends_none() -> None:
    assert memory_section(MEMORY, PATTERNS).splitlines() == [
        "- early bird",
        "```",
        "## Pending",
        "- in a fence",
        "```",
        "",
        "### More",
        "- late bird",
    ]
    assert memory_section(MEMORY, PENDING) == "- call Ann"
    assert memory_section("", PENDING) == ""
    assert len(memory_section("## Pending\n" + "- x\n" * 100_000, PENDING)) < 4100
