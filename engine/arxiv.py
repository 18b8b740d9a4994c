"""What arXiv says of a paper, as the fields of a `Reference`: its API's feed, and the page of the paper."""

import html.parser
import xml.etree.ElementTree as xml
from typing import Any

_ATOM = "{http://www.w3.org/2005/Atom}"


def from_feed(data: bytes) -> dict[str, Any]:
    """The first entry of an Atom feed. Raises ValueError where there is none."""
    try:
        entry = xml.fromstring(data).find(f"{_ATOM}entry")
    except xml.ParseError as error:
        raise ValueError(f"what arXiv answered is not a feed ({error})") from error
    title = _line(entry.findtext(f"{_ATOM}title")) if entry is not None else ""
    if entry is None or not title or title == "Error":
        raise ValueError("arXiv knows no such paper")
    authors = [_line(author.findtext(f"{_ATOM}name")) for author in entry.findall(f"{_ATOM}author")]
    return {
        "title": title,
        "authors": [author for author in authors if author],
        "date": _line(entry.findtext(f"{_ATOM}published"))[:10],
        "description": _line(entry.findtext(f"{_ATOM}summary")),
    }


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


def from_page(data: bytes) -> dict[str, Any]:
    """The entry in the page of a paper. Raises ValueError where the page names no title."""
    reader = _Meta()
    reader.feed(data.decode("utf-8", "replace"))
    meta = reader.found
    if not meta.get("citation_title"):
        raise ValueError("the page names no paper")
    return {
        "title": meta["citation_title"][0],
        "authors": [" ".join(reversed(name.split(", ", 1))) for name in meta.get("citation_author", [])],
        "date": (meta.get("citation_date") or [""])[0].replace("/", "-"),
        "description": (meta.get("citation_abstract") or meta.get("og:description") or [""])[0],
    }


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
