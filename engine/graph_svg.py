"""A graph as an SVG: boxes with words, arrows that avoid them."""

import math
import re
from collections.abc import Mapping
from html import escape

from engine.trace import Edge, Graph, Node

_FONT = 13
_CHARACTER = 7.4
"Width of a character of the font, in pixels, somewhat generous."
_TIP = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs>'
)

Place = tuple[float, float]


def svg(shown: Graph, positions: Mapping[str, Place], layout: str) -> str:
    """The drawing of a graph.

    `layout` is `preset` (`positions`, in pixels), `circle` or `grid`; any other is in layers from top to bottom.
    """
    places = _places(shown, positions, layout)
    sizes = {node.id: (_wide(node.label), 16.0 + _FONT * 1.3 * len(node.label.split("\n"))) for node in shown.nodes}
    straight = len(shown.edges) > 200  # looking for what is in the way takes edges times nodes
    bends = [0.0 if straight else _bend(edge, shown, places, sizes) for edge in shown.edges]
    xs = [x + side * sizes[key][0] / 2 for key, (x, _) in places.items() for side in (-1, 1)] or [0.0]
    ys = [y + side * sizes[key][1] / 2 for key, (_, y) in places.items() for side in (-1, 1)] or [0.0]
    margin = 12 + max(bends, default=0.0)
    left, top = min(xs) - margin, min(ys) - margin
    wide, high = max(xs) + margin - left, max(ys) + margin - top
    arrows = [_arrow(edge, places, sizes, bend) for edge, bend in zip(shown.edges, bends, strict=True)]
    boxes = [_box(node, places[node.id], sizes[node.id]) for node in shown.nodes]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {wide:.0f} {high:.0f}"'
        f' width="{wide:.0f}" height="{high:.0f}" font-family="sans-serif" font-size="{_FONT}" text-anchor="middle">'
    )
    return "\n".join([head, _TIP, *arrows, *boxes, "</svg>", ""])


def _places(shown: Graph, positions: Mapping[str, Place], layout: str) -> Mapping[str, Place]:
    """The centre of each node, in pixels."""
    names = [node.id for node in shown.nodes]
    if layout == "preset" and len(positions) == len(names):
        return positions
    if layout == "circle":
        return _circle(names)
    if layout == "grid":
        side = math.ceil(math.sqrt(len(names)))
        return {name: ((k % side) * 140.0, (k // side) * 80.0) for k, name in enumerate(names)}
    return _layers(shown)


def _circle(names: list[str]) -> Mapping[str, Place]:
    radius = max(60.0, 24.0 * len(names))
    turn = [2 * math.pi * k / max(len(names), 1) for k in range(len(names))]
    return {
        name: (radius * math.sin(angle), -radius * math.cos(angle)) for name, angle in zip(names, turn, strict=True)
    }


def _layers(shown: Graph) -> Mapping[str, Place]:
    """Each node below all that point to it (cycles are cut after as many rounds as there are nodes)."""
    level = {node.id: 0 for node in shown.nodes}
    for _ in shown.nodes:
        before = dict(level)
        for edge in shown.edges:
            if edge.source != edge.target and level[edge.source] + 1 < len(level):
                level[edge.target] = max(level[edge.target], level[edge.source] + 1)
        if level == before:
            break
    places: dict[str, Place] = {}
    for depth in sorted(set(level.values())):
        row = [node for node in shown.nodes if level[node.id] == depth]
        widths = [_wide(node.label) + 40 for node in row]
        left = -sum(widths) / 2
        for node, width in zip(row, widths, strict=True):
            places[node.id] = (left + width / 2, depth * 90.0)
            left += width
    return places


def _wide(label: str) -> float:
    return max(36.0, _CHARACTER * max(map(len, label.split("\n"))) + 20)


def _box(node: Node, place: Place, size: Place) -> str:
    (x, y), (wide, high) = place, size
    lines = node.label.split("\n")
    first = y + _FONT * 0.35 - _FONT * 0.65 * (len(lines) - 1)
    words = "".join(
        f'<text x="{x:.1f}" y="{first + _FONT * 1.3 * k:.1f}" fill="#112">{_escaped(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<rect x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"'
        f' fill="#f4f6fb" stroke="#667"/>{words}'
    )


def _arrow(edge: Edge, places: Mapping[str, Place], sizes: Mapping[str, Place], bend: float) -> str:
    """An edge from border to border, bent sideways by `bend` pixels at its middle."""
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    if edge.source == edge.target:
        x, y = x1 + sizes[edge.source][0] / 2, y1
        path = f"M{x:.1f} {y - 5:.1f} C{x + 30:.1f} {y - 25:.1f} {x + 30:.1f} {y + 25:.1f} {x:.1f} {y + 5:.1f}"
        middle = (x + 30, y)
    else:
        long = math.hypot(x2 - x1, y2 - y1) or 1.0
        aside = (y1 - y2) / long * bend, (x2 - x1) / long * bend
        by = (x1 + x2) / 2 + 2 * aside[0], (y1 + y2) / 2 + 2 * aside[1]  # a parabola passes half as far out
        (ax, ay), (bx, by_) = _border(x1, y1, *by, sizes[edge.source]), _border(x2, y2, *by, sizes[edge.target])
        path = f"M{ax:.1f} {ay:.1f} Q{by[0]:.1f} {by[1]:.1f} {bx:.1f} {by_:.1f}"
        middle = (x1 + x2) / 2 + aside[0], (y1 + y2) / 2 + aside[1]
    label = (
        f'<text x="{middle[0]:.1f}" y="{middle[1] + _FONT * 0.35:.1f}" fill="#334" stroke="#fff" stroke-width="4"'
        f' paint-order="stroke">{_escaped(edge.label)}</text>'
    )
    return f'<path d="{path}" fill="none" stroke="#667" marker-end="url(#head)"/>{label if edge.label else ""}'


def _bend(edge: Edge, shown: Graph, places: Mapping[str, Place], sizes: Mapping[str, Place]) -> float:
    """How far an edge must bend so that it runs neither through a box nor along the edge that comes back."""
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    long = math.hypot(x2 - x1, y2 - y1) or 1.0
    bend = 14.0 if any((e.source, e.target) == (edge.target, edge.source) for e in shown.edges) else 0.0
    for name, (x, y) in places.items():
        along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / long
        across = abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)) / long
        half = max(sizes[name]) / 2
        if name not in (edge.source, edge.target) and 0 < along < long and across < half:
            bend = max(bend, half + 24)
    return bend


def _border(x: float, y: float, to_x: float, to_y: float, size: Place) -> Place:
    """Where the line from the centre (x, y) of a box towards (to_x, to_y) leaves the box."""
    dx, dy = to_x - x, to_y - y
    if dx == dy == 0:
        return x, y
    scale = min(size[0] / 2 / abs(dx) if dx else math.inf, size[1] / 2 / abs(dy) if dy else math.inf, 0.5)
    return x + dx * scale, y + dy * scale


def _escaped(words: str) -> str:
    """`words` as XML 1.0 may hold them: most control characters it may not."""
    return escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", words))
