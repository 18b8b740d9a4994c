"""A chart is kept as strict JSON and as a drawing, the same bytes each time, and drawing changes nothing."""

import json
import math
import sys

import msgspec
import pytest

from engine import figures, plot
from engine.trace import Plot
from tests.engine.hearing import Hearing

BARS = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "title": "Time over dimension",
    "data": {"values": [{"dim": 1, "ms": 2.5}, {"dim": 2, "ms": math.nan}]},
    "mark": "bar",
    "encoding": {"x": {"field": "dim", "type": "ordinal"}, "y": {"field": "ms", "type": "quantitative"}},
}


def strictly(shown: Plot) -> object:
    """The specification as a reader that knows no NaN reads it."""
    return json.loads(msgspec.json.encode(shown.spec), parse_constant=pytest.fail)


# ---------------------------------------------------------------- Vega-Lite


def test_vega_lite(heard: Hearing):
    plot(BARS)
    shown = heard.outputs[0]
    assert (shown.library, shown.alt, heard.warnings) == ("vega-lite", "Time over dimension", [])
    assert strictly(shown)["data"] == {"values": [{"dim": 1, "ms": 2.5}, {"dim": 2, "ms": None}]}
    assert heard.files == [shown.file]
    assert b"Time over dimension" in heard.file(shown.file)
    assert math.isnan(BARS["data"]["values"][1]["ms"])  # the lecture's own dict is as it was


def test_vega_lite_as_text_and_twice(heard: Hearing):
    plot(BARS)
    plot(json.dumps(BARS))
    assert heard.outputs[0] == heard.outputs[1]
    assert len(heard.files) == 1


def test_altair(heard: Hearing):
    altair = pytest.importorskip("altair")
    data = altair.Data(values=[{"dim": 1, "ms": 2}])
    plot(altair.Chart(data).mark_line().encode(x="dim:Q", y="ms:Q"))
    shown = heard.outputs[0]
    assert (shown.library, shown.alt, heard.warnings) == ("vega-lite", "ms over dim", [])
    assert heard.file(shown.file).startswith(b"<svg")


def test_the_authors_words_come_first(heard: Hearing):
    plot(BARS, alt="What to see")
    assert heard.outputs[0].alt == "What to see"


def test_data_at_an_address_is_said_and_never_asked_for(heard: Hearing):
    plot({**BARS, "data": {"url": "https://a.example/data.json"}})
    assert heard.outputs[0].file == ""
    assert heard.warnings[0] == (
        "plot(): the chart's data is at an address, which a reader's page never asks for; put the values in"
    )
    assert "External data url not allowed" in heard.warnings[1] or "cannot be drawn" in heard.warnings[1]


def test_a_chart_that_cannot_be_drawn_keeps_its_specification(heard: Hearing):
    plot({"mark": {"type": "no such mark"}, "data": {"values": []}})
    assert heard.outputs == [Plot("vega-lite", {"mark": {"type": "no such mark"}, "data": {"values": []}})]
    assert heard.warnings[0].startswith("plot(): the chart cannot be drawn (")


