"""`@light_dataclass(frozen=True, slots=True)`: a frozen dataclass for a fraction of the time.

Every command pays for more than a hundred such classes. The standard decorator compiles seven
functions per class, and its module loads six others that analyse source code. This one compiles
`__init__` alone, for a class with more than a few objects, and shares the rest. The result behaves
the same: a type checker sees the standard decorator, and the functions of `dataclasses` work on it.
What it does not support (other options, `__post_init__`, class variables, values for `__init__`
alone, keyword-only fields, fields left out of `__init__`, `repr` or comparison) it refuses when the
class is made, so that nothing is silently ignored.
"""

from typing import TYPE_CHECKING, ClassVar

__all__ = ["field", "light_dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass as light_dataclass
    from dataclasses import field, replace
else:
    from operator import attrgetter

    _MISSING = object()
    MADE_ONE_BY_ONE = 20  # objects; to compile for them would take as long as to make forty

    class _Factory:
        """Makes the default value of a field for each object."""

        __slots__ = ("make",)

        def __init__(self, make):
            self.make = make

    def field(*, default_factory):
        return _Factory(default_factory)

    def replace(original, /, **changes):
        """Return the same value with some fields changed."""
        fields = getattr(original, "__light_fields__", None)
        if fields is None:
            from dataclasses import replace as standard_replace

            return standard_replace(original, **changes)

        for name in fields:
            if name not in changes:
                changes[name] = getattr(original, name)

        return original.__class__(**changes)

    def light_dataclass(*, frozen=False, slots=False, eq=True, **options):
        if not frozen or not slots or options:
            raise TypeError("light_dataclass takes frozen=True and slots=True; only eq is optional")

        return _make if eq else _make_without_equality

    def _make_without_equality(plain):
        made = _make(plain)
        made.__eq__ = object.__eq__
        made.__hash__ = object.__hash__
        return made

    def _make(plain):
        if hasattr(plain, "__post_init__"):
            raise TypeError(f"light_dataclass would never call {plain.__name__}.__post_init__")

        fields = _fields_of(plain)
        made = _with_slots(plain, fields)
        values = attrgetter(*fields) if fields else lambda _: ()

        def __eq__(self, other):  # noqa: N807 - it becomes a method
            return values(self) == values(other) if other.__class__ is made else NotImplemented

        made.__init__ = _init_made_when_needed(made)
        made.__eq__ = __eq__
        made.__hash__ = lambda self: hash(values(self))
        made.__repr__ = _repr
        made.__setattr__ = made.__delattr__ = _refuse
        made.__reduce__ = lambda self: (made, tuple(getattr(self, name) for name in fields))

        return made

    def _fields_of(plain):
        """Return the fields, inherited ones first, with the default of each."""
        fields = {}
        for base in reversed(plain.__mro__[1:]):
            if "__dataclass_fields__" in base.__dict__ and "__light_fields__" not in base.__dict__:
                raise TypeError(f"{plain.__name__} is light, so {base.__name__} must be light too")
            fields |= base.__dict__.get("__light_fields__", {})

        for name, annotation in plain.__annotations__.items():
            if _is_not_a_field(annotation):
                raise TypeError(
                    f"light_dataclass makes plain fields only, without ClassVar, InitVar and"
                    f" KW_ONLY: {plain.__name__}.{name}"
                )
            fields[name] = _default_of(plain, name)

        has_default = False
        for name, default in fields.items():
            if has_default and default is _MISSING:
                raise TypeError(f"{plain.__name__}.{name} needs a default, as the fields before it")
            has_default = default is not _MISSING

        return fields

    def _is_not_a_field(annotation):
        """Whether the standard decorator would not make a field of it."""
        if isinstance(annotation, str):
            return any(name in annotation for name in ("ClassVar", "InitVar", "KW_ONLY"))

        if ClassVar in (annotation, getattr(annotation, "__origin__", None)):
            return True

        # The marks of `dataclasses`, told by where they come from: it is not imported here.
        is_class = isinstance(annotation, type)
        return (annotation if is_class else type(annotation)).__module__ == "dataclasses"

    def _default_of(plain, name):
        default = plain.__dict__.get(name, _MISSING)
        if type(default).__module__ == "dataclasses":
            default = _default_of_standard_field(default, f"{plain.__name__}.{name}")
        elif type(default).__hash__ is None:
            raise ValueError(f"{plain.__name__}.{name} needs a default_factory: all would share it")

        return default

    def _default_of_standard_field(given, where):
        from dataclasses import MISSING

        as_usual = given.init and given.repr and given.compare and given.hash is None
        if not as_usual or given.kw_only is True:
            raise TypeError(
                "light_dataclass takes a default or a default_factory for a field, and no other"
                f" option: {where}"
            )

        if given.default_factory is not MISSING:
            return _Factory(given.default_factory)

        return _MISSING if given.default is MISSING else given.default

    def _with_slots(plain, fields):
        """Return the class again, with a slot for each field: a slot cannot be added later."""
        own = plain.__annotations__
        inherited = {name for base in plain.__mro__[1:] for name in _slots_of(base)}

        namespace = {name: value for name, value in plain.__dict__.items() if name not in own}
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        namespace["__slots__"] = tuple(name for name in own if name not in inherited)
        namespace["__match_args__"] = tuple(fields)
        namespace["__light_fields__"] = fields
        namespace["__dataclass_fields__"] = _StandardFields()

        made = type(plain)(plain.__name__, plain.__bases__, namespace)
        made.__qualname__ = plain.__qualname__
        return made

    def _slots_of(base):
        slots = base.__dict__.get("__slots__", ())
        return (slots,) if isinstance(slots, str) else slots

    class _StandardFields:
        """What the functions of `dataclasses` ask a class for, made when one of them does."""

        def __get__(self, instance, owner):
            import dataclasses

            standard = []
            for name, default in owner.__light_fields__.items():
                one = dataclasses.field()
                if isinstance(default, _Factory):
                    one.default_factory = default.make
                elif default is not _MISSING:
                    one.default = default
                standard.append((name, _annotation_of(owner, name), one))

            return dataclasses.make_dataclass(owner.__name__, standard).__dataclass_fields__

    def _annotation_of(owner, name):
        for base in owner.__mro__:
            annotations = getattr(base, "__annotations__", {})
            if name in annotations:
                return annotations[name]

        raise AssertionError(name)

    def _init_made_when_needed(made):
        """Return a function that sets the fields of the first few objects one by one, and then
        compiles the real one and puts it into its own place: most commands make objects of few of
        these classes, and few objects of most of them."""
        fields = made.__light_fields__
        made_before = 0

        def __init__(self, *arguments, **named):  # noqa: N807 - it becomes a method
            nonlocal made_before
            is_few = made_before < MADE_ONE_BY_ONE
            made_before += 1
            values = _values_of(fields, arguments, named) if is_few else None
            if values is None:  # also where the real one has to say what is wrong
                made.__init__ = _init_of(made)
                made.__init__(self, *arguments, **named)
                return

            for name, value in values.items():
                object.__setattr__(self, name, value)

        return __init__

    def _values_of(fields, arguments, named):
        """Return the value of each field; None if these are not the arguments of such an object."""
        values = dict(zip(fields, arguments, strict=False))
        if len(values) < len(arguments) or not values.keys().isdisjoint(named):
            return None

        values |= named
        for name, default in fields.items():
            if name in values:
                continue
            if default is _MISSING:
                return None
            values[name] = default.make() if isinstance(default, _Factory) else default

        return values if len(values) == len(fields) else None

    def _init_of(made):
        """Return a function that sets the slots directly, because `__setattr__` refuses."""
        known = {"_missing": _MISSING}
        arguments = ["self"]
        lines = ["pass"]

        for name, default in made.__light_fields__.items():
            value = name
            known[f"_set_{name}"] = getattr(made, name).__set__  # its own slot or an inherited one
            if isinstance(default, _Factory):
                known[f"_make_{name}"] = default.make
                arguments.append(f"{name}=_missing")
                value = f"_make_{name}() if {name} is _missing else {name}"
            elif default is not _MISSING:
                known[f"_{name}"] = default
                arguments.append(f"{name}=_{name}")
            else:
                arguments.append(name)

            lines.append(f"_set_{name}(self, {value})")

        body = "\n  ".join(lines)
        exec(f"def __init__({', '.join(arguments)}):\n  {body}", known)  # noqa: S102 - our names
        return known["__init__"]

    def _repr(self):
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__light_fields__)
        return f"{self.__class__.__qualname__}({shown})"

    def _refuse(self, name, *_):  # noqa: ARG001 - it becomes a method
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot change field {name!r}")
