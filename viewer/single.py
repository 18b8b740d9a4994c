"""A lecture as one file that needs nothing beside it: opened from a disk, sent by mail."""

import contextlib
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from viewer import bundle, render, site
from viewer.errors import NotListed
from viewer.lecture import CHUNK, INLINE_GROUPS, Lecture, page
from viewer.library import Entry, Library, variants
from viewer.pages import IndexPage, Inline
from viewer.urls import Urls


@dataclass(frozen=True)
class InlineUrls(Urls):
    """Links of a page that lies beside the other lectures' files and holds everything else itself."""

    library: Library | None = None

    def index(self) -> str:
        """The index of recordings."""
        return f"{self.root}index.html"

    def lecture(self, name: str) -> str:
        """The file of the recording `name`."""
        return f"{self.root}{quote(name, safe='')}.html"

    def compare(self, name: str) -> str:
        """What the recording `name` and the others of its lecture measured: a folder below, where no recording lies."""
        return f"{self.root}compare/{quote(name, safe='')}.html"

    def static(self, path: str) -> str:
        """A file of the viewer, as an address that holds it."""
        return bundle.data_url(render.STATIC / path)

    def stage(self, key: str, stage: str) -> str:
        """The kernel pane, which holds all stages."""
        return "#kernel"

    def script(self, path: str) -> str:
        """A script of others that the page holds and runs only when it is needed."""
        return f"#{path}"

    def plot(self, key: str) -> str:
        """The specification of a chart that the page holds."""
        return f"#plot-{quote(key)}"

    def file(self, name: str) -> str:
        """A file of the store, as an address that holds it."""
        assert self.library is not None
        try:
            return bundle.data_url(self.library.file(name))
        except NotListed:
            return "data:,"


def lecture(library: Library, entry: Entry, notes: bool) -> str:
    """The lecture of `entry` as one page. Pictures and stages that are gone are not in it."""
    found = entry.lecture()
    urls = InlineUrls("", library)
    charts = found.charts.by_key
    blocks = {"columns": entry.data(), **_outputs(found, urls, notes), **_stages(library, entry)}
    blocks |= {f"plot-{key}": chart.spec for key, chart in charts.items()}
    scripts = {path: (render.STATIC / path).read_text(encoding="utf-8") for c in charts.values() for path in c.scripts}
    inline = _inline("main.js", {name: Markup(escaped(data)) for name, data in blocks.items()}, scripts)
    return render.lecture(page(found, urls, entry.revision, notes=notes), inline)


def index(library: Library) -> str:
    """The index of the lectures beside it, as one page."""
    cards = site.cards(library, broken=False)
    return render.index(IndexPage(InlineUrls("", library), "", cards), _inline("old.js", {}, {}))


def compare(library: Library, name: str) -> str:
    """What recordings of one lecture measured, as one page. Raises NotListed when there is but one."""
    return render.compare(site.compare(library, name, InlineUrls("../", library)), _inline("old.js", {}, {}))


def _inline(entry: str, blocks: dict[str, Markup], libraries: dict[str, str]) -> Inline:
    """What the page holds: it may run the scripts `libraries`, by id, once it needs them."""
    style = "".join(bundle.style(render.STATIC / name) for name in ("app.css", "kernel.css"))
    theme = (render.STATIC / "theme.js").read_text(encoding="utf-8")
    script = bundle.script(render.STATIC, entry)
    runs = " ".join(bundle.digest(text) for text in (theme, script, *libraries.values()))
    policy = (
        f"default-src 'none'; script-src {runs}; "
        f"style-src {bundle.digest(style)}; img-src data: blob:; media-src data:; font-src data:; connect-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    held = {name: Markup(text) for name, text in libraries.items()}
    return Inline(Markup(style), Markup(theme), Markup(script), policy, blocks, held)


def _outputs(found: Lecture, urls: Urls, notes: bool) -> dict[str, bytes]:
    """The outputs that the page itself does not hold."""
    return {
        f"outputs-{number}-{chunk}": site.outputs(found, number, chunk, notes, urls)
        for number, spot in enumerate(found.visits.spots)
        if len(spot.groups) > INLINE_GROUPS
        for chunk in range(-(-len(spot.groups) // CHUNK))
    }


def _stages(library: Library, entry: Entry) -> dict[str, bytes]:
    found = {}
    for key in sorted({variant.key for variant, _ in variants(entry.trace) if variant.stages}):
        with contextlib.suppress(NotListed):
            found[f"kernel-{key}"] = library.stages.json(*library.variant(key))
    return found


def escaped(data: bytes) -> str:
    """JSON that can stand inside a script element: no `</`, no `<!--`."""
    return data.decode().replace("<", "\\u003c")
