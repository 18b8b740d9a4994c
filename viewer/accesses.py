"""What a program instance reads and writes, as the page draws it and says it.

A tensor is a plane of unit cells, one an element: a vector as a strip wrapped into rows, a matrix as rows and columns,
with more dimensions its matrices one below the other. Where a block overhangs the tensor, the plane reaches as far.
Shapes are SVG paths in these units.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import ceil, log2, prod, sqrt
from typing import Any

from engine.trace import Access, Instance, Recording, Slice, Tensor, sums

WIDTH, HEIGHT, CELL = 240, 128, 14
"Pixels that a picture takes at most, and a cell."
ALIKE = 4
"Tensors of a launch that would be drawn at scales within this factor are drawn at one scale."
FINE = 5
"Pixels from which on cells are set apart by lines."
ROW = 32
"Elements in the shortest row of a wrapped strip."
CELLS = 256
"Single cells that a box with gaps is drawn as; one with more is drawn without its gaps."
PLANES = 64
"Matrices drawn of a tensor of more than two dimensions."
SAID = 6
"Accesses said of a line on the page that needs no script."

Box = tuple[Slice, ...]
Rectangle = tuple[int, int, int, int]
"Column, row, width and height."


def inside(recording: Recording) -> dict[str, Any]:
    """The program instances for the page's data file."""
    trace = recording.trace
    boxes: list[list[Box]] = [[] for _ in trace.tensors]
    for access in trace.access_table:
        if access.tensor >= 0:
            boxes[access.tensor] += access.elements.boxes + access.masked.boxes
    planes = [Plane(tensor, found) for tensor, found in zip(trace.tensors, boxes, strict=True)]
    return {
        "instances": [_instance(recording, instance, planes) for instance in trace.instances],
        "accesses": [_access(access, planes) for access in trace.access_table],
    }


def words(recording: Recording, instance: Instance) -> str:
    """`gelu_kernel, program instance (3) of grid (8)`."""
    index, grid = (f"({', '.join(map(str, numbers))})" for numbers in (instance.index, instance.grid))
    return f"{recording.trace.kernels[instance.kernel].name}, program instance {index} of grid {grid}"


def said(recording: Recording) -> dict[tuple[int, int], tuple[str, ...]]:
    """By number and line of a file, what the instances did there, in words."""
    trace = recording.trace
    found: dict[tuple[int, int], dict[str, None]] = {}
    for instance in trace.instances:
        who = words(recording, instance)
        for step, number in zip(sums(instance.accesses.step), instance.accesses.item, strict=True):
            place = trace.steps.place[step]
            lines = found.setdefault((trace.places.file[place], trace.places.line[place]), {})
            lines[f"{who}: {trace.access_table[number].text}"] = None
    return {where: _cut(list(lines)) for where, lines in found.items()}


def _cut(lines: list[str]) -> tuple[str, ...]:
    return tuple(lines if len(lines) <= SAID else [*lines[:SAID], f"and {len(lines) - SAID:,} more accesses"])


def _instance(recording: Recording, instance: Instance, planes: list["Plane"]) -> dict[str, Any]:
    scales = {number: planes[number].scale() for number in instance.tensors}
    least = min(scales.values(), default=1)
    shared = {number: least if own <= ALIKE * least else own for number, own in scales.items()}
    return {
        "activation": recording.activation[instance.step],
        "words": words(recording, instance),
        "tensors": [{"number": number} | planes[number].picture(shared[number]) for number in instance.tensors],
        "step": instance.accesses.step,
        "access": instance.accesses.item,
    }


def _access(access: Access, planes: list["Plane"]) -> dict[str, Any]:
    plane = planes[access.tensor] if access.tensor >= 0 else None
    return {
        "tensor": access.tensor,
        "operation": access.operation,
        "text": access.text,
        "fault": bool(access.outside),
        "elements": plane.path(access.elements.boxes) if plane else "",
        "masked": plane.path(access.masked.boxes) if plane else "",
    }


