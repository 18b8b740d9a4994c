"""A graph keeps its nodes and edges, and is drawn."""

import pytest

from engine import graph, make_graph
from engine.trace import Edge, Graph, Node
from tests.engine.hearing import Hearing


def test_a_graph_keeps_its_nodes_and_edges(heard: Hearing):
    nodes = [{"id": 1, "label": "one", "x": 0, "y": 0}, {"id": 2, "x": 90, "y": 0}]
    graph(make_graph(nodes, [{"source": 1, "target": 2}]))
    shown = heard.outputs[0]
    assert shown == Graph((Node("1", "one"), Node("2", "2")), (Edge("1", "2"),), shown.file)
    assert heard.file(shown.file).startswith(b"<svg")


def test_other_ways_to_write_a_graph(heard: Hearing):
    graph(["a"], [("a", "b", "to")])
    shown = heard.outputs[0]
    assert shown == Graph((Node("a", "a"), Node("b", "b")), (Edge("a", "b", "to"),), shown.file)


def test_make_graph_gives_what_the_original_gives():
    node, edge = {"id": 1, "x": 0, "y": 5, "size": 3}, {"source": 1, "target": 1, "label": "self"}
    made = make_graph([node], [edge], layout="circle")
    assert made == {
        "nodes": [{"position": {"x": 0, "y": 5}, "data": {"id": "1", "label": "1", "size": 3}}],
        "edges": [{"data": {"source": "1", "target": "1", "label": "self"}}],
        "layout": {"name": "circle"}, "stylesheet": [], "width": 500, "height": 200,
    }  # fmt: skip


@pytest.mark.parametrize("layout", ["circle", "grid", "breadthfirst", {"name": "preset"}])
def test_every_layout_draws_every_node_apart(heard: Hearing, layout):
    graph(make_graph(list("abcd"), [("a", "b"), ("b", "c"), ("c", "a"), ("d", "d")], layout=layout))
    drawing = heard.file(heard.outputs[0].file).decode()
    boxes = {part.split('" width')[0] for part in drawing.split("<rect ")[1:]}
    assert len(boxes) == 4


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (5, "'int' object is not iterable"),
        ({"edges": []}, "'nodes'"),
        ({"nodes": [{"name": "a"}]}, "'id'"),
        ({"nodes": [], "edges": ["abc"]}, None),
    ],
)
def test_what_is_no_graph_is_said(heard: Hearing, spec, why):
    graph(spec)
    if why is None:
        assert heard.outputs[0].edges == (Edge("a", "b", "c"),)
    else:
        assert heard.warnings == [f"graph(): this is no graph ({why}); give nodes and edges, see make_graph()"]
