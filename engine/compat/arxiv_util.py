"""Papers on arXiv."""

from typing import Any

from engine.references import Reference, is_arxiv_link, url_reference

__all__ = ["arxiv_reference", "is_arxiv_link"]


def arxiv_reference(url: str, **fields: Any) -> Reference:
    """The reference of the paper at `url`, looked up once and kept; its address alone where arXiv cannot be asked."""
    return url_reference(url, **fields)