class Plane:
    """Where the elements of a tensor are drawn, `boxes` of which, and perhaps beyond it, are accessed."""

    def __init__(self, tensor: Tensor, boxes: Iterable[Box]) -> None:
        self.tensor = tensor
        whole = tuple((0, size, 1) for size in tensor.shape)
        reach = list(zip(whole, *boxes, strict=True))
        self.low = [min(along[0] for along in slices) for slices in reach]
        self.high = [max(along[1] for along in slices) for slices in reach]
        self.wrapped = len(whole) == 1 and self.high[0] > ROW
        self.row = max(ROW, 2 ** ceil(log2(sqrt(4 * self.high[0])))) if self.wrapped else 0
        self.whole = (whole,) if prod(tensor.shape) else ()

    def rectangles(self, box: Box) -> Iterator[Rectangle]:
        """What a box is drawn as."""
        if len(box) == 1:
            for start, stop in _spans(box[0]):
                yield from self._strip(start, stop)
            return
        *outer, rows, columns = [(0, 1, 1)] * (2 - len(box)) + list(box)
        places = len(range(*rows)) * len(range(*columns))
        spans = product(*(_spans(along) if places <= CELLS else [along[:2]] for along in (rows, columns)))
        shapes = [(left, top, right - left, bottom - top) for (top, bottom), (left, right) in spans]
        for number in self._planes(outer):
            down = number * (self.high[-2] - self.low[-2] + 1) if outer else 0
            yield from ((left, top + down, width, height) for left, top, width, height in shapes)

    def _planes(self, outer: list[Slice]) -> Iterator[int]:
        """Numbers of the matrices at some places in the outer dimensions, of those that are drawn."""
        extents = [high - low for low, high in zip(self.low[:-2], self.high[:-2], strict=True)]
        for number in range(min(prod(extents), PLANES)):
            place: list[int] = []
            rest = number
            for low, extent in zip(self.low[-3::-1], extents[::-1], strict=True):
                rest, at = divmod(rest, extent)
                place.insert(0, low + at)
            if all(at in range(*along) for at, along in zip(place, outer, strict=True)):
                yield number

    def _strip(self, start: int, stop: int) -> Iterator[Rectangle]:
        """Cells of a vector, from one to another, in its rows."""
        if not self.wrapped:
            yield start, 0, stop - start, 1
            return
        first, last = start // self.row, (stop - 1) // self.row
        if first == last:
            yield start % self.row, first, stop - start, 1
            return
        full = first + bool(start % self.row)
        end = last + (stop % self.row == 0)
        if full > first:
            yield start % self.row, first, self.row - start % self.row, 1
        if end > full:
            yield 0, full, self.row, end - full
        if end == last:
            yield 0, last, stop % self.row, 1

    def path(self, boxes: Iterable[Box]) -> str:
        """Boxes as an SVG path."""
        shapes = (shape for box in boxes for shape in self.rectangles(box))
        return "".join(f"M{left} {top}h{width}v{height}h-{width}z" for left, top, width, height in shapes)

    def view(self) -> Rectangle:
        """The part of the plane to be shown."""
        shapes = [*self.rectangles(tuple((low, high, 1) for low, high in zip(self.low, self.high, strict=True)))]
        left, top = min(shape[0] for shape in shapes), min(shape[1] for shape in shapes)
        right, bottom = max(x + width for x, _, width, _ in shapes), max(y + height for _, y, _, height in shapes)
        return left, top, max(1, right - left), max(1, bottom - top)

    def scale(self) -> float:
        """Pixels a cell at most."""
        _, _, columns, rows = self.view()
        return min(WIDTH / columns, HEIGHT / rows, CELL)

    def picture(self, scale: float) -> dict[str, Any]:
        """What stays the same from step to step, at so many pixels a cell."""
        _, _, columns, rows = view = self.view()
        width, height = max(columns * scale, min(4 * columns, 24)), max(rows * scale, min(4 * rows, 24))
        return {
            "name": self.tensor.name,
            "words": self._words(columns * rows / (width * height)),
            "view": view,
            "size": [round(width), round(height)],
            "edge": self.path(self.whole),
            "lines": self._lines() if scale >= FINE else "",
        }

    def _lines(self) -> str:
        """What sets the tensor's cells apart, as an SVG path."""
        found = []
        for left, top, columns, rows in (shape for box in self.whole for shape in self.rectangles(box)):
            found += [f"M{left + x} {top}v{rows}" for x in range(1, columns)]
            found += [f"M{left} {top + y}h{columns}" for y in range(1, rows)]
        return "".join(found)

    def _words(self, density: float) -> str:
        """Element type, shape, and how it is drawn."""
        shape = self.tensor.shape
        said = [f"{self.tensor.dtype.removeprefix('torch.')} [{', '.join(map(str, shape))}]"]
        if self.wrapped:
            said.append(f"rows of {self.row}")
        if prod(shape[:-2]) > PLANES:
            said.append(f"the first {PLANES} of {prod(shape[:-2]):,} matrices")
        if density >= 1.5:
            said.append(f"{density:.2g} elements a pixel" if density < 10 else f"{density:,.0f} elements a pixel")
        return ", ".join(said)


def _spans(along: Slice) -> list[tuple[int, int]]:
    """A slice as runs without gaps; as one run where it has too many."""
    start, stop, step = along
    return [(start, stop)] if step == 1 or len(range(*along)) > CELLS else [(at, at + 1) for at in range(*along)]
