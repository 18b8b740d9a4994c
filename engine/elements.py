"""The elements of an array as far as they are shown: all of a small one, of a larger one a sample and its statistics.

Works on numpy arrays, of any strides; only the elements looked at are ever copied.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine import anatomy, display, leaves
from engine.trace import Array, Stats

SMALL = 64
"An array of at most so many elements, in at most `DIMENSIONS`, is shown whole."
DIMENSIONS = 3
GRID = 24
"Rows and columns of a sample."
SAMPLE_DIGITS = 3
"Significant digits of a sampled element: enough for a heat map's colours. A recording may hold thousands of samples."
STATISTICS_DIGITS = 6
EXACT = 1_000_000
"An array of at most so many elements has statistics over all of them ..."
THIN = 16_384
"... and a larger one over at most so many, evenly spaced along each dimension."
ELEMENT = 40
"Characters of an element that is no number."


class Layout(NamedTuple):
    """What is known of an array without looking at an element."""

    type: str
    shape: tuple[int, ...]
    dtype: str
    device: str = ""
    stride: tuple[int, ...] | None = None
    note: str = ""
    "Said after the shape: a layout, a wrapper."


class Elements(NamedTuple):
    """A numpy array together with how to read it."""

    array: Any
    "`numpy.ndarray`."
    digits: int = 17
    "Significant digits that the element type can tell apart; 17 stands for all."
    decode: Callable[[Any], Any] | None = None
    "Turns stored elements (an ndarray) into numbers, where they are stored in a form that numpy does not know."
    mask: Any = None
    "Boolean ndarray of the same shape, true where an element does not count."

    def read(self, slices: tuple[slice, ...] = ()) -> Any:
        """The numbers, all or those that `slices` select."""
        part = self.array[(*slices, ...)]
        return self.decode(part) if self.decode is not None else part


def assemble(layout: Layout, elements: Elements | None) -> Array:
    """An array of `layout`; without `elements` its layout is all that is shown."""
    if elements is None:
        return array(layout, truncated=math.prod(layout.shape) > 0)
    with sys.modules["numpy"].errstate(all="ignore"):
        if not is_small(layout.shape):
            empty = not math.prod(layout.shape)
            return array(
                layout,
                data=[] if empty else None,
                sample=None if empty else sample(elements, grid(layout.shape)),
                stats=None if empty else statistics(elements),
                truncated=not empty,
            )
        if layout.shape:
            return array(layout, data=nested(elements), stats=statistics(elements))
        data = nested(elements)
        return array(layout, "masked" if data is None else data if type(data) is str else repr(data), data=data)


def assemble_gathered(layout: Layout, gathered: Elements, stats: Stats | None) -> Array:
    """An array whose sample (`gathered`, what `grid` selects) and statistics were taken elsewhere."""
    return array(layout, sample=sample(gathered, ()), stats=stats, truncated=True)


def array(layout: Layout, text: str = "", **more: Any) -> Array:
    """An array of `layout` and whatever else is known of it; its text is its layout, unless given."""
    if not text:
        device = "" if layout.device == "cpu" else layout.device
        said = (layout.dtype.removeprefix("torch."), str(list(layout.shape)), device, layout.note)
        text = " ".join(filter(None, said))
    shown, _ = display.cut(display.printable(text))
    return Array(layout.type, shown, layout.shape, display.name(layout.dtype), layout.device, layout.stride, **more)


def is_small(shape: Sequence[int]) -> bool:
    """Whether an array of this shape is shown whole."""
    return len(shape) <= DIMENSIONS and math.prod(max(n, 1) for n in shape) <= SMALL


def nested(elements: Elements) -> Any:
    """All elements as nested lists, masked ones as None."""
    numbers, mask = _plain_form(elements.read()), elements.mask
    return _whole(numbers.tolist(), elements.digits, numbers.ndim, None if mask is None else mask.tolist())


def sample(elements: Elements, slices: tuple[slice, ...]) -> list[list[Any]]:
    """The elements that `slices` select as a grid; the dimensions before the last are its rows."""
    numbers = _plain_form(elements.read(slices))
    rows = numbers.reshape(-1, numbers.shape[-1])
    mask = None if elements.mask is None else elements.mask[slices].reshape(rows.shape).tolist()
    return _whole(rows.tolist(), SAMPLE_DIGITS, 2, mask)  # type: ignore[no-any-return]


def statistics(elements: Elements) -> Stats | None:
    """What all elements, or an even sample of many, look like together; None where they are not numbers."""
    slices = thinned(elements.array.shape)
    numbers = elements.read(slices)
    numbers = numbers.copy() if slices else numbers  # each scattered element is fetched from memory once, not thrice
    if elements.mask is not None:
        numbers = numbers[~elements.mask[slices]]
    if numbers.dtype.kind in "biuf":
        return _real_statistics(numbers)
    return _complex_statistics(numbers) if numbers.dtype.kind == "c" else None


def spacing(shape: Sequence[int], limit: int) -> tuple[slice, ...]:
    """One slice a dimension, which together select at most `limit` evenly spaced elements."""
    slices = [slice(None)] * len(shape)
    order = sorted(range(len(shape)), key=shape.__getitem__)
    for done, dimension in enumerate(order):
        count = min(shape[dimension], max(1, int(limit ** (1 / (len(shape) - done)) + 1e-9)))
        slices[dimension] = _even(shape[dimension], count)
        limit //= max(count, 1)
    return tuple(slices)


def grid(shape: Sequence[int]) -> tuple[slice, ...]:
    """The slices that select a sample of at most `GRID` by `GRID` elements."""
    return (*spacing(shape[:-1], GRID), _even(shape[-1], GRID))


def thinned(shape: Sequence[int], exact: int = EXACT) -> tuple[slice, ...]:
    """The slices that select the elements statistics are taken over: all of up to `exact`."""
    return spacing(shape, THIN) if math.prod(shape) > exact else ()


def _even(length: int, count: int) -> slice:
    step = max(1, -(-length // max(count, 1)))
    return slice((length - 1) % step // 2 if length else 0, None, step)


def _plain_form(numbers: Any) -> Any:
    """What `tolist` turns into Python's own numbers and texts: of dates it would make bare integers."""
    if numbers.dtype.kind in "mM":
        return numbers.astype(str)
    return numbers.astype("f8") if numbers.dtype.kind == "f" and numbers.dtype.itemsize > 8 else numbers


