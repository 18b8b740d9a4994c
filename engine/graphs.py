"""Graphs: nodes and edges as a lecture gives them, and an SVG drawing of them."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from engine import assets, sink
from engine.errors import TraceError
from engine.trace import Edge, Graph, Node
from engine.words import clean

NODES, EDGES = 500, 2_000
"The largest graph taken."
_FONT = 13
_CHARACTER = 7.4
"Width of a character of the font, in pixels, somewhat generous."

_TIP = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs>'
)

Place = tuple[float, float]


def specification(
    nodes: Sequence[object], edges: Sequence[object], layout: object, width: float, height: float
) -> dict[str, Any]:
    """A graph as `graph` reads it: dicts of nodes and of edges under `data`, as the original has them."""
    return {
        "nodes": [_node(node) for node in nodes],
        "edges": [_edge(edge) for edge in edges],
        "layout": dict(layout) if isinstance(layout, Mapping) else {"name": str(layout)},
        "stylesheet": [],
        "width": width,
        "height": height,
    }


def drawing(spec: Any, edges: Sequence[object] | None) -> Graph | None:
    """The graph `spec` is, with a drawing of it; None, with a warning, where it is none."""
    try:
        if not isinstance(spec, Mapping):
            spec = specification(*_parts(spec, edges), "layers", 0, 0)
        found = [_node(node) for node in spec["nodes"]]
        arrows = [_edge(edge) for edge in spec.get("edges", ())]
    except (TypeError, KeyError, ValueError) as error:
        sink.warn(f"graph(): this is no graph ({error}); give nodes and edges, see make_graph()")
        return None
    cut = len(found) > NODES or len(arrows) > EDGES
    named = {node["data"]["id"]: node for node in found[:NODES]}
    for arrow in arrows[:EDGES]:
        for end in ("source", "target"):
            if len(named) < NODES:
                named.setdefault(arrow["data"][end], _node(arrow["data"][end]))
    kept = [arrow["data"] for arrow in arrows[:EDGES]]
    kept = [data for data in kept if data["source"] in named and data["target"] in named]
    shown = Graph(
        tuple(Node(name, node["data"]["label"]) for name, node in named.items()),
        tuple(Edge(data["source"], data["target"], data.get("label", "")) for data in kept),
        truncated=cut,
    )
    return _drawn(shown, _places(spec, named, shown))


def _parts(spec: Any, edges: Sequence[object] | None) -> tuple[list[object], list[object]]:
    """Nodes and edges of a list, or of a networkx graph."""
    if hasattr(spec, "nodes") and hasattr(spec, "edges"):
        nodes = [{"id": str(name), "label": str(data.get("label", name))} for name, data in spec.nodes(data=True)]
        ends = [(tail, head, str(data.get("label", ""))) for tail, head, data in spec.edges(data=True)]
        return list(nodes), list(ends)
    return list(spec), list(edges or ())


def _node(node: Any) -> dict[str, Any]:
    """A node in the original's form, from a name, a flat dict, or that form itself."""
    if not isinstance(node, Mapping):
        return {"data": {"id": clean(str(node)), "label": clean(str(node))}}
    data = dict(node.get("data", node))
    place = node.get("position") or ({"x": data.pop("x"), "y": data.pop("y")} if {"x", "y"} <= data.keys() else None)
    data["id"] = clean(str(data["id"]))
    data["label"] = clean(str(data.get("label", data["id"])))
    return {"data": data} | ({"position": dict(place)} if place else {})


def _edge(edge: Any) -> dict[str, Any]:
    """An edge in the original's form, from a pair, a triple, a flat dict, or that form itself."""
    if not isinstance(edge, Mapping):
        source, target, *label = edge
        edge = {"source": source, "target": target} | ({"label": label[0]} if label else {})
    data = dict(edge.get("data", edge))
    for name in ("source", "target", "label"):
        if name != "label" or name in data:
            data[name] = clean(str(data[name]))
    return {"data": data}


# ---------------------------------------------------------------- layout


