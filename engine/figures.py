"""Charts: a specification that reads as strict JSON, and a drawing that needs no script."""

import io
import json
import math
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from engine import assets, sink
from engine.errors import EngineError
from engine.trace import Plot
from engine.words import clean

SPECIFICATION = 2 * 1024**2
"The largest specification kept, in bytes of JSON."
DRAWING = 4 * 1024**2
"The largest SVG kept, in bytes; a larger drawing becomes a PNG."
_VEGA_LITE = ("mark", "layer", "concat", "hconcat", "vconcat", "spec")


def chart(spec: Any, alt: str) -> Plot | None:
    """The chart `spec` is, drawn; None, with a warning, where it is none.

    `spec` is a Vega-Lite specification, an Altair chart, a matplotlib figure or axes, or a plotly figure.
    """
    try:
        shown = _chart(spec, alt)
    except EngineError as error:
        sink.warn(f"plot(): {error}")
        return None
    except Exception as error:  # a library's own, on a chart that is not right
        sink.warn(f"plot(): {_library(spec)} cannot draw this chart ({type(error).__name__}: {error})")
        return None
    return shown


def _library(spec: object) -> str:
    return type(spec).__module__.partition(".")[0]


def _chart(spec: Any, alt: str) -> Plot:
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and spec is pyplot:
        spec = pyplot.gcf()
    library = _library(spec)
    if library == "altair":
        return _vega_lite(spec.to_dict(), alt)
    if library == "plotly":
        return _plotly(json.loads(spec.to_json()), alt)
    if isinstance(spec, str):
        try:
            spec = json.loads(spec)
        except ValueError as error:
            raise EngineError(f"the text it was given is not a specification in JSON ({error})") from error
    if isinstance(spec, Mapping):
        return _specification(spec, alt)
    figure = spec if hasattr(spec, "savefig") else getattr(spec, "figure", None)
    if hasattr(figure, "savefig"):
        return _matplotlib(figure, alt)
    raise EngineError(
        "it takes a Vega-Lite specification, an Altair chart, a matplotlib figure or a plotly figure, "
        f"not {type(spec).__name__}"
    )


def _specification(spec: Mapping[str, Any], alt: str) -> Plot:
    if any(part in spec for part in _VEGA_LITE):
        return _vega_lite(spec, alt)
    if isinstance(spec.get("data"), list) and "$schema" not in spec:
        return _plotly(spec, alt)
    raise EngineError(f"the dict is no Vega-Lite specification, which has one of {', '.join(_VEGA_LITE)}")


# ---------------------------------------------------------------- Vega-Lite and Altair


def _vega_lite(spec: Mapping[str, Any], alt: str) -> Plot:
    kept = strict(spec)
    if _fetches(kept):
        sink.warn("plot(): the chart's data is at an address, which a reader's page never asks for; put the values in")
    file = _draw_vega_lite(kept) if sink.current is not None else ""
    return Plot("vega-lite", _bounded(kept), file, alt or _vega_lite_title(kept))


def _fetches(spec: Any) -> bool:
    """Whether any part of `spec` takes its data from an address."""
    if isinstance(spec, list):
        return any(_fetches(part) for part in spec)
    if not isinstance(spec, dict):
        return False
    data = spec.get("data")
    if isinstance(data, dict) and "url" in data:
        return True
    return any(_fetches(part) for name, part in spec.items() if name not in ("values", "datasets"))


def _draw_vega_lite(spec: Any) -> str:
    """Name under `files/` of a drawing; empty, with a warning, where vl-convert is missing or refuses."""
    try:
        import vl_convert
    except ImportError:
        sink.warn("plot(): the chart has no drawing, since vl-convert-python is missing; pip install vl-convert-python")
        return ""
    try:
        drawn, suffix = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]).encode(), ".svg"
        if len(drawn) > DRAWING:
            drawn, suffix = vl_convert.vegalite_to_png(spec, allowed_base_urls=[], scale=2), ".png"
        return assets.save("plot", "vega-lite", suffix, drawn)
    except (ValueError, EngineError) as error:
        sink.warn(f"plot(): the chart cannot be drawn ({str(error).strip().splitlines()[0][:300]})")
        return ""


def _vega_lite_title(spec: Mapping[str, Any]) -> str:
    title = spec.get("title")
    if isinstance(title, Mapping):
        title = title.get("text")
    if isinstance(title, list):
        title = " ".join(map(str, title))
    if title or spec.get("description"):
        return clean(str(title or spec["description"]))
    axes = {axis: _axis(spec.get("encoding"), axis) for axis in ("x", "y")}
    return f"{axes['y']} over {axes['x']}" if all(axes.values()) else ""


def _axis(encoding: Any, axis: str) -> str:
    channel = encoding.get(axis) if isinstance(encoding, Mapping) else None
    return clean(str(channel.get("title") or channel.get("field") or "")) if isinstance(channel, Mapping) else ""


# ---------------------------------------------------------------- plotly


def _plotly(spec: Mapping[str, Any], alt: str) -> Plot:
    """A plotly figure is kept as its specification only: drawing it needs a browser."""
    layout = spec.get("layout")
    title = layout.get("title") if isinstance(layout, Mapping) else None
    if isinstance(title, Mapping):
        title = title.get("text")
    kept = strict({name: part for name, part in spec.items() if name in ("data", "layout", "frames", "config")})
    return Plot("plotly", _bounded(kept), "", alt or clean(str(title or "")))


# ---------------------------------------------------------------- matplotlib


def _matplotlib(figure: Any, alt: str) -> Plot:
    """Draw a figure. Neither pyplot's state nor the settings are changed, and equal figures give equal bytes."""
    file = ""
    if sink.current is not None:
        data, suffix = _draw_matplotlib(figure, "svg"), ".svg"
        if len(data) > DRAWING:
            data, suffix = _draw_matplotlib(figure, "png"), ".png"
        file = assets.save("plot", "matplotlib", suffix, data)
    return Plot("matplotlib", None, file, alt or clean(_matplotlib_title(figure)))


def _draw_matplotlib(figure: Any, kind: str) -> bytes:
    import matplotlib

    metadata = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[kind]
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "lecture-trace"}):
        figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight")
    return buffer.getvalue()


def _matplotlib_title(figure: Any) -> str:
    """The figure's title, else those of its axes, else what is drawn over what."""
    title = figure._suptitle.get_text() if getattr(figure, "_suptitle", None) else ""
    titles = [title] if title else [axes.get_title() for axes in figure.axes if axes.get_title()]
    if not titles:
        labels = [(axes.get_ylabel(), axes.get_xlabel()) for axes in figure.axes]
        titles = [f"{y} over {x}" for y, x in labels if x and y]
    return "; ".join(titles)


# ---------------------------------------------------------------- JSON


def strict(value: Any, depth: int = 0) -> Any:
    """`value` as strict JSON: no number that is none, no tuple, no key but text; anything else becomes its `str`.

    Raises EngineError when it nests more than 100 deep, as what holds itself does.
    """
    if depth > 100:
        raise EngineError("the specification nests more than 100 deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else float(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): strict(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [strict(part, depth + 1) for part in value]
    if hasattr(value, "tolist"):  # arrays and numbers of numpy and torch
        return strict(value.tolist(), depth + 1)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return clean(str(value))


def _bounded(spec: Any) -> Any:
    size = len(msgspec.json.encode(spec))
    if size <= SPECIFICATION:
        return spec
    limit, mib = SPECIFICATION / 1024**2, size / 1024**2
    sink.warn(f"plot(): of a specification of {mib:.1f} MiB, more than {limit:g}, only the drawing is kept")
    return None
