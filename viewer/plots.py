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

VEGA = ("vendor/vega.min.js", "vendor/vega-lite.min.js", "vendor/vega-interpreter.js")
"Scripts under static/ for Vega-Lite charts, in the order they are run."
PLOTLY = {
    "vendor/plotly-cartesian.min.js": {
        "bar", "box", "contour", "heatmap", "histogram", "histogram2d", "histogram2dcontour", "pie", "scatter",
        "scatterternary", "violin",
    },
    "vendor/plotly-gl3d.min.js": {
        "cone", "isosurface", "mesh3d", "scatter", "scatter3d", "streamtube", "surface", "volume",
    },
}  # fmt: skip
"By script under static/, the kinds of Plotly traces it draws and that ask for no picture. A figure needs one of them."
SCRIPTS = {*VEGA, *PLOTLY}
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
    spec, scripts = _plotly(plot.spec) if plot.library == "plotly" else (plot.spec, VEGA)
    if not isinstance(spec, dict) or not spec or plot.library not in ("vega-lite", "plotly"):
        return None
    encoded = msgspec.json.encode(spec)
    return Interactive(sha256(encoded).hexdigest()[:16], encoded, scripts)


class Charts:
    """The charts of a recording that a browser can draw, each encoded once."""

    def __init__(self, trace: Trace) -> None:
        self._plots = [output for output in trace.output_table if isinstance(output, Plot)]
        self._of = {id(plot): interactive(plot) for plot in self._plots}
        self.by_key = {chart.key: chart for chart in self._of.values() if chart}

    def of(self, plot: Plot) -> Interactive | None:
        """What a browser needs to draw `plot`, one of the recording's own; None where it can only show its drawing."""
        return self._of[id(plot)]


def _plotly(spec: Any) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """What is sent of a Plotly figure, and the script that draws it; None where no script draws all its traces."""
    data = _traces(spec)
    kinds = {str(trace.get("type", "scatter")) for trace in data}
    script = next((script for script, drawn in PLOTLY.items() if kinds and kinds <= drawn), None)
    if script is None:
        return None, ()
    layout = spec.get("layout")
    layout = {name: part for name, part in layout.items() if name != "images"} if isinstance(layout, dict) else {}
    return {"data": data, "layout": layout, "frames": spec.get("frames") or []}, (script,)


def _traces(spec: Any) -> list[dict[str, Any]]:
    """The traces of a Plotly figure, those for WebGL as the ones that look the same without it."""
    data = spec.get("data") if isinstance(spec, dict) else None
    if not isinstance(data, list) or not all(isinstance(trace, dict) for trace in data):
        return []
    return [{**trace, "type": "scatter"} if trace.get("type") == "scattergl" else trace for trace in data]


def points(plot: Plot) -> tuple[list[tuple[Any, ...]], int]:
    """(name, x, y) of the first points of a Plotly chart, with z where it has depth, and how many more it has."""
    traces = [(_name(trace, number), _axes(trace)) for number, trace in enumerate(_traces(plot.spec), 1)]
    depth = 3 if any(z for _, (*_, z) in traces) else 2
    rows = [(name, *point) for name, axes in traces for point in zip_longest(*axes[:depth], fillvalue="")]
    return rows[:ROWS], max(0, len(rows) - ROWS)


def _name(trace: dict[str, Any], number: int) -> str:
    return name if isinstance(name := trace.get("name"), str) else str(number)


def _axes(trace: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """The coordinates of the points of `trace`; none where it is a field of values over x and y."""
    x, y, z = (_column(trace.get(axis)) for axis in "xyz")
    return ([], [], []) if trace.get("z") is not None and not z else (x, y, z)


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
