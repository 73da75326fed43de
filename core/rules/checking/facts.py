"""The facts of a report against what was measured. Pure.

Law: a fact is false only where a measurement proves it. A value that cannot be compared is no lie,
and earns nothing.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from core.model.check import Measurement, Value
from core.model.diagnostic import Problem
from core.model.evidence import DATA_MARK, Act, Claim, Surroundings
from core.model.light_dataclass import light_dataclass
from core.rules.checking.claims import Agreement, agreement, agreement_of_moving, flat, plain
from core.rules.checking.evaluating import is_true
from core.rules.checking.expressions import Expression, read_expression
from core.rules.checking.touching import cleaned, is_any_touched, is_measured_from, written_by
from core.rules.checking.values import read_value, shown_value
from core.rules.checking.written import time_in
from core.rules.printable import one_line

LONGEST_NAME = 60
LONGEST_READ = 20_000  # characters of an output in which a value is looked for


@light_dataclass(frozen=True, slots=True)
class ComparedFacts:
    """Each is None where there is no such fact."""

    false: str | None = None  # what was said, and what was measured
    not_comparable: str | None = None  # why the work earns nothing


def compare_facts(
    claim: Claim, acts: Sequence[Act], measured: Measurement, around: Surroundings
) -> ComparedFacts:
    if around.values_before is None:
        return ComparedFacts()

    odd: str | None = None
    for name in measured.values:
        for claimed in _claimed(name, claim.facts, measured.values):
            fact = _Fact(name, claimed, measured, around)
            found = fact.found(acts)
            if found is Agreement.FALSE:
                return ComparedFacts(false=fact.false_words())
            if found is Agreement.NOT_COMPARABLE:
                named = one_line(name, LONGEST_NAME)
                odd = f"the reported {named} cannot be compared with what was measured"

    return ComparedFacts(not_comparable=odd)


def _claimed(
    name: str, facts: Mapping[str, Value], measured: Mapping[str, Value]
) -> Iterator[Value]:
    """What was said about a name, also where it is spelled with other capitals."""
    for written, value in facts.items():
        said = written.strip()
        if said == name or (said not in measured and said.casefold() == name.casefold()):
            yield value


@light_dataclass(frozen=True, slots=True)
class _Fact:
    """A claimed value of a name that was measured."""

    name: str
    claimed: Value
    measured: Measurement
    around: Surroundings

    def found(self, acts: Sequence[Act]) -> Agreement:
        found = self._compared()
        if found is Agreement.NOT_COMPARABLE:
            found = self._by_the_check()
        if found in (Agreement.TRUE, Agreement.NOTHING_SAID):
            return found

        return self._as_it_was_read(acts) or found

    def _compared(self) -> Agreement:
        if self.name in self._values_before:
            return agreement_of_moving(self.claimed, self._values_before[self.name], self._after)

        found = agreement(self.claimed, self._after)  # it may have been anything before
        return Agreement.NOT_COMPARABLE if found is Agreement.FALSE else found

    @property
    def _after(self) -> Value:
        return self.measured.values[self.name]

    @property
    def _values_before(self) -> Mapping[str, Value]:
        return self.around.values_before or {}

    def false_words(self) -> str:
        then = self._values_before[self.name]
        found = shown_value(self._after)
        truth = f"{found} was measured"
        if shown_value(then) != found:
            truth = f"it was {shown_value(then)} before and {found} after"

        return f"it said {self.name} is {shown_value(self.claimed)}, but {truth}"

    # -- texts: what the check would make of them --------------------------------------------------

    def _by_the_check(self) -> Agreement:
        """Other words may mean the same. They matter where the check would find something else
        with them, and are proved false only where they are the check's own words."""
        is_text = isinstance(self.claimed, str) and isinstance(plain(self._after), str)
        compared = self.measured.compared
        if not is_text or compared is None or time_in(str(self.claimed)):
            return Agreement.NOT_COMPARABLE

        expression = read_expression(compared.text, {*compared.names.values()})
        assert isinstance(expression, Expression), "it was read before it was measured"
        own = [one for one in _texts_in(expression) if flat(one) == flat(str(self.claimed))]
        said = own[0] if own else self.claimed
        if self._holds(expression, said) is self._holds(expression, self._after):
            return Agreement.NOTHING_SAID

        is_still = self._values_before.get(self.name) == self._after
        return Agreement.FALSE if own and is_still else Agreement.NOT_COMPARABLE

    def _holds(self, expression: Expression, value: Value) -> bool | None:
        """Whether the check would pass with this value; None if it has no answer."""
        compared = self.measured.compared
        assert compared
        values = {compared.names[name]: one for name, one in self.measured.values.items()}
        holds = is_true(expression, {**values, compared.names[self.name]: value})

        return None if isinstance(holds, Problem) else holds

    # -- what a call of the beat brought in --------------------------------------------------------

    def _as_it_was_read(self, acts: Sequence[Act]) -> Agreement | None:
        """A value may have moved and come back. What one of our tools read from where the check
        measures is true. What a command printed of it is as the model wrote the command, so it is
        neither true nor false."""
        said_it = [act for act in _of_others(acts, self.around) if self._is_said_by(act)]
        if any(act.touched.writes == () for act in said_it):
            return Agreement.TRUE

        return Agreement.NOT_COMPARABLE if said_it else None

    def _is_said_by(self, act: Act) -> bool:
        return self._is_source(act) and _stands_in(act.output, self)

    def _is_source(self, act: Act) -> bool:
        paths = [cleaned(path) for path in act.touched.paths]
        return act.touched.reads and is_measured_from(self.around.named, paths)


def _of_others(acts: Sequence[Act], around: Surroundings) -> Iterator[Act]:
    """The calls that touched nothing that the agent had written before."""
    own: frozenset[str] = frozenset()
    for act in acts:
        if not is_any_touched(own, act):
            yield act

        own |= written_by([act], around.changed)


def _texts_in(expression: Expression) -> list[str]:
    parts = ast.walk(expression.tree)
    return [
        one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


def _stands_in(output: str, fact: _Fact) -> bool:
    """Whether the output, or a line of it, says the value and nothing else, or after its name."""
    if len(output) > LONGEST_READ:
        return False

    named = re.compile(rf"(?<!\w){re.escape(fact.name)}[\"'`]?\s*[:=]\s*([^,;}}]+)", re.IGNORECASE)
    lines = output.splitlines()
    data = [line.removeprefix(DATA_MARK) for line in lines if line.startswith(DATA_MARK)] or lines
    whole = "\n".join(data)
    texts = [whole, *data, *named.findall(whole)]
    return any(_is_same(fact.claimed, read_value(text.strip(" \t\"'`"))) for text in texts)


def _is_same(claimed: Value, found: Value | Problem) -> bool:
    claimed = plain(claimed)
    if isinstance(found, Problem) or claimed is None or found == "":
        return False
    if isinstance(found, list | dict) and not isinstance(claimed, type(found)):
        return False  # how many there are is another question
    if isinstance(claimed, int | float) and isinstance(found, str):
        return False  # it may be the number of anything

    return agreement(claimed, found) is Agreement.TRUE
