"""References to papers and pages: written out by the author, or looked up on arXiv."""

import html.parser
import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass, replace
from typing import Any

from engine import assets, sink
from engine.downloads import DownloadError

_ARXIV = re.compile(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/([\w.-]+/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?/?")
_ATOM = "{http://www.w3.org/2005/Atom}"
_SIZE = 2 * 1024 * 1024


@dataclass(frozen=True)
class Reference:
    """A work to cite. Every part is optional; `link(reference)` shows what there is."""

    title: str | None = None
    authors: list[str] | None = None
    organization: str | None = None
    date: str | None = None
    "`YYYY`, `YYYY-MM` or `YYYY-MM-DD`, with or without a time after it."
    url: str | None = None
    description: str | None = None
    notes: str | None = None
    "What the lecturer has to say about it."

    @property
    def label(self) -> str:
        """The work in a few characters: `[Vaswani+ 2017]`, else its title, else its address, in brackets."""
        if not self.authors:
            return f"[{self.title or self.url or '?'}]"
        first = self.authors[0]
        name = first if "Team" in first.split() else f"{first.split()[-1]}{'+' if len(self.authors) > 1 else ''}"
        return f"[{name} {(self.date or '?')[:4]}]"


def url_reference(url: str, **fields: Any) -> Reference:
    """A reference to the page at `url`; what arXiv knows of it is filled in, `fields` (those of Reference) come first.

    Nothing is shown. An arXiv entry that cannot be had is a reference whose title is the address, and a warning;
    it is asked for once in a recording and kept under `files/`. Without a recording nothing is fetched.
    """
    known = _arxiv(url) if _ARXIV.fullmatch(url) else Reference(url=url)
    return replace(known, **fields)


def is_arxiv_link(url: str) -> bool:
    """Whether `url` is a page of arXiv."""
    return url.startswith(("https://arxiv.org/", "http://arxiv.org/"))


def _arxiv(url: str) -> Reference:
    match = _ARXIV.fullmatch(url)
    assert match is not None
    try:
        return replace(_entry(match[1]), url=url)
    except DownloadError as error:
        sink.warn(f"no arXiv entry for {url}: {error}")
        return Reference(title=url, url=url)


def _entry(paper: str) -> Reference:
    """The entry of `paper`: from the page that newer versions of the original keep, else from the API.

    Raises DownloadError.
    """
    page = assets.cached("arxiv", f"https://arxiv.org/abs/{paper}", _from_page)
    if page is not None:
        return page[1]
    return assets.kept("arxiv", f"http://export.arxiv.org/api/query?id_list={paper}", _from_feed, _SIZE)[1]


def _from_feed(data: bytes) -> Reference:
    """The first entry of an Atom feed. Raises ValueError where there is none."""
    try:
        entry = xml.fromstring(data).find(f"{_ATOM}entry")
    except xml.ParseError as error:
        raise ValueError(f"what arXiv answered is not a feed ({error})") from error
    title = _line(entry.findtext(f"{_ATOM}title")) if entry is not None else ""
    if entry is None or not title or title == "Error":
        raise ValueError("arXiv knows no such paper")
    authors = [_line(author.findtext(f"{_ATOM}name")) for author in entry.findall(f"{_ATOM}author")]
    return Reference(
        title=title,
        authors=[author for author in authors if author],
        date=_line(entry.findtext(f"{_ATOM}published"))[:10],
        description=_line(entry.findtext(f"{_ATOM}summary")),
    )


class _Meta(html.parser.HTMLParser):
    """Collects the `<meta>` tags of a page by name or property."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        name = fields.get("name") or fields.get("property")
        if tag == "meta" and name:
            self.found.setdefault(name, []).append(_line(fields.get("content")))


def _from_page(data: bytes) -> Reference:
    """The entry in the page of a paper. Raises ValueError where the page names no title."""
    reader = _Meta()
    reader.feed(data.decode("utf-8", "replace"))
    meta = reader.found
    if not meta.get("citation_title"):
        raise ValueError("the page names no paper")
    return Reference(
        title=meta["citation_title"][0],
        authors=[" ".join(reversed(name.split(", ", 1))) for name in meta.get("citation_author", [])],
        date=(meta.get("citation_date") or [""])[0].replace("/", "-"),
        description=(meta.get("citation_abstract") or meta.get("og:description") or [""])[0],
    )


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
