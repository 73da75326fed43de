"""The colours and marks of the commands.

Law: only colours that can be read on a light and on a dark background. Yellow, cyan and white
vanish on a light one, blue on a dark one.
"""

from collections.abc import Mapping

from core.rules.reporting.endings import Tone

GOOD = "green"
BAD = "red"
OPEN = "magenta"

OF_TONE: Mapping[Tone, str | None] = {
    Tone.GOOD: GOOD,
    Tone.BAD: BAD,
    Tone.OPEN: OPEN,
    Tone.CALM: None,
}
MARKS: Mapping[Tone, str] = {Tone.GOOD: "✓", Tone.BAD: "✗", Tone.OPEN: "?", Tone.CALM: "·"}
