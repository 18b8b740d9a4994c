"""One element of an array as JSON can hold it, whatever its type."""

import math
import sys
from collections.abc import Sequence
from typing import Any

from engine import anatomy, display, leaves
from engine.formats import DIGITS

SMALL = 64
"An array of at most so many elements, in at most `DIMENSIONS`, is shown whole."
DIMENSIONS = 3
SAMPLE_DIGITS = 3
"Significant digits of a sampled element: enough for a heat map's colours. A recording may hold thousands of samples."
ELEMENT = 40
"Characters of an element that is no number."


def is_small(shape: Sequence[int]) -> bool:
    """Whether an array of this shape is shown whole."""
    return len(shape) <= DIMENSIONS and math.prod(max(n, 1) for n in shape) <= SMALL


def plain_form(numbers: Any) -> Any:
    """What `tolist` turns into Python's own numbers and texts: of dates and of records it would make what says less."""
    if numbers.dtype.kind not in "mM" and numbers.dtype.names is None:
        return numbers
    parts = numbers.reshape(-1)
    plain = sys.modules["numpy"].empty(parts.shape, dtype=object)
    for index, part in enumerate(parts):
        plain[index] = str(part) if numbers.dtype.names is None else part  # `astype(str)` cuts long ones off
    return plain.reshape(numbers.shape)


def whole(numbers: Any, digits: int, dimensions: int, mask: Any = None) -> Any:
    """Nested lists, as many deep as there are dimensions, with every element as JSON can hold it."""
    if not dimensions:
        return element(numbers, digits) if mask is None else _unmasked(numbers, digits, mask)
    masks = [None] * len(numbers) if mask is None else mask
    return [whole(part, digits, dimensions - 1, hidden) for part, hidden in zip(numbers, masks, strict=True)]


def _unmasked(value: Any, digits: int, mask: Any) -> Any:
    """An element of a masked array, which is hidden, or of which fields are."""
    if mask is True:
        return None
    if type(mask) is tuple:
        return [_unmasked(part, digits, hidden) for part, hidden in zip(value, mask, strict=True)]
    if mask is not False:  # an array within a record
        return whole(plain_form(value).tolist(), digits, value.ndim, mask.tolist())
    return element(value, digits)


def element(value: Any, digits: int, depth: int = DIMENSIONS) -> Any:
    """One element as JSON can hold it: a number with `digits` significant digits, a text, a list for a record."""
    kind = type(value)
    if kind is float:
        if not math.isfinite(value):
            return repr(value)
        rounded = value if digits >= 17 else float(f"{value:.{digits}g}")
        return int(rounded) if digits <= SAMPLE_DIGITS and rounded.is_integer() and abs(rounded) < 1e6 else rounded
    if kind is int:
        return value if abs(value) < 2**63 else display.cut(display.integer(value)[0], ELEMENT)[0]
    if kind is bool or value is None:
        return value
    if depth and kind is tuple:
        return [element(part, digits, depth - 1) for part in value[:SMALL]]
    numpy = sys.modules.get("numpy")
    if depth and numpy is not None:
        if kind is numpy.ndarray and is_small(value.shape):
            return _parts(plain_form(value).tolist(), digits, depth - 1)
        if anatomy.descends(kind, numpy.generic):
            return _scalar(numpy.asarray(value), digits, depth - 1)
    return _text(value, digits)


def _scalar(value: Any, digits: int, depth: int) -> Any:
    """An element that numpy has no number of Python's for; `value` is an array without dimensions."""
    numpy, known, inside = sys.modules["numpy"], value.dtype, value[()]
    digits = min(digits, DIGITS.get((known.kind, known.itemsize), digits))
    if known.names is not None:
        return [element(inside[name], digits, depth) for name in known.names[:SMALL]]
    if known.kind == "c":
        return complex_text(inside, digits)
    if known.kind == "f" and known.itemsize > 8:
        near = float(inside)  # infinite where the number is beyond a double's
        return str(inside) if math.isinf(near) and numpy.isfinite(inside) else element(near, digits)
    return element(plain_form(value).tolist(), digits, depth)


def _parts(value: Any, digits: int, depth: int) -> Any:
    """An array within a record."""
    return [_parts(part, digits, depth) for part in value] if type(value) is list else element(value, digits, depth)


def _text(value: Any, digits: int) -> str:
    """An element that is no number; of one of somebody else's class the name alone."""
    kind = type(value)
    if kind is str:
        return display.cut(display.printable(value[: ELEMENT + 1]), ELEMENT)[0]
    if kind is complex:
        return complex_text(value, digits)
    if kind is bytes:
        return display.cut(repr(value[:ELEMENT]), ELEMENT)[0]
    base = leaves.base_of(kind)
    if base is not None:
        return display.cut(leaves.READERS[id(base)](value)[0], ELEMENT)[0]
    return f"<{anatomy.class_name(kind)} object>"


def complex_text(value: Any, digits: int) -> str:
    """`1+2j`, both parts with `digits` significant digits."""
    real, imaginary = (_shortest(part) if digits >= 17 else f"{part:.{digits}g}" for part in (value.real, value.imag))
    return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"


def _shortest(part: Any) -> str:
    return str(part).removesuffix(".0")
