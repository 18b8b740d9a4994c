"""Places in a tensor as few boxes: from the coordinates of elements to `trace.Region`."""

from collections.abc import Iterable
from itertools import islice, pairwise, product
from math import prod
from typing import Any

import numpy as np

from engine.trace import Region, Slice

BOXES = 256
"Kept of a region."
RUNS = 4096
"Looked at of places that are no grid."

Coordinates = Any
"A `numpy.ndarray` of int64, one row a dimension, one column a place."


def region(places: Coordinates) -> Region:
    """The region of `places`, of which some may be equal."""
    if not places.shape[1]:
        return Region()
    low = places.min(axis=1)
    extents = [int(extent) for extent in places.max(axis=1) - low + 1]
    if prod(extents) >= 2**62:
        return Region(count=int(np.unique(places, axis=1).shape[1]), truncated=True)
    keys = np.unique(np.ravel_multi_index(list(places - low[:, None]), extents)) if extents else np.zeros(1, np.int64)
    count = len(keys)
    if count == prod(extents):
        box = tuple((int(start), int(start) + extent, 1) for start, extent in zip(low, extents, strict=True))
        return Region(count, (box,))
    different = np.array(np.unravel_index(keys, extents)) + low[:, None]
    boxes = list(islice(_grid(different) or _runs(different), BOXES))
    return Region(count, tuple(boxes), truncated=sum(map(_size, boxes)) < count)


def _size(box: tuple[Slice, ...]) -> int:
    return prod(len(range(*along)) for along in box)


def _grid(places: Coordinates) -> Iterable[tuple[Slice, ...]] | None:
    """The boxes of places that are some coordinates of each dimension in all combinations; None for others."""
    along = [np.unique(row) for row in places]
    if prod(map(len, along)) != places.shape[1]:
        return None
    return product(*map(_slices, along))


def _slices(numbers: Any) -> list[Slice]:
    """Ascending numbers as one slice with a step, else as slices of neighbours."""
    gaps = np.diff(numbers)
    if len(gaps) > 1 and (gaps == gaps[0]).all():
        return [(int(numbers[0]), int(numbers[-1]) + 1, int(gaps[0]))]
    return [(int(part[0]), int(part[-1]) + 1, 1) for part in np.split(numbers, np.flatnonzero(gaps != 1) + 1)]


def _runs(places: Coordinates) -> list[tuple[Slice, ...]]:
    """Boxes of ascending places of two dimensions or more: runs along the last one, those alike in several rows joined.

    Of more than `RUNS` runs the first.
    """
    steps = np.diff(places, axis=1)
    begins: Any = np.flatnonzero((steps[:-1] != 0).any(axis=0) | (steps[-1] != 1)) + 1
    rows: dict[tuple[int, ...], int] = {}
    "First row of each box, by its outer coordinates, the end of its rows, its first column and the end of its columns."
    for start, stop in pairwise([0, *begins.tolist(), places.shape[1]][: RUNS + 1]):
        *outer, row, first = places[:, start].tolist()
        last = first + stop - start
        rows[(*outer, row + 1, first, last)] = rows.pop((*outer, row, first, last), row)
    return sorted(
        (*((at, at + 1, 1) for at in outer), (row, end, 1), (first, last, 1))
        for (*outer, end, first, last), row in rows.items()
    )