def test_without_the_library_there_is_no_drawing(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    plot(BARS)
    assert heard.outputs[0].file == ""
    assert heard.warnings == [
        "plot(): the chart has no drawing, since vl-convert-python is missing; pip install vl-convert-python"
    ]


def test_a_large_specification_is_left_out(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(figures, "SPECIFICATION", 100)
    plot(BARS)
    assert heard.outputs[0].spec is None
    assert heard.outputs[0].file
    assert "only the drawing is kept" in heard.warnings[0]


# ---------------------------------------------------------------- matplotlib


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    module = pytest.importorskip("matplotlib.pyplot")
    yield module
    module.close("all")


def test_matplotlib(heard: Hearing, pyplot):
    import matplotlib

    before = dict(matplotlib.rcParams), pyplot.get_backend()
    figure, axes = pyplot.subplots()
    axes.plot([1, 2, 3])
    axes.set_title("Line")
    plot(figure)
    plot(axes)
    plot(pyplot)
    assert [shown.alt for shown in heard.outputs] == ["Line"] * 3
    assert len({shown.file for shown in heard.outputs}) == 1
    drawing = heard.file(heard.files[0])
    assert b"<svg" in drawing
    assert b"dc:date" not in drawing
    assert (dict(matplotlib.rcParams), pyplot.get_backend()) == before
    assert (pyplot.gcf(), pyplot.get_fignums()) == (figure, [figure.number])


def test_equal_figures_are_equal_bytes(heard: Hearing, pyplot):
    for _ in range(2):
        figure, axes = pyplot.subplots()
        axes.scatter([1, 2], [3, 4])
        axes.set(xlabel="dimension", ylabel="time")
        plot(figure)
    assert heard.outputs[0] == heard.outputs[1]
    assert (heard.outputs[0].alt, len(heard.files)) == ("time over dimension", 1)


def test_a_figure_that_pyplot_does_not_know(heard: Hearing, pyplot):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.suptitle("Alone")
    plot(figure)
    assert (heard.outputs[0].alt, heard.warnings, pyplot.get_fignums()) == ("Alone", [], [])


def test_a_large_drawing_becomes_a_png(heard: Hearing, pyplot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(figures, "DRAWING", 500)
    plot(pyplot.figure())
    plot(BARS)
    for shown in heard.outputs:
        assert shown.file.endswith(".png")
        assert heard.file(shown.file).startswith(b"\x89PNG")


# ---------------------------------------------------------------- plotly


def test_plotly(heard: Hearing):
    go = pytest.importorskip("plotly.graph_objects")
    plot(go.Figure(data=go.Bar(x=[1], y=[math.nan]), layout={"title": {"text": "Bars"}}))
    shown = heard.outputs[0]
    assert (shown.library, shown.file, shown.alt, heard.files) == ("plotly", "", "Bars", [])
    assert strictly(shown)["data"][0]["type"] == "bar"


def test_a_plotly_dict(heard: Hearing):
    plot({"data": [{"type": "scatter", "y": (1, math.inf)}], "layout": {"title": "Dots"}})
    assert heard.outputs == [
        Plot("plotly", {"data": [{"type": "scatter", "y": [1, None]}], "layout": {"title": "Dots"}}, alt="Dots")
    ]


# ---------------------------------------------------------------- what is none


class Broken:
    __module__ = "altair.fake"

    def to_dict(self):
        raise RuntimeError("half built")


CYCLE: dict = {"mark": "bar"}
CYCLE["self"] = CYCLE


TAKES = "it takes a Vega-Lite specification, an Altair chart, a matplotlib figure or a plotly figure, not"
PARTS = "mark, layer, concat, hconcat, vconcat, spec"


@pytest.mark.parametrize(
    ("spec", "warning"),
    [
        (5, f"{TAKES} int"),
        (None, f"{TAKES} NoneType"),
        ("no json", "the text it was given is not a specification in JSON (Expecting value: line 1 column 1 (char 0))"),
        ({"a": 1}, f"the dict is no Vega-Lite specification, which has one of {PARTS}"),
        (Broken(), "altair cannot draw this chart (RuntimeError: half built)"),
        (CYCLE, "the specification nests more than 100 deep"),
    ],
)
def test_what_is_no_chart_is_said(heard: Hearing, spec, warning):
    plot(spec)
    assert (heard.outputs, heard.warnings) == ([], [f"plot(): {warning}"])


def test_strict_json_of_anything():
    numpy = pytest.importorskip("numpy")
    import datetime

    given = {
        1: (1, 2), "nan": math.nan, "big": 10**30, "array": numpy.array([[1.0, numpy.inf]]), "scalar": numpy.float32(2),
        "day": datetime.date(2026, 1, 2), "set": {3}, "half": "\ud800", "range": range(2), "flag": numpy.bool_(True),
    }  # fmt: skip
    assert figures.strict(given) == {
        "1": [1, 2], "nan": None, "big": 1e30, "array": [[1.0, None]], "scalar": 2.0,
        "day": "2026-01-02", "set": [3], "half": "\\ud800", "range": [0, 1], "flag": True,
    }  # fmt: skip
