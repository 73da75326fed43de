"""`dataclass(frozen=True, slots=True)`, made in a third of the time: every command pays for a hundred of them.

The standard decorator compiles seven functions a class. Here `__init__` alone is compiled, and the others are shared;
what comes of it behaves the same, and a type checker sees the standard one.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from operator import attrgetter

    def dataclass(*, frozen, slots):
        assert frozen
        assert slots

        def make(plain):
            plain.__doc__ = plain.__doc__ or plain.__name__  # else the standard one works out a signature for it
            made = dataclasses.dataclass(slots=True, init=False, repr=False, eq=False)(plain)
            names = [one.name for one in dataclasses.fields(made)]
            values = attrgetter(*names) if names else lambda _: ()

            def __eq__(self, other):  # noqa: N807, it becomes a method
                return values(self) == values(other) if other.__class__ is made else NotImplemented

            made.__init__ = _init_of(made)
            made.__eq__ = __eq__
            made.__hash__ = lambda self: hash(values(self))
            made.__repr__ = _repr
            made.__setattr__ = made.__delattr__ = _refuse
            made.__reduce__ = lambda self: (made, tuple(getattr(self, name) for name in names))
            return made

        return make

    def _init_of(made):
        """A function that puts its arguments into the slots, past the `__setattr__` that refuses."""
        known, arguments, lines = {}, ["self"], ["pass"]
        for one in dataclasses.fields(made):
            name, value = one.name, one.name
            known[f"_set_{name}"] = made.__dict__[name].__set__
            if one.default_factory is not dataclasses.MISSING:
                known[f"_make_{name}"] = one.default_factory
                arguments.append(f"{name}=_missing")
                value = f"_make_{name}() if {name} is _missing else {name}"
            elif one.default is not dataclasses.MISSING:
                known[f"_{name}"] = one.default
                arguments.append(f"{name}=_{name}")
            else:
                arguments.append(name)
            lines.append(f"_set_{name}(self, {value})")
        known["_missing"] = dataclasses.MISSING
        exec(f"def __init__({', '.join(arguments)}):\n  " + "\n  ".join(lines), known)  # noqa: S102, our own names
        known["__init__"].__annotations__ = {one.name: one.type for one in dataclasses.fields(made)}
        return known["__init__"]

    def _repr(self):
        shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self))
        return f"{self.__class__.__qualname__}({shown})"

    def _refuse(self, name, *_):  # noqa: ARG001, it becomes a method
        raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
