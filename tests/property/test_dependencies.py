"""Which actions depend on themselves, and in which order the others run: graphlib as the oracle."""

from datetime import timedelta
from graphlib import CycleError, TopologicalSorter

from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.document import Action, ActionStatus, Priority
from core.rules.planning.order import run_order
from core.rules.reading.relations import find_circles

Needs = dict[str, list[str]]
NAMES = [f"n{number}" for number in range(8)]
GRAPHS = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from([*NAMES, "elsewhere"]), max_size=4)
)
# Each needs only names before it, so there is no circle.
ORDERED_GRAPHS = st.integers(0, 12).flatmap(
    lambda count: st.tuples(
        *(
            st.lists(st.integers(0, number - 1), max_size=6, unique=True) if number else st.just([])
            for number in range(count)
        )
    ).map(lambda rows: {f"n{i}": [f"n{one}" for one in row] for i, row in enumerate(rows)})
)


def inside(needs: Needs) -> Needs:
    """The graph without the names that lead out of it, which find_circles does not follow."""
    return {name: [one for one in wanted if one in needs] for name, wanted in needs.items()}


def has_circle(needs: Needs) -> bool:
    try:
        TopologicalSorter(inside(needs)).prepare()
    except CycleError:
        return True

    return False


def reachable(needs: Needs, start: str) -> set[str]:
    """All that it needs, directly or through others."""
    found: set[str] = set()
    rest = list(needs[start])
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += needs[name]

    return found


def action(name: str, needed: list[str], priority: Priority = Priority.HIGH) -> Action:
    never = timedelta()
    return Action(
        name, name, priority, None, ActionStatus.PENDING, None, 0, never, never, tuple(needed)
        , None, {}, False, 1, (),
    )  # fmt: skip


@given(GRAPHS)
@settings(max_examples=500)
def test_there_is_a_circle_exactly_where_graphlib_finds_one(needs: Needs) -> None:
    assert bool(find_circles(needs)) == has_circle(needs)


@given(GRAPHS)
@settings(max_examples=500)
def test_the_circles_are_all_names_that_need_themselves(needs: Needs) -> None:
    within = inside(needs)
    circles = find_circles(needs)

    for circle in circles:
        assert len(set(circle)) == len(circle)
        assert all(reachable(within, name) >= set(circle) for name in circle)

    in_one = [name for circle in circles for name in circle]
    assert sorted(in_one) == sorted(name for name in needs if name in reachable(within, name))


@given(GRAPHS)
@settings(max_examples=500)
def test_without_its_circles_graphlib_can_order_the_rest(needs: Needs) -> None:
    stuck = {name for circle in find_circles(needs) for name in circle}
    assert not has_circle({name: wanted for name, wanted in needs.items() if name not in stuck})


@given(GRAPHS)
@settings(max_examples=500)
def test_what_graphlib_calls_a_circle_lies_in_one_of_ours(needs: Needs) -> None:
    try:
        TopologicalSorter(inside(needs)).prepare()
    except CycleError as error:
        theirs = set(error.args[1])
        assert any(theirs <= set(ours) for ours in find_circles(needs))


@given(ORDERED_GRAPHS, st.randoms())
@settings(max_examples=500)
def test_graphlib_accepts_the_order_in_which_actions_run(needs: Needs, random: object) -> None:
    shuffled = list(needs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    ranks = list(Priority)
    due = [action(name, needs[name], ranks[len(needs[name]) % len(ranks)]) for name in shuffled]
    order = [one.id for one in run_order(due)]

    sorter = TopologicalSorter(needs)
    sorter.prepare()
    allowed: set[str] = set()
    for name in order:
        allowed |= set(sorter.get_ready())
        assert name in allowed
        sorter.done(name)

    assert not sorter.is_active()


@given(GRAPHS)
@settings(max_examples=500)
def test_even_a_circle_runs_each_action_once(needs: Needs) -> None:
    due = [action(name, wanted) for name, wanted in needs.items()]
    assert sorted(one.id for one in run_order(due)) == sorted(needs)


def test_a_dependency_that_many_share_runs_before_all_of_them() -> None:
    """Each needs all before it: more names wait for their turn than there are actions."""
    needs = {f"n{number}": [f"n{one}" for one in range(number)] for number in range(6)}
    due = [action(name, needs[name]) for name in reversed(needs)]
    assert [one.id for one in run_order(due)] == list(needs)


def test_what_a_high_action_needs_runs_before_another_of_medium_priority() -> None:
    """Here graphlib would run all that need nothing first."""
    due = [
        action("other", [], Priority.MEDIUM),
        action("low", [], Priority.LOW),
        action("high", ["low"], Priority.HIGH),
    ]
    assert [one.id for one in run_order(due)] == ["low", "high", "other"]
    needs = {one.id: one.depends_on for one in due}
    assert list(TopologicalSorter(needs).static_order()) == ["other", "low", "high"]
