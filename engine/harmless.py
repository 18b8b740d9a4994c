"""Calls that never end a lecture."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from engine import sink

P = ParamSpec("P")
T = TypeVar("T")


def harmless(call: Callable[P, T]) -> Callable[P, T | None]:
    """`call`, but what it raises becomes a warning at the lecture's statement, and it returns None.

    Wrong arguments and objects whose own methods fail are foreseen in the calls as far as can be; this is for the rest.
    """

    @functools.wraps(call)
    def said(*args: P.args, **kwargs: P.kwargs) -> T | None:
        try:
            return call(*args, **kwargs)
        except Exception as error:
            sink.warn(f"{call.__name__}() shows nothing: {type(error).__name__}: {error}")
            return None

    return said