def _places(spec: Mapping[str, Any], named: Mapping[str, Any], shown: Graph) -> dict[str, Place]:
    """The centre of each node, in pixels."""
    layout = spec.get("layout", {})
    name = layout if isinstance(layout, str) else layout.get("name", "")
    placed = {key: node["position"] for key, node in named.items() if "position" in node}
    if name == "preset" and len(placed) == len(named):
        return {key: (float(place["x"]), float(place["y"])) for key, place in placed.items()}
    if name == "circle":
        return _circle(list(named))
    if name == "grid":
        side = math.ceil(math.sqrt(len(named)))
        return {key: ((k % side) * 140.0, (k // side) * 80.0) for k, key in enumerate(named)}
    return _layers(shown)


def _circle(names: list[str]) -> dict[str, Place]:
    radius = max(60.0, 24.0 * len(names))
    turn = [2 * math.pi * k / max(len(names), 1) for k in range(len(names))]
    return {
        name: (radius * math.sin(angle), -radius * math.cos(angle)) for name, angle in zip(names, turn, strict=True)
    }


def _layers(shown: Graph) -> dict[str, Place]:
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


# ---------------------------------------------------------------- drawing


def _drawn(shown: Graph, places: dict[str, Place]) -> Graph:
    svg = _svg(shown, places)
    try:
        file = assets.save("graph", "graph", ".svg", svg.encode()) if sink.current is not None else ""
    except TraceError as error:
        sink.warn(f"graph(): {error}")
        file = ""
    return Graph(shown.nodes, shown.edges, file, shown.truncated)


def _svg(shown: Graph, places: dict[str, Place]) -> str:
    sizes = {node.id: (_wide(node.label), 16.0 + _FONT * 1.3 * len(node.label.split("\n"))) for node in shown.nodes}
    xs = [x + side * sizes[key][0] / 2 for key, (x, _) in places.items() for side in (-1, 1)] or [0.0]
    ys = [y + side * sizes[key][1] / 2 for key, (_, y) in places.items() for side in (-1, 1)] or [0.0]
    left, top, wide, high = min(xs) - 12, min(ys) - 12, max(xs) - min(xs) + 24, max(ys) - min(ys) + 24
    arrows = [_arrow(edge, places, sizes) for edge in shown.edges]
    boxes = [_box(node, places[node.id], sizes[node.id]) for node in shown.nodes]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {wide:.0f} {high:.0f}"'
        f' width="{wide:.0f}" height="{high:.0f}" font-family="sans-serif" font-size="{_FONT}" text-anchor="middle">'
    )
    return "\n".join([head, _TIP, *arrows, *boxes, "</svg>", ""])


def _box(node: Node, place: Place, size: Place) -> str:
    (x, y), (wide, high) = place, size
    lines = node.label.split("\n")
    first = y + _FONT * 0.35 - _FONT * 0.65 * (len(lines) - 1)
    words = "".join(
        f'<text x="{x:.1f}" y="{first + _FONT * 1.3 * k:.1f}" fill="#112">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<rect x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"'
        f' fill="#f4f6fb" stroke="#667"/>{words}'
    )


def _arrow(edge: Edge, places: dict[str, Place], sizes: dict[str, Place]) -> str:
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    if edge.source == edge.target:
        x, y = x1 + sizes[edge.source][0] / 2, y1
        path = f"M{x:.1f} {y - 5:.1f} C{x + 30:.1f} {y - 25:.1f} {x + 30:.1f} {y + 25:.1f} {x:.1f} {y + 5:.1f}"
        middle = (x + 30, y)
    else:
        (ax, ay), (bx, by) = _border(x1, y1, x2, y2, sizes[edge.source]), _border(x2, y2, x1, y1, sizes[edge.target])
        path = f"M{ax:.1f} {ay:.1f} L{bx:.1f} {by:.1f}"
        middle = ((ax + bx) / 2, (ay + by) / 2)
    label = f'<text x="{middle[0]:.1f}" y="{middle[1] - 4:.1f}" fill="#445">{escape(edge.label)}</text>'
    return f'<path d="{path}" fill="none" stroke="#667" marker-end="url(#head)"/>{label if edge.label else ""}'


def _border(x: float, y: float, to_x: float, to_y: float, size: Place) -> Place:
    """Where the line from the centre (x, y) of a box towards (to_x, to_y) leaves the box."""
    dx, dy = to_x - x, to_y - y
    if dx == dy == 0:
        return x, y
    scale = min(size[0] / 2 / abs(dx) if dx else math.inf, size[1] / 2 / abs(dy) if dy else math.inf, 0.5)
    return x + dx * scale, y + dy * scale
