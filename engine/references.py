"""References to papers and pages: written out by the author, or looked up on arXiv."""

import re
from dataclasses import dataclass, replace
from typing import Any

from engine import assets, sink
from engine.downloads import DownloadError

_ARXIV = re.compile(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/([\w.-]+/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?/?")
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
    url = str(url)
    known = _arxiv(url) if _ARXIV.fullmatch(url) else Reference(url=url)
    return replace(known, **fields)


def is_arxiv_link(url: str) -> bool:
    """Whether `url` is a page of arXiv."""
    return url.startswith(("https://arxiv.org/", "http://arxiv.org/"))


def _arxiv(url: str) -> Reference:
    match = _ARXIV.fullmatch(url)
    assert match is not None
    try:
        return Reference(url=url, **_entry(match[1]))
    except DownloadError as error:
        sink.warn(f"no arXiv entry for {url}: {error}")
        return Reference(title=url, url=url)


def _entry(paper: str) -> dict[str, Any]:
    """What is known of `paper`: from the page that newer versions of the original keep, else from the API.

    Raises DownloadError.
    """
    from engine.arxiv import from_feed, from_page  # their parsers take 10 ms to import

    page = assets.cached("arxiv", f"https://arxiv.org/abs/{paper}", from_page)
    if page is not None:
        return page[1]
    return assets.kept("arxiv", f"http://export.arxiv.org/api/query?id_list={paper}", from_feed, _SIZE)[1]
