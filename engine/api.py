"""What a lecture says: text, pictures, links, charts, tables, kernels.

Each call is shown in the place of its statement. While a lecture is recorded the calls go to the recording; run as an
ordinary program they print. What cannot be shown as asked is shown as far as it can be, with a warning that names the
statement: no call here ends a lecture because a picture is missing or a value has the wrong type.

`style` is taken everywhere the original takes it. A recording keeps no CSS, so only a width in it is used.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine import assets, sink
from engine.harmless import harmless
from engine.links import known_fields, to_page, to_source
from engine.media import Medium
from engine.references import Reference, url_reference
from engine.trace import Note, Picture, Text, Verbatim, Video
from engine.words import CHARACTERS, clean, cut, words

__all__ = [
    "Reference", "graph", "image", "kernel", "link", "make_graph", "note", "observe", "plot", "system_text", "table",
    "text", "url_reference", "video",
]  # fmt: skip


@harmless
def text(message: object, style: object = None, verbatim: bool = False, language: str = "") -> None:
    """Say `message`: Markdown with `$` mathematics, or with `verbatim` as it is, in a fixed-width face.

    `language` is the Pygments lexer that colours verbatim text (`cuda`, `python`); none by default.
    """
    said = words(message, "text")
    if said is None:
        return
    if verbatim:
        sink.emit(Verbatim(said[:CHARACTERS], language, truncated=len(said) > CHARACTERS), said)
    else:
        sink.emit(Text(cut(said, "text")), said)


@harmless
def note(message: object) -> None:
    """A remark in Markdown for the speaker; others see it only when they ask."""
    said = words(message, "note")
    if said is not None:
        sink.emit(Note(cut(said, "note")), f"[note: {said}]")


@harmless
def image(url: object, style: object = None, width: object = None, alt: str = "") -> None:
    """Show the picture `url`: a file (absolute, beside the lecture or in the working folder), an http(s) address or a
    `data:` address.

    `width` is in pixels, or a fraction of the column when at most 1, or `"50%"`. `alt` says what the picture shows.
    The picture is copied beside the recording. One that cannot be had becomes a card with the reason.
    """
    source = words(url, "image")
    if source is None:
        return
    file, reason = _asset(source, "image")
    size = _width(width, style, "image")
    sink.emit(Picture(source, file, size, clean(str(alt or "")), reason), f"[picture: {alt or source}]")


@harmless
def video(url: object, style: object = None, width: object = None) -> None:
    """Show the film `url`; like `image`."""
    source = words(url, "video")
    if source is None:
        return
    file, reason = _asset(source, "video")
    sink.emit(Video(source, file, _width(width, style, "video"), reason), f"[film: {source}]")


@harmless
def link(arg: object = None, style: object = None, **fields: Any) -> None:
    """Show a link, in one of four ways.

    - `link("https://..")`, with `title=` if it should have one; papers on arXiv are looked up
    - `link(title="..", url="..")`, with any other field of `Reference`
    - `link(reference)`, a `Reference`
    - `link(thing)`, a function, class, method, kernel or module of the lecture: a link to its source
    """
    if isinstance(arg, str):
        to_page(url_reference(arg, **known_fields(fields)))
    elif arg is None:
        to_page(Reference(**known_fields(fields)))
    elif hasattr(arg, "url") and hasattr(arg, "title") and not isinstance(arg, type):
        to_page(arg)
    else:
        to_source(arg, clean(str(fields.get("title") or "")))


@harmless
def plot(spec: object, style: object = None, alt: str = "") -> None:
    """Show a chart: a Vega-Lite specification (a dict), an Altair chart, a matplotlib figure or axes, a plotly figure.

    It is drawn now; the figure may be changed or closed afterwards. `alt` says what it shows, by default its title.
    """
    from engine.figures import chart  # only lectures that draw need it
    from engine.timing import untraced

    with untraced():  # a tracer makes drawing three times slower
        drawn = chart(spec, clean(str(alt or "")))
    if drawn is not None:
        sink.emit(drawn, f"[{drawn.library} chart: {drawn.alt or 'no title'}]")


@harmless
def table(rows: object, columns: Sequence[object] | None = None, title: str = "") -> None:
    """Show a table.

    `rows` is a list of rows (lists or tuples, named by `columns`), a list of dicts, a dict of columns, or a data
    frame. Cells are numbers, truth values, None and text; anything else is shown as its `str`.
    """
    from engine.tables import as_text, read

    shown = read(rows, columns, clean(str(title or "")))
    if shown is not None:
        sink.emit(shown, as_text(shown))


@harmless
def system_text(command: str | Sequence[str], timeout: float = 60.0) -> None:
    """Run `command` now and show what it writes, standard error included.

    A list is a program with its arguments; a string is a line for the shell. A program that is missing, fails, or is
    not done after `timeout` seconds is said below what it wrote, and a warning.
    """
    from engine.commands import run

    ran = run(command if isinstance(command, str) else [str(word) for word in command], timeout, CHARACTERS)
    said = ran.output.rstrip("\n")
    if ran.problem:
        name = command if isinstance(command, str) else " ".join(str(word) for word in command)
        said = f"{said}\n[{ran.problem}]".lstrip("\n")
        sink.warn(f"system_text({name!r}): {ran.problem}")
    sink.emit(Verbatim(said, truncated=ran.truncated), said)


@harmless
def make_graph(
    nodes: Sequence[object],
    edges: Sequence[object],
    layout: object = "preset",
    stylesheet: object = None,
    width: float = 500,
    height: float = 200,
) -> dict[str, Any]:
    """A graph for `graph` to show; None, with a warning, where it is none.

    A node is a name, or a dict with `id` and perhaps `label`, `x`, `y`; an edge is a pair or triple (source, target,
    label), or a dict with these keys. `layout` is `preset` (the nodes' own `x`, `y`), `circle`, `grid`, or anything
    else for layers from top to bottom. `width` and `height` are pixels. A `stylesheet` is taken but not kept.
    """
    from engine.graphs import specification

    return specification(nodes, edges, layout, width, height)


@harmless
def graph(spec: object, edges: Sequence[object] | None = None, style: object = None) -> None:
    """Show a graph: what `make_graph` returned, a list of nodes with `edges`, or a networkx graph; nothing for None."""
    from engine.graphs import drawing

    if spec is None:
        return
    drawn = drawing(spec, edges)
    if drawn is not None:
        arrows = [f"{edge.source} -> {edge.target}{f' ({edge.label})' if edge.label else ''}" for edge in drawn.edges]
        sink.emit(drawn, "\n".join(arrows or [node.label for node in drawn.nodes]))


@harmless
def kernel(source: object, name: str = "", instances: Sequence[object] | None = None) -> None:
    """Show a kernel beside the lecture: its source, and every stage it is compiled to.

    `source` is a Triton kernel, or the path of a CUDA file, of which `name` picks one kernel (the first by default).
    Kernels the lecture launches are recorded without this call; it says where the reader should look at one.

    Of a Triton kernel that runs in the interpreter the first program instance is recorded step by step; `instances`
    names others for the launches that follow: `["first", "last"]`, `[7]`, `[(0, 2)]`, or none, `[]`.
    """
    from engine.cards import card

    shown = card(source, name, instances)
    if shown is not None:
        sink.emit(*shown)


@harmless
def observe(
    claim: object,
    kernel: object,
    pattern: object,
    *,
    count: int | None = None,
    stage: str = "ptx",
    targets: str | Sequence[str] = (),
    constants: Mapping[str, object] | None = None,
    name: str = "",
) -> None:
    r"""Say `claim`, a sentence in Markdown about what a kernel is compiled to, and have the recording prove it.

        observe("`ld.global` reads from HBM", gelu_kernel, r"ld\.global")
        observe("A thread loads eight elements", gelu_kernel, r"ld\.global(\.v(?P<n>\d))?", count=8)

    Once the lecture has ended, `pattern`, a regular expression, is looked for in the `stage` of each compilation:
    `ttir`, `ttgir`, `llir`, `ptx`, `sass`, or `source` for the kernel's own lines. The claim holds where there is a
    match, or where the matches come to `count`: each counts as 1, or as the number in its group `n` (elements, not
    loads). `pattern` may also be a function of the stage's text that returns the numbers, from 1, of the lines that
    bear the claim out; these are what is counted.

    `kernel` is a Triton kernel, the path of a CUDA file (`name` picks one kernel), or the name that a kernel has in the
    recording, `"triton_poi_*"`, such as torch.compile gives. `targets` (`"sm_90"`) and `constants` (`{"BLOCK_SIZE":
    1024}`) say which compilations the claim is about; all of them by default. The sentence becomes a link to the lines.
    Where the claim does not hold, or cannot be checked, the recording warns and the page says so.
    """
    from engine.observations import say

    said = words(claim, "observe")
    if said is not None:
        asked = {"count": count, "stage": stage, "targets": targets, "constants": constants, "name": name}
        say(cut(said, "observe"), kernel, pattern, **asked)


# ---------------------------------------------------------------- parts


def _asset(source: str, medium: Medium) -> assets.Asset:
    """Where `source` is kept; without a recording it is not looked for."""
    if sink.current is None:
        return assets.Asset("")
    found = assets.asset(source, medium)
    if found.reason:
        sink.warn(f"{medium}({source[:200]!r}): {found.reason}")
    return assets.Asset(found.file, clean(found.reason))


def _width(width: object, style: object, call: str) -> float | None:
    """A width as the recording has it: pixels, or a fraction up to 1. None, with a warning, for what is no width."""
    if width is None and isinstance(style, dict):
        width = style.get("width")
    if width is None:
        return None
    try:
        if isinstance(width, str):
            number = float(width.strip().removesuffix("px").removesuffix("%")) / (100 if "%" in width else 1)
        else:
            number = float(width)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        sink.warn(f"{call}(): {width!r} is no width; give pixels, a fraction up to 1, or a percentage")
        return None
    return number
