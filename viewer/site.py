"""What the viewer publishes, address by address, whoever carries it: the server and the export give the same bytes."""

from dataclasses import replace
from urllib.parse import quote

import msgspec

from engine.trace import Variant
from viewer import render
from viewer.errors import NotListed
from viewer.kernels import Compiled
from viewer.lecture import CHUNK, Lecture, page
from viewer.library import Entry, Library, card
from viewer.measured import measured, measures, same_lecture
from viewer.pages import Card, ComparePage, ErrorPage, IndexPage
from viewer.urls import Urls

TOP, BELOW, DEEPER = Urls("./"), Urls("../"), Urls("../../")


def index(library: Library, broken: bool = True, base: str = "") -> str:
    """The index of recordings as HTML, those that cannot be shown last; without `broken`, only what can be shown."""
    return render.index(IndexPage(TOP, str(library.traces), cards(library, broken), address=base))


def cards(library: Library, broken: bool) -> list[Card]:
    """What the index says of each recording."""
    found = [card(entry) for entry in library.entries() if broken or entry.trace]
    found = found if broken else [replace(card, failed="") for card in found]
    measuring = _measuring(library)
    found = [replace(card, compared=len(_compared(measuring, card.name)) > 1) for card in found]
    return sorted(found, key=lambda card: (card.status == "broken", card.name))


def lecture(entry: Entry, notes: bool = True, live: bool = False, base: str = "") -> str:
    """A lecture's page as HTML; of a file that cannot be shown, a page that says why.

    `base` is the address under which the site is published, where that is known.
    """
    if entry.trace is None:
        return render.error(ErrorPage(BELOW, f"{entry.path.name} cannot be shown", f"{entry.problem}."))
    address = f"{base}{quote(entry.name)}/" if base else ""
    made = f"{notes} {live} {address}"
    if made not in entry.html:
        shown = page(entry.lecture(), BELOW, entry.revision, notes=notes, live=live, address=address)
        entry.html[made] = render.lecture(shown)
    return entry.html[made]


def _measuring(library: Library) -> list[Entry]:
    """The recordings that measured something."""
    return [entry for entry in library.entries() if entry.trace and measures(entry.trace)]


def _compared(measuring: list[Entry], name: str) -> list[Entry]:
    """The recording `name` and then the others of its lecture among those `measuring`; none where it is not one."""
    own = [entry for entry in measuring if entry.name == name]
    return own + [entry for entry in measuring if own and entry.name != name and _same(entry, own[0])]


def _same(one: Entry, other: Entry) -> bool:
    return one.trace is not None and other.trace is not None and same_lecture(one.trace, other.trace)


def compare(library: Library, name: str, urls: Urls = DEEPER) -> ComparePage:
    """What the recordings of one lecture measured. Raises NotListed when there is but one."""
    entries = _compared(_measuring(library), name)
    if len(entries) < 2:
        raise NotListed(f"there is no other recording of {name!r} that measured something")
    cards = [replace(card(entry), failed="") for entry in entries]
    figures = measured([entry.trace for entry in entries if entry.trace])
    return ComparePage(urls, f"{cards[0].title}: measured", cards, figures)


def outputs(found: Lecture, spot: int, chunk: int, notes: bool = True, urls: Urls = BELOW) -> bytes:
    """The groups of outputs `chunk` * CHUNK and following of one statement, as a JSON list of HTML.

    Raises NotListed when there are none.
    """
    groups = found.visits.spots[spot].groups if 0 <= spot < len(found.visits.spots) else []
    wanted = groups[chunk * CHUNK : (chunk + 1) * CHUNK] if chunk >= 0 else []
    if not wanted:
        raise NotListed(f"{found.name!r} has no outputs {spot}-{chunk}")
    kernels = tuple(found.trace.kernels)
    html = [render.outputs(found.outputs(group, notes), urls, kernels, found.charts) for group in wanted]
    return msgspec.json.encode([str(part) for part in html])


def chart(found: Lecture, key: str) -> bytes:
    """The specification of a chart of the lecture, as JSON. Raises NotListed when it has none such."""
    if key not in found.charts.by_key:
        raise NotListed(f"{found.name!r} has no chart {key!r}")
    return found.charts.by_key[key].spec


def renewed(variant: Variant, compiled: Compiled) -> bytes:
    """A variant that is in no recording, with its linked stages, as JSON."""
    return msgspec.json.encode({"variant": variant, "compiled": compiled})
