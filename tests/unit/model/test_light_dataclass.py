"""Our cheaper decorator makes what the standard one makes, and refuses what it cannot make."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from core.model.light_dataclass import field, light_dataclass, replace

T = TypeVar("T")


@light_dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: int = 2
    names: list[str] = dataclasses.field(default_factory=list)


@light_dataclass(frozen=True, slots=True)
class Labelled(Point):
    label: str = "a point"


@dataclasses.dataclass(frozen=True, slots=True)
class StandardLabelled(Standard):
    label: str = "a point"


@light_dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    inside: T


@light_dataclass(frozen=True, slots=True, eq=False)
class OnlyItself:
    x: int


@light_dataclass(frozen=True, slots=True)
class Pair:
    x: int
    y: int


@light_dataclass(frozen=True, slots=True)
class Nothing:
    pass


def test_fields_defaults_and_their_order_are_the_same() -> None:
    for point in (Point(1), Standard(1)):
        assert (point.x, point.y, point.names) == (1, 2, [])
    assert Point(1, 3) == Point(x=1, y=3)
    assert Point(1).names is not Point(1).names
    assert [one.name for one in dataclasses.fields(Point)] == [
        one.name for one in dataclasses.fields(Standard)
    ]
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
    assert replace(Point(1), y=5) == dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert replace(Standard(1), y=5) == Standard(1, 5)
    with pytest.raises(TypeError, match="z"):
        replace(Point(1), z=5)  # type: ignore[call-arg]
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.asdict(Point(1)) == dataclasses.asdict(Standard(1))
    assert copy.deepcopy(Point(1, 2, ["a"])) == Point(1, 2, ["a"])
    assert pickle.loads(pickle.dumps(Point(1, 2, ["a"]))) == Point(1, 2, ["a"])


def test_the_fields_of_a_class_below_come_after_its_own() -> None:
    assert Labelled(1, label="home") == Labelled(1, 2, [], "home")
    assert repr(Labelled(1)) == repr(StandardLabelled(1)).removeprefix("Standard")
    assert Labelled(1) != Point(1)
    for one, other in zip(
        dataclasses.fields(Labelled), dataclasses.fields(StandardLabelled), strict=True
    ):
        assert (one.name, one.type, one.default, one.default_factory) == (
            other.name,
            other.type,
            other.default,
            other.default_factory,
        )


def test_a_generic_class_stays_generic() -> None:
    assert Box[int](1) == Box(1)


def test_without_equality_an_object_is_equal_to_itself_only() -> None:
    one = OnlyItself(1)
    assert one == one
    assert one != OnlyItself(1)
    assert {one: "found"}[one] == "found"


def test_the_module_that_it_replaces_is_not_loaded() -> None:
    program = (
        "import sys; from core.model.light_dataclass import light_dataclass, replace\n"
        "@light_dataclass(frozen=True, slots=True)\n"
        "class One:\n  x: int\n"
        "replace(One(1), x=2); print({'dataclasses', 'inspect'} & set(sys.modules))"
    )
    words = [sys.executable, "-c", program]
    assert subprocess.run(words, capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"frozen": True},
        {"slots": True},
        {"frozen": True, "slots": True, "kw_only": True},
        {"frozen": True, "slots": True, "order": True},
    ],
)
def test_options_that_it_does_not_support_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="frozen=True and slots=True"):
        light_dataclass(**options)


def test_a_method_that_would_never_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="__post_init__"):

        @light_dataclass(frozen=True, slots=True)
        class Late:
            x: int

            def __post_init__(self) -> None: ...


def test_an_inherited_method_that_would_never_be_called_is_refused() -> None:
    class Base:
        __slots__ = ()

        def __post_init__(self) -> None: ...

    with pytest.raises(TypeError, match="__post_init__"):

        @light_dataclass(frozen=True, slots=True)
        class Late(Base):
            x: int


@pytest.mark.parametrize(
    "key",
    [
        dataclasses.field(default="", repr=False),
        dataclasses.field(default="", compare=False),
        dataclasses.field(default="", init=False),
        dataclasses.field(default="", hash=False),
        dataclasses.field(default="", kw_only=True),
    ],
)
def test_field_options_that_would_be_ignored_are_refused(key: Any) -> None:
    plain = type("Secret", (), {"__annotations__": {"key": str}, "key": key})
    with pytest.raises(TypeError, match=r"Secret\.key"):
        light_dataclass(frozen=True, slots=True)(plain)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        ({"__annotations__": {"x": ClassVar[int]}}, TypeError, "plain fields only"),
        ({"__annotations__": {"x": "ClassVar[int]"}}, TypeError, "plain fields only"),
        ({"__annotations__": {"_": dataclasses.KW_ONLY}}, TypeError, r"One\._"),
        ({"__annotations__": {"_": "KW_ONLY"}}, TypeError, r"One\._"),
        ({"__annotations__": {"x": dataclasses.InitVar[int]}}, TypeError, r"One\.x"),
        ({"__annotations__": {"x": dataclasses.InitVar}}, TypeError, r"One\.x"),
        ({"__annotations__": {"x": list}, "x": []}, ValueError, "default_factory"),
        ({"__annotations__": {"x": int, "y": int}, "x": 1}, TypeError, r"One\.y needs a default"),
    ],
)
def test_fields_that_would_surprise_are_refused(
    body: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        light_dataclass(frozen=True, slots=True)(type("One", (), body))


def test_a_light_class_below_a_standard_one_is_refused() -> None:
    with pytest.raises(TypeError, match="Standard must be light too"):

        @light_dataclass(frozen=True, slots=True)
        class Below(Standard):
            pass


MANY = 50  # more than are made one by one


def test_the_first_objects_and_the_later_ones_are_made_alike() -> None:
    @light_dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        names: list[str] = field(default_factory=list)

    made = [Point(1, names=[str(number)]) for number in range(MANY)]
    assert [(one.x, one.y, one.names) for one in made] == [
        (1, 2, [str(number)]) for number in range(MANY)
    ]
    first, second = Point(1), Point(1)
    assert first.names is not second.names


@pytest.mark.parametrize("made_before", [0, MANY])
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        ((1, 2, 3), {}),
        ((1,), {"x": 1}),
        ((1,), {"z": 1}),
        ((), {"y": 1}),
    ],
)
def test_wrong_arguments_are_refused_from_the_first_object_on(
    made_before: int, arguments: tuple[int, ...], named: dict[str, int]
) -> None:
    @light_dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2

    for _ in range(made_before):
        Point(1)

    make: Any = Point
    with pytest.raises(TypeError, match="argument"):
        make(*arguments, **named)
