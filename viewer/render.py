"""Pages as HTML. Knows templates and page dataclasses, and nothing of servers."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from engine.trace import Graph, Kernel, Output
from viewer.bundle import modules
from viewer.charts import caption, dots
from viewer.highlight import block
from viewer.markup import markdown, safe_address, sentence
from viewer.observations import proof
from viewer.pages import ComparePage, ErrorPage, IndexPage, Inline, LecturePage
from viewer.plots import Charts, points
from viewer.policy import PAGE
from viewer.urls import Urls, anchor

HERE = Path(__file__).parent
STATIC = HERE / "static"


def number(value: float) -> str:
    """`value` to four significant digits, thousands apart, for people."""
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("viewer"), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters.update(markdown=markdown, sentence=sentence, address=safe_address, coloured=block)
    environment.filters.update(number=number)
    environment.globals.update(caption=caption, dots=dots, points=points)
    environment.globals.update(anchor=anchor, kind=kind, names=names, csp=PAGE, proof=proof)
    environment.globals.update(modules=lambda entry: modules(STATIC, entry))
    return environment


def kind(output: Output) -> str:
    """Name of the variant that `output` is, `text`, `image`, .."""
    return str(type(output).__struct_config__.tag)


def names(graph: Graph) -> dict[str, str]:
    """Label of each node of `graph`, by id."""
    return {node.id: node.label for node in graph.nodes}


def index(page: IndexPage, inline: Inline | None = None) -> str:
    """The index of recordings; with `inline`, as a page that needs nothing beside it."""
    return _html("index.html", page, inline)


def lecture(page: LecturePage, inline: Inline | None = None) -> str:
    """A lecture's page; with `inline`, as one that needs nothing beside it."""
    return _html("lecture.html", page, inline)


def compare(page: ComparePage, inline: Inline | None = None) -> str:
    """What recordings of one lecture measured, side by side; with `inline`, as a page that needs nothing beside it."""
    return _html("compare.html", page, inline)


def error(page: ErrorPage) -> str:
    """A page that says why there is nothing to see."""
    return _html("error.html", page, None)


def _html(template: str, page: IndexPage | LecturePage | ComparePage | ErrorPage, inline: Inline | None) -> str:
    return _environment().get_template(template).render(page=page, urls=page.urls, inline=inline)


def outputs(shown: tuple[Output, ...], urls: Urls, kernels: tuple[Kernel, ...], charts: Charts) -> Markup:
    """What one visit of a statement showed."""
    macros: Any = _environment().get_template("outputs.html").module
    return Markup("").join(macros.show(output, urls, kernels, charts) for output in shown)


@lru_cache(maxsize=1)
def build() -> str:
    """Changes whenever the viewer does."""
    files = sorted(path for path in HERE.rglob("*") if path.suffix in {".py", ".html", ".js", ".css"})
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


@lru_cache(maxsize=1)
def static_files() -> frozenset[str]:
    """Paths of the viewer's own scripts, styles and fonts."""
    return frozenset(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file())
