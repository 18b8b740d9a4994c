"""What random programs call that is not visible, so that it makes no step. Needs nothing but Python."""

import contextlib
from typing import Any


def draw(value: Any) -> Any:
    """What a function returns or a generator yields, as a number."""
    return sum(x or 0 for x in value) if hasattr(value, "__next__") else value or 0


class Turn:
    """Lets other tasks have a turn, then is `value`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Any:
        yield
        return self.value


def awaited(coroutine: Any) -> Any:
    """What a coroutine returns when it is given all turns."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value


NAMES = {"draw": draw, "Turn": Turn, "awaited": awaited, "suppress": contextlib.suppress,
         "nullcontext": contextlib.nullcontext}  # fmt: skip