def _whole(numbers: Any, digits: int, dimensions: int, mask: Any = None) -> Any:
    """Nested lists, as many deep as there are dimensions, with every element as JSON can hold it."""
    if not dimensions:
        return None if mask is True else element(numbers, digits)
    masks = [None] * len(numbers) if mask is None else mask
    return [_whole(part, digits, dimensions - 1, hidden) for part, hidden in zip(numbers, masks, strict=True)]


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
    if depth and numpy is not None and kind is numpy.ndarray and is_small(value.shape):
        return _parts(_plain_form(value).tolist(), digits, depth - 1)
    return _text(value, digits)


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


def complex_text(value: complex, digits: int) -> str:
    """`1+2j`, both parts with `digits` significant digits."""
    real, imaginary = (_shortest(part) if digits >= 17 else f"{part:.{digits}g}" for part in (value.real, value.imag))
    return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"


def _shortest(part: float) -> str:
    return repr(part).removesuffix(".0")


def _real_statistics(numbers: Any) -> Stats:
    count = int(numbers.size)
    if numbers.dtype.kind == "f":
        numbers = numbers.astype("f4", copy=False) if numbers.dtype.itemsize < 4 else numbers
    if not count:
        return Stats(None, None, None, 0, 0, 0)
    low, high = float(numbers.min()), float(numbers.max())
    if math.isfinite(low) and math.isfinite(high):
        return Stats(number(low), number(high), number(float(numbers.mean(dtype="f8"))), 0, 0, count)
    return _finite_statistics(numbers, count)


def _finite_statistics(numbers: Any, count: int) -> Stats:
    """Statistics of numbers some of which are not finite."""
    numpy = sys.modules["numpy"]
    nan = int(numpy.isnan(numbers).sum())
    finite = numbers[numpy.isfinite(numbers)]
    inf = count - nan - int(finite.size)
    if not finite.size:
        return Stats(None, None, None, nan, inf, count)
    low, high, mean = float(finite.min()), float(finite.max()), float(finite.mean(dtype="f8"))
    return Stats(number(low), number(high), number(mean), nan, inf, count)


def _complex_statistics(numbers: Any) -> Stats:
    """Complex numbers have no order; what can be said is how many of them are not finite."""
    numpy = sys.modules["numpy"]
    nan = numpy.isnan(numbers)
    inf = numpy.isinf(numbers) & ~nan
    return Stats(None, None, None, int(nan.sum()), int(inf.sum()), int(numbers.size))


def number(value: float) -> float | None:
    """A statistic with as many digits as are shown; None where it overflowed."""
    return float(f"{value:.{STATISTICS_DIGITS}g}") if math.isfinite(value) else None
