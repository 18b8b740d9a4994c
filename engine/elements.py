"""The elements of an array as far as they are shown: all of a small one, of a larger one a sample and its statistics.

Works on numpy arrays, of any strides; only the elements looked at are ever copied.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine import display
from engine.cells import SAMPLE_DIGITS, is_small, plain_form, whole
from engine.trace import Array, Stats

GRID = 24
"Rows and columns of a sample."
STATISTICS_DIGITS = 6
EXACT = 1_000_000
"An array of at most so many elements has statistics over all of them ..."
THIN = 16_384
"... and a larger one over at most so many, evenly spaced along each dimension."


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
    "ndarray of the same shape, of truth values or records of them: true where an element or a field does not count."

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


def nested(elements: Elements) -> Any:
    """All elements as nested lists, masked ones as None."""
    numbers, mask = plain_form(elements.read()), elements.mask
    return whole(numbers.tolist(), elements.digits, numbers.ndim, None if mask is None else mask.tolist())


def sample(elements: Elements, slices: tuple[slice, ...]) -> list[list[Any]]:
    """The elements that `slices` select as a grid; the dimensions before the last are its rows."""
    numbers = plain_form(elements.read(slices))
    rows = numbers.reshape(-1, numbers.shape[-1])
    mask = None if elements.mask is None else elements.mask[slices].reshape(rows.shape).tolist()
    return whole(rows.tolist(), SAMPLE_DIGITS, 2, mask)  # type: ignore[no-any-return]


def statistics(elements: Elements) -> Stats | None:
    """What all elements, or an even sample of many, look like together; None where they are not numbers."""
    slices = thinned(elements.array.shape)
    numbers = elements.read(slices)
    numbers = numbers.copy() if slices else numbers  # each scattered element is fetched from memory once, not thrice
    if elements.mask is not None and elements.mask.dtype.kind == "b":
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
