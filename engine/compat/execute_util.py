"""The original's calls, under its names: `from execute_util import text`, `from edtrace import text`."""

from engine.api import graph, image, link, make_graph, note, plot, system_text, text, video
from engine.references import Reference, url_reference

__all__ = [
    "Reference", "graph", "image", "is_url", "link", "make_graph", "note", "plot", "system_text", "text",
    "url_reference", "video",
]  # fmt: skip


def is_url(url: str) -> bool:
    """Whether `url` is an address, and not the path of a file."""
    return url.startswith(("http://", "https://"))
