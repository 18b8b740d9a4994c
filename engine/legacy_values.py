"""The values of original recordings: plain JSON of the first engine, and edtrace's `type contents dtype shape`."""

import math
from typing import Any

from engine import display
from engine.cells import SAMPLE_DIGITS, element, is_small
from engine.containers import ITEMS
from engine.elements import Layout, array, grid, number, thinned
from engine.trace import Array, Mapping, Object, Scalar, Sequence, Stats, Value
from engine.values import DEPTH, PARTS, ValueTable

DICTS = ("dict", "defaultdict", "Counter", "OrderedDict")
"Types whose contents are keys and values; those of other types are attributes."
_SEQUENCES = {"list": "[]", "tuple": "()", "set": "{}"}


class LegacyValues:
    """A table of values, filled with what an original recording says of them."""

    def __init__(self) -> None:
        self.table = ValueTable()
        self.parts = 0

    def add(self, value: Any) -> int:
        """The number of one entry of a step's `env`."""
        self.parts = 0
        return self._add(value, 0)

    def _add(self, value: Any, depth: int) -> int:
        self.parts += 1
        if not (isinstance(value, dict) and isinstance(value.get("type"), str) and "contents" in value):
            return self.table.add(value)
        return self.table.intern(self._typed(value, value["type"].rpartition(".")[2], depth))

    def _typed(self, value: dict[str, Any], kind: str, depth: int) -> Value:
        contents, shape = value["contents"], value.get("shape")
        name = display.name(kind)
        if isinstance(shape, list) and all(type(n) is int and 0 <= n < 2**53 for n in shape):
            return _array(Layout(name, tuple(shape), str(value.get("dtype") or "")), contents)
        room = min(ITEMS, PARTS - self.parts) if depth < DEPTH else 0
        if isinstance(contents, list):
            return self._sequence(name, contents, depth, room)
        if isinstance(contents, dict):
            return self._named(name, contents, depth, room)
        return Scalar(name, *_scalar(kind, contents))

    def _sequence(self, name: str, contents: list[Any], depth: int, room: int) -> Sequence:
        numbers = [self._add(part, depth + 1) for part in contents[: max(room, 0)]]
        texts = [self.table.values[part].text for part in numbers]
        brackets = _SEQUENCES.get(name)
        opening, closing = (brackets[0], brackets[1]) if brackets else (f"{name}([", "])")
        if brackets == "()" and len(contents) == 1:
            closing = ",)"
        text, more = display.enclosed(opening, texts, closing, len(numbers) < len(contents))
        return Sequence(name, text, len(contents), tuple(numbers), more)

    def _named(self, name: str, contents: dict[str, Any], depth: int, room: int) -> Mapping | Object:
        """A dict, whose keys the recording has as strings, or an object."""
        shown = list(contents.items())[: max(room // 2, 0)]
        numbers = [self._add(part, depth + 1) for _, part in shown]
        texts = [self.table.values[part].text for part in numbers]
        left_out = len(shown) < len(contents)
        if name in DICTS:
            keys = [self.table.add(key) for key, _ in shown]
            lines = (f"{self.table.values[key].text}: {text}" for key, text in zip(keys, texts, strict=True))
            text, more = display.enclosed("{", lines, "}", left_out)
            return Mapping(name, text, len(contents), tuple(zip(keys, numbers, strict=True)), more)
        names = [display.name(key) for key, _ in shown]
        lines = (f"{key}={text}" for key, text in zip(names, texts, strict=True))
        text, more = display.enclosed(f"{name}(", lines, ")", left_out)
        return Object(name, text, tuple(zip(names, numbers, strict=True)), more)


def _scalar(kind: str, contents: Any) -> tuple[str, bool]:
    """The text of a value without parts; contents that are a string for another type are what `str` said of it."""
    if isinstance(contents, str):
        return display.literal(contents) if kind == "str" else display.one_line(contents)
    return display.integer(contents) if type(contents) is int else (repr(contents), False)


def _array(layout: Layout, contents: Any) -> Array:
    """An array whose elements the recording has as nested lists, all of them."""
    try:
        return _with_elements(layout, contents)
    except (TypeError, ValueError, OverflowError):  # the lists have another shape
        return array(layout, truncated=True)


def _with_elements(layout: Layout, contents: Any) -> Array:
    dimensions = len(layout.shape)
    if not dimensions:
        shown = element(contents, 17)
        return array(layout, shown if isinstance(shown, str) else repr(shown), data=shown)
    if 0 in layout.shape:
        return array(layout, data=[])
    whole = (slice(None),) * dimensions
    stats = _statistics(_rows(contents, layout.shape, thinned(layout.shape) or whole))
    if is_small(layout.shape):
        return array(layout, data=_nested(contents, dimensions), stats=stats)
    rows = _rows(contents, layout.shape, grid(layout.shape))
    sample = [[element(part, SAMPLE_DIGITS) for part in row] for row in rows]
    return array(layout, sample=sample, stats=stats, truncated=True)


def _nested(contents: Any, dimensions: int) -> Any:
    return [_nested(part, dimensions - 1) for part in contents] if dimensions else element(contents, 17)


def _rows(contents: Any, shape: tuple[int, ...], slices: tuple[slice, ...]) -> list[list[Any]]:
    """The selected elements, one list a place in the dimensions before the last. ValueError for another shape."""
    if not isinstance(contents, list) or len(contents) != shape[0]:
        raise ValueError("another shape")
    if len(slices) == 1:
        return [contents[slices[0]]]
    return [row for part in contents[slices[0]] for row in _rows(part, shape[1:], slices[1:])]


def _statistics(rows: list[list[Any]]) -> Stats | None:
    numbers = [float(part) for row in rows for part in row]
    finite = [part for part in numbers if math.isfinite(part)]
    nan = sum(math.isnan(part) for part in numbers)
    inf = len(numbers) - len(finite) - nan
    if not finite:
        return Stats(None, None, None, nan, inf, len(numbers))
    mean = number(sum(finite) / len(finite))
    return Stats(number(min(finite)), number(max(finite)), mean, nan, inf, len(numbers))
