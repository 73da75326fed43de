"""All processes that one command or one tool server started."""

from typing import Protocol


class Family(Protocol):
    """What the one who started them asks of them."""

    def anyone_left(self) -> bool: ...
    def ask_to_end(self) -> None: ...
    def kill(self) -> None: ...
