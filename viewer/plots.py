"""Charts that a reader's browser draws anew, so that they answer to the pointer: with which scripts and data.

What is sent is made here from a specification that nobody vouches for. For Vega-Lite it goes as it is: the page
refuses every address in it, and interprets its expressions instead of compiling them. For Plotly it is cut to the parts
and kinds that the bundle draws, without pictures and without settings of the tool itself.
"""

from array import array
from base64 import b64decode
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from typing import Any

import msgspec

from engine.trace import Plot, Trace

LIBRARIES = {
    "vega-lite": ("vendor/vega.min.js", "vendor/vega-lite.min.js", "vendor/vega-interpreter.js"),
    "plotly": ("vendor/plotly-cartesian.min.js",),
}
"Scripts under static/ by the library that a chart is made for, in the order they are run."
KINDS = (
    "bar", "box", "contour", "heatmap", "histogram", "histogram2d", "histogram2dcontour", "pie", "scatter",
    "scatterternary", "violin",
)  # fmt: skip
"Kinds of Plotly traces that plotly-cartesian draws and that ask for no picture."
ROWS = 200
"Points of a chart that are listed where it has no drawing."
_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}


@dataclass(frozen=True)
class Interactive:
    """A chart as a browser draws it."""

    key: str
    "Of the specification's content: equal charts have one."
    spec: bytes
    "JSON."
    scripts: tuple[str, ...]
    "Paths under static/."


def interactive(plot: Plot) -> Interactive | None:
    """What a browser needs to draw `plot`; None where it can only be shown as its drawing."""
    spec = plot.spec if plot.library == "vega-lite" else _plotly(plot.spec)
    if not isinstance(spec, dict) or not spec or plot.library not in LIBRARIES:
        return None
    encoded = msgspec.json.encode(spec)
    return Interactive(sha256(encoded).hexdigest()[:16], encoded, LIBRARIES[plot.library])


def charts(trace: Trace) -> dict[str, Interactive]:
    """Every chart of `trace` that a browser can draw, by key."""
    found = (interactive(output) for output in trace.output_table if isinstance(output, Plot))
    return {chart.key: chart for chart in found if chart}


def _plotly(spec: Any) -> dict[str, Any] | None:
    data = _traces(spec)
    if not data or not all(trace.get("type", "scatter") in KINDS for trace in data):
        return None
    layout = spec.get("layout")
    layout = {name: part for name, part in layout.items() if name != "images"} if isinstance(layout, dict) else {}
    return {"data": data, "layout": layout, "frames": spec.get("frames") or []}


def _traces(spec: Any) -> list[dict[str, Any]]:
    """The traces of a Plotly figure, those for WebGL as the ones that look the same without it."""
    data = spec.get("data") if isinstance(spec, dict) else None
    if not isinstance(data, list) or not all(isinstance(trace, dict) for trace in data):
        return []
    return [{**trace, "type": "scatter"} if trace.get("type") == "scattergl" else trace for trace in data]


def points(plot: Plot) -> tuple[list[tuple[str, Any, Any]], int]:
    """(name, x, y) of the first points of a Plotly chart, and how many more it has."""
    rows = [row for number, trace in enumerate(_traces(plot.spec), 1) for row in _points(trace, number)]
    return rows[:ROWS], max(0, len(rows) - ROWS)


def _points(trace: dict[str, Any], number: int) -> list[tuple[str, Any, Any]]:
    name = trace.get("name")
    xs, ys = _column(trace.get("x")), _column(trace.get("y"))
    return [(name if isinstance(name, str) else str(number), x, y) for x, y in zip_longest(xs, ys, fillvalue="")]


def _column(values: Any) -> list[Any]:
    """Plain numbers and texts of a coordinate, which Plotly also writes as bytes in base64."""
    if isinstance(values, dict):
        code = _CODES.get(str(values.get("dtype")), "")
        try:
            data = b64decode(str(values.get("bdata"))) if code and "shape" not in values else b""
            return list(array(code, data)) if data else []
        except ValueError:
            return []
    return [value for value in values if isinstance(value, int | float | str)] if isinstance(values, list) else []
