"""Graphs: nodes and edges as a lecture gives them, and an SVG drawing of them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine import assets, sink
from engine.errors import TraceError
from engine.graph_svg import svg
from engine.trace import Edge, Graph, Node
from engine.words import clean

NODES, EDGES, LABEL = 500, 2_000, 200
"The largest graph taken, and the most characters of a node's label."


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
        nodes = {node["data"]["id"]: node for node in map(_node, spec["nodes"])}
        arrows = [_edge(edge)["data"] for edge in spec.get("edges", ())]
    except (TypeError, KeyError, ValueError) as error:
        sink.warn(f"graph(): this is no graph ({error}); give nodes and edges, see make_graph()")
        return None
    for name in (arrow[end] for arrow in arrows for end in ("source", "target")):
        nodes.setdefault(name, _node(name))
    cut = len(nodes) > NODES or len(arrows) > EDGES
    nodes = dict(list(nodes.items())[:NODES])
    arrows = [arrow for arrow in arrows[:EDGES] if arrow["source"] in nodes and arrow["target"] in nodes]
    shown = Graph(
        tuple(Node(name, node["data"]["label"]) for name, node in nodes.items()),
        tuple(Edge(arrow["source"], arrow["target"], arrow.get("label", "")) for arrow in arrows),
        truncated=cut,
    )
    return _drawn(shown, svg(shown, _positions(nodes), _layout(spec)))


def _positions(nodes: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Where the lecture puts its nodes, those that have a place."""
    found = {}
    for name, node in nodes.items():
        place = node.get("position", {})
        try:
            x, y = float(place["x"]), float(place["y"])
        except (TypeError, KeyError, ValueError):
            continue
        if math.isfinite(x) and math.isfinite(y):
            found[name] = x, y
    return found


def _layout(spec: Mapping[str, Any]) -> str:
    layout = spec.get("layout", "")
    return str(layout.get("name", "") if isinstance(layout, Mapping) else layout)


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
        return {"data": {"id": clean(str(node)), "label": clean(str(node))[:LABEL]}}
    data = dict(node.get("data", node))
    place = node.get("position") or ({"x": data.pop("x"), "y": data.pop("y")} if {"x", "y"} <= data.keys() else None)
    data["id"] = clean(str(data["id"]))
    data["label"] = clean(str(data.get("label", data["id"])))[:LABEL]
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


def _drawn(shown: Graph, drawing: str) -> Graph:
    """`shown` with the name of its drawing under `files/`."""
    try:
        file = assets.save("graph", "graph", ".svg", drawing.encode()) if sink.current is not None else ""
    except TraceError as error:
        sink.warn(f"graph(): {error}")
        file = ""
    return Graph(shown.nodes, shown.edges, file, shown.truncated)
