"""What the lanes of one memory operation do to which elements: from pointers and a mask to `trace.Access`.

A pointer is the address of an element: address = tensor's address + itemsize * sum of index[d] * stride[d].
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from msgspec.structs import replace

from engine.access_words import words
from engine.regions import Coordinates, region
from engine.trace import Access, Tensor

Operation = Literal["read", "write", "atomic"]
Integers = Any
"A `numpy.ndarray` of int64."
Flags = Any
"A `numpy.ndarray` of bool."
NO_TENSOR = -1


@dataclass(frozen=True)
class Memory:
    """A tensor of the launch, and where it lies."""

    tensor: Tensor
    address: int
    itemsize: int
    "Bytes an element."

    def elements(self, pointers: Any) -> Integers:
        """How many elements after the tensor's first each pointer lies."""
        return (pointers.astype(np.uint64) - np.uint64(self.address)).view(np.int64) // self.itemsize

    def coordinates(self, elements: Integers) -> tuple[Coordinates, Flags]:
        """Coordinates [dimensions, *block] of `elements` [*block], and whether there is such an element at all.

        Where several coordinates have the same address (an expanded or unfolded tensor) it is one of them.
        """
        found = np.zeros((len(self.tensor.shape), *elements.shape), np.int64)
        rest = elements.copy()
        for dimension in self._widest_first():
            size, stride = self.tensor.shape[dimension], self.tensor.stride[dimension]
            if size > 1 and stride:
                found[dimension] = np.clip(rest // stride, 0, size - 1)
                rest -= found[dimension] * stride
        return found, (rest == 0) & (0 not in self.tensor.shape)

    def displacement(self, elements: int) -> list[int]:
        """What to add to the coordinates to come `elements` further, whatever the tensor's shape."""
        found, rest = [0] * len(self.tensor.shape), abs(elements)
        for dimension in self._widest_first():
            if stride := self.tensor.stride[dimension]:
                found[dimension], rest = divmod(rest, stride)
        return [-at for at in found] if elements < 0 else found

    def _widest_first(self) -> list[int]:
        shape, stride = self.tensor.shape, self.tensor.stride
        return sorted(range(len(shape)), key=lambda dimension: (-stride[dimension], shape[dimension]))


def accesses(
    operation: Operation, pointers: Any, mask: Any, memories: Sequence[Memory], origin: int | None
) -> Iterator[tuple[int, Access]]:
    """The accesses of one operation, each with the number of its tensor in `memories`, or NO_TENSOR.

    `pointers` is an array [*block], and so is `mask`, the lanes at work (None for all). `origin` is the tensor that
    the pointers were computed from; where that is not known, each belongs to the first tensor with an element there.
    """
    on = np.ones(pointers.shape, bool) if mask is None else np.broadcast_to(mask, pointers.shape).astype(bool)
    if origin is not None:
        yield origin, _access(operation, memories[origin], pointers, on)
        return
    left = np.ones(pointers.shape, bool)
    for number, memory in enumerate(memories):
        here = left & memory.coordinates(memory.elements(pointers))[1]
        if here.any():
            whole = here.all()
            yield number, _access(operation, memory, pointers if whole else pointers[here], on if whole else on[here])
        left &= ~here
    if left.any():
        masked = int((left & ~on).sum())
        stray = Access(operation, "", outside=int((left & on).sum()), masked_lanes=masked, masked_outside=masked)
        yield NO_TENSOR, replace(stray, text=words(stray, None))


def _access(operation: Operation, memory: Memory, pointers: Any, on: Flags) -> Access:
    elements = memory.elements(pointers)
    found, there = memory.coordinates(elements)
    at_work, off = on & there, ~on
    places = _overhanging(memory, elements, found, at_work) if off.any() and at_work.any() else None
    placed = there if places is None else np.ones_like(there)
    touched, lanes = region(found[:, at_work]), int(at_work.sum())
    access = Access(
        operation, "", elements=touched, masked=region((found if places is None else places)[:, off & placed]),
        lanes=lanes if lanes != touched.count else 0, outside=int((on & ~there).sum()),
        masked_lanes=int(off.sum()), masked_outside=int((off & ~placed).sum()),
    )  # fmt: skip
    return replace(access, text=words(access, memory.tensor))


def _overhanging(memory: Memory, elements: Integers, found: Coordinates, known: Flags) -> Coordinates | None:
    """Coordinates of all lanes if the block is a grid that goes on beyond the tensor, as a tile at its edge does.

    Where such a tile passes the end of a row, its addresses are those of the next row's elements; what it means is
    columns that the row does not have. None where the lanes whose coordinates are `known` form no such grid.
    """
    first = np.unravel_index(int(np.argmax(known)), known.shape)
    steps = [_step(memory, elements, found, known, first, axis) for axis in range(known.ndim)]
    places = np.broadcast_to(found[(slice(None), *first)].reshape(-1, *[1] * known.ndim), found.shape)
    for axis, (step, index) in enumerate(zip(steps, np.indices(known.shape, sparse=True), strict=True)):
        places = places + np.array(step, np.int64).reshape(-1, *[1] * known.ndim) * (index - first[axis])
    strides = np.array(memory.tensor.stride, np.int64)
    right = (places[:, known] == found[:, known]).all() and (np.tensordot(strides, places, 1) == elements).all()
    return places if right else None


def _step(
    memory: Memory, elements: Integers, found: Coordinates, known: Flags, first: tuple[Any, ...], axis: int
) -> Sequence[int]:
    """By how much coordinates grow from the lane `first` to its neighbour along an axis of the block."""
    if known.shape[axis] == 1:
        return [0] * len(found)
    back = -1 if first[axis] == known.shape[axis] - 1 else 1
    beside = tuple(at + back * (number == axis) for number, at in enumerate(first))
    if known[beside]:
        ahead = found[(slice(None), *beside)] - found[(slice(None), *first)]
        return [int(at) * back for at in ahead]
    return memory.displacement(int(elements[beside] - elements[first]) * back)
