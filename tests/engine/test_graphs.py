"""A graph keeps its nodes and edges, and is drawn."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import graph, make_graph
from engine.graph_svg import svg
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


@given(st.lists(st.text(max_size=5), min_size=1, max_size=6), st.sampled_from(["", "circle", "grid", "preset"]))
@settings(max_examples=60)
def test_any_words_make_a_drawing_that_is_xml(words: list[str], layout: str):
    edges = tuple(Edge(words[0], word, word) for word in words)
    shown = Graph(tuple(Node(name, name) for name in dict.fromkeys(words)), edges)
    root = ElementTree.fromstring(svg(shown, {}, layout))
    assert len(root.findall("{http://www.w3.org/2000/svg}rect")) == len(set(words))
    assert "nan" not in root.attrib["viewBox"]


def test_a_place_that_is_none_leaves_the_drawing_to_the_layers(heard: Hearing):
    graph(make_graph([{"id": "a", "x": float("nan"), "y": 0}, {"id": "b", "x": "left", "y": 0}], [("a", "b")]))
    assert b"nan" not in heard.file(heard.outputs[0].file)


def test_an_edge_bends_around_what_is_in_its_way():
    nodes = tuple(Node(name, name) for name in "abc")
    drawn = svg(Graph(nodes, (Edge("a", "b"), Edge("b", "c"), Edge("a", "c"))), {}, "layers")
    paths = re.findall(r'<path d="M(\S+) \S+ Q(\S+) \S+ (\S+) \S+"', drawn)
    straight = [start == middle == end for start, middle, end in paths]
    assert straight == [True, True, False]


def test_a_large_graph_is_cut_and_says_so(heard: Hearing):
    graph(list(range(600)), [(k, k + 1) for k in range(599)])
    shown = heard.outputs[0]
    assert (len(shown.nodes), len(shown.edges), shown.truncated) == (500, 499, True)


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
