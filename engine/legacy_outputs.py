"""The renderings of original recordings as outputs: what they mean is kept, how they were styled is not."""

import json
import re
from collections.abc import Callable
from typing import Any

from engine.trace import Edge, Graph, Link, Node, Note, Output, Picture, Plot, Text, Verbatim, Video

_FILES = "var/files/"
"Where the original keeps its copies of pictures."
_NOT_HERE = "the recording, made by the original engine, has its address only"

Rendering = dict[str, Any]


def convert(renderings: list[Any]) -> tuple[list[Output], list[str]]:
    """The outputs that `renderings` stand for, and the names of kinds that are not known."""
    outputs: list[Output] = []
    unknown: list[str] = []
    before_verbatim = False
    for item in renderings:
        rendering = item if isinstance(item, dict) else {"type": "", "data": item}
        kind = str(rendering.get("type") or "")
        verbatim = _is_verbatim(rendering)
        output = _output(kind, rendering, verbatim)
        if output is None:
            unknown.append(kind)
            output = Verbatim(_text(rendering.get("data")))
        last = outputs[-1] if outputs else None
        if verbatim and before_verbatim and isinstance(last, Verbatim) and isinstance(output, Verbatim):
            outputs[-1] = Verbatim(f"{last.text}\n{output.text}")
        else:
            outputs.append(output)
        before_verbatim = verbatim
    return outputs, unknown


def _is_verbatim(rendering: Rendering) -> bool:
    """Whether it is a line of preformatted text, which the original knows by its style only."""
    style = rendering.get("style")
    return isinstance(style, dict) and style.get("fontFamily") == "monospace" and style.get("whiteSpace") == "pre"


def _output(kind: str, rendering: Rendering, verbatim: bool) -> Output | None:
    if verbatim or kind == "text":
        return Verbatim(_text(rendering.get("data")))
    reader = _READERS.get(kind)
    return reader(rendering) if reader is not None else None


def _text(data: Any) -> str:
    if data is None:
        return ""
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)


def _markdown(rendering: Rendering) -> Output:
    return Text(_text(rendering.get("data")))


def _note(rendering: Rendering) -> Output:
    return Note(_text(rendering.get("data")))


def _picture(rendering: Rendering) -> Output:
    source, file, reason = _copy(rendering)
    return Picture(source, file, _width(rendering), reason=reason)


def _video(rendering: Rendering) -> Output:
    source, file, reason = _copy(rendering)
    return Video(source, file, _width(rendering), reason)


def _copy(rendering: Rendering) -> tuple[str, str, str]:
    """Address, name under `files/`, and why there is none."""
    source = _text(rendering.get("data"))
    file = source.removeprefix("./").removeprefix(_FILES)
    if file == source.removeprefix("./") or "/" in file or file.startswith("."):
        return source, "", _NOT_HERE
    return source, file, ""


def _width(rendering: Rendering) -> float | None:
    """Pixels, or a fraction of the column when at most 1."""
    style = rendering.get("style")
    width = style.get("width") if isinstance(style, dict) else None
    if isinstance(width, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(px|%)?\s*", width)
        return float(found[1]) / (100 if found[2] == "%" else 1) if found else None
    return float(width) if isinstance(width, int | float) and 0 < width < 1e6 else None


def _link(rendering: Rendering) -> Output | None:
    label = _text(rendering.get("data"))
    place, page = rendering.get("internal_link"), rendering.get("external_link")
    if isinstance(place, dict) and isinstance(place.get("path"), str):
        line = place.get("line_number")
        line = line if type(line) is int and 0 < line < 2**31 else 0
        return Link(label or f"{place['path']}:{line}", path=place["path"], line=line)
    if not isinstance(page, dict):
        return None
    said = {key: _text(page.get(key)).strip() for key in ("title", "url", "date", "organization")}
    words = "\n\n".join(_text(page[key]) for key in ("description", "notes") if page.get(key))
    authors = page.get("authors")
    authors = [str(author) for author in authors] if isinstance(authors, list) else []
    if not authors and said["organization"]:
        authors = [said["organization"]]
    title = said["title"] or label or said["url"]
    return Link(title, said["url"], authors=tuple(authors), date=said["date"][:10], description=words)


def _plot(rendering: Rendering) -> Output | None:
    spec = rendering.get("data")
    if isinstance(spec, str):
        try:
            spec = json.loads(spec)
        except ValueError:
            return None
    if not isinstance(spec, dict):
        return None
    title = spec.get("title")
    title = title.get("text") if isinstance(title, dict) else title
    return Plot("vega-lite", spec, alt=title if isinstance(title, str) else "")


def _graph(rendering: Rendering) -> Output | None:
    """A graph as Cytoscape has it: dicts of nodes and edges, what they are called under `data`."""
    spec = rendering.get("data")
    try:
        nodes = [element["data"] for element in spec["nodes"]]  # type: ignore[index]
        edges = [element["data"] for element in spec["edges"]]  # type: ignore[index]
        return Graph(
            tuple(Node(str(node["id"]), str(node.get("label", node["id"]))) for node in nodes),
            tuple(Edge(str(edge["source"]), str(edge["target"]), str(edge.get("label") or "")) for edge in edges),
        )
    except (TypeError, KeyError, AttributeError):
        return None


_READERS: dict[str, Callable[[Rendering], Output | None]] = {
    "markdown": _markdown,
    "note": _note,
    "image": _picture,
    "video": _video,
    "link": _link,
    "plot": _plot,
    "graph": _graph,
}
