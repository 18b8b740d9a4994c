"""Nested tensors: how long their dimensions are, which is a range where their parts differ."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from engine import anatomy


def lengths(tensor: Any, base: Any) -> list[str] | None:
    """Of each dimension of a nested tensor of either layout: `3`, `2..5`, `?`; None for what is no nested tensor.

    `base` is torch's own tensor class. The one operator this runs hands out sizes that torch keeps in the CPU's memory.
    """
    attributes = anatomy.instance_dict(tensor) or {}
    if "_ragged_idx" in attributes and type(attributes.get("_size")) is tuple:
        return [str(n) if type(n) is int else _ragged(attributes, base) for n in attributes["_size"]]
    try:
        if not base.is_nested.__get__(tensor):
            return None
    except (NotImplementedError, RuntimeError):
        return None
    known = base._nested_tensor_size(tensor)
    rows = base.tolist(known) if base.dim(known) == 2 else []  # without parts there are no sizes either
    return [str(len(rows)), *(_range(column) for column in zip(*rows, strict=True))]


def _ragged(attributes: dict[Any, Any], base: Any) -> str:
    """Along the dimension in which the parts of a jagged tensor differ; `?` where they lie on a GPU."""
    kept, offsets = attributes.get("_lengths"), attributes.get("_offsets")
    known = offsets if kept is None else kept
    if anatomy.bases(type(known))[1:2] != (base,) or base.device.__get__(known).type != "cpu":  # or a stand-in for one
        return "?"
    numbers = base.tolist(known)
    return _range(numbers if kept is not None else (end - start for start, end in pairwise(numbers)))


def _range(column: Iterable[int]) -> str:
    found = sorted(set(column))
    return "..".join(map(str, dict.fromkeys((found[0], found[-1])))) if found else "0"
