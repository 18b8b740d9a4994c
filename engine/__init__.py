"""A lecture is a Python program; this package records it. These are the names a lecture imports."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes long to import, and Ctrl-C is not seen to yet; see engine/__main__.py
    from typing import Any

_HOMES = {
    "text": "api", "image": "api", "video": "api", "link": "api", "note": "api", "plot": "api", "graph": "api",
    "make_graph": "api", "table": "api", "system_text": "api", "kernel": "api", "observe": "api", "Reference": "api",
    "url_reference": "api", "profile": "measure", "benchmark": "measure",
}  # fmt: skip

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> "Any":
    """Import each name when it is first used, so that reading a trace loads none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"engine.{_HOMES[name]}"), name)
