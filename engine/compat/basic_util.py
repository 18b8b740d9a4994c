"""Small sums over lists."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

__all__ = ["count", "mean", "repeat", "round1"]


def round1(x: float) -> float:
    """`x` to one decimal place."""
    return round(x, 1)


def mean(x: Sequence[float]) -> float:
    """The average of at least one number."""
    return sum(x) / len(x)


def count(list: Iterable[object], x: object) -> int:
    """How often `x` occurs in `list`."""
    return sum(item == x for item in list)


def repeat(f: Callable[[], T], n: int) -> list[T]:
    """What `n` calls of `f` return."""
    return [f() for _ in range(n)]
