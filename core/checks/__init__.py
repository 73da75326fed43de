"""The kinds of check that there are.

One file per kind contains everything that is known about it. To add a kind, add a file here and a
line in this table.
"""

from __future__ import annotations

from typing import Any

from core.checks.command import COMMAND
from core.checks.exit_code import EXIT_CODE
from core.checks.expression import EXPRESSION
from core.checks.file import FILE
from core.checks.http import HTTP
from core.checks.json_value import JSON
from core.checks.label import LABEL
from core.checks.measurable import MeasurableKind
from core.model.check import CheckTable

# Kinds without a prefix are asked in this order whether a hint is theirs. The last one always is.
CHECK_KINDS: CheckTable[MeasurableKind[Any]] = CheckTable(
    (COMMAND, FILE, HTTP, JSON, EXIT_CODE, EXPRESSION, LABEL)
)
