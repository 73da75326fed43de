"""The real services, with some of them replaced."""

from typing import Any, TypeVar

from core.services import Services

S = TypeVar("S", bound=Services)


def changed(services: S, **others: Any) -> S:
    """These services with others in the place of some; a name that they do not have is refused."""
    for name, value in others.items():
        assert hasattr(type(services), name), name
        setattr(services, name, value)

    return services
