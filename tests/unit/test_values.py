"""Our cheaper `dataclass` makes what the standard one makes."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field

import pytest

from core.model import value


@value.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)


@value.dataclass(frozen=True, slots=True)
class Pair:
    x: int
    y: int


@value.dataclass(frozen=True, slots=True)
class Nothing:
    pass


def test_fields_defaults_and_their_order_are_the_same() -> None:
    for point in (Point(1), Standard(1)):
        assert (point.x, point.y, point.names) == (1, 2, [])
    assert Point(1, 3) == Point(x=1, y=3)
    assert Point(1).names is not Point(1).names
    assert [one.name for one in dataclasses.fields(Point)] == [one.name for one in dataclasses.fields(Standard)]
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]
    match Point(5):
        case Point(x, y):
            assert (x, y) == (5, 2)


def test_no_field_can_be_changed_deleted_or_added() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 3  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")
    assert point == Point(1)


def test_equality_and_hash_go_by_the_fields_and_the_class() -> None:
    assert Point(1) == Point(1) != Point(2)
    assert Point(1) != Standard(1)  # type: ignore[comparison-overlap]
    assert {Nothing(): 1}[Nothing()] == 1
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2
    with pytest.raises(TypeError):
        hash(Point(1))  # a list cannot be hashed, in either of them


def test_repr_replace_copy_and_pickle_are_the_same() -> None:
    assert repr(Point(1)) == repr(Standard(1)).replace("Standard", "Point")
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert dataclasses.asdict(Point(1)) == dataclasses.asdict(Standard(1))
    assert copy.deepcopy(Point(1, 2, ["a"])) == Point(1, 2, ["a"])
    assert pickle.loads(pickle.dumps(Point(1, 2, ["a"]))) == Point(1, 2, ["a"])
