"""Links: to a page, to a work, to a place in the lecture's own code."""

import inspect
from functools import partial
from pathlib import Path
from typing import Any

from engine import sink
from engine.references import Reference
from engine.trace import Link
from engine.words import clean


def known_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """`fields` without those a Reference has not, each of which is a warning."""
    known = Reference.__dataclass_fields__.keys()
    for name in fields.keys() - known:
        sink.warn(f"link() takes no {name!r}; a reference has {', '.join(known)}")
    return {name: value for name, value in fields.items() if name in known}


def to_page(reference: Any) -> None:
    """Show a reference: ours, or one with the same attributes from the lecture's own `reference.py`."""
    part = {name: getattr(reference, name, None) for name in Reference.__dataclass_fields__}
    url = clean(str(part["url"] or ""))
    authors = part["authors"] or ([part["organization"]] if part["organization"] else [])
    said = "\n\n".join(clean(str(words)) for words in (part["description"], part["notes"]) if words)
    title = clean(str(part["title"] or url)).strip()
    if not title:
        return
    shown = Link(
        title, url, authors=tuple(clean(str(name)) for name in authors), date=str(part["date"] or "")[:10],
        description=said,
    )  # fmt: skip
    sink.emit(shown, title if title == url or not url else f"{title} ({url})")


def to_source(thing: object, title: str) -> None:
    """Show a link to the source of `thing`."""
    inner = _unwrapped(thing)
    place = _place(inner)
    if place is None or not Path(place[0]).is_file():
        kind = type(thing).__name__
        sink.warn(f"link() takes an address, a Reference, or a function or class written in a file, not this {kind}")
        return
    path, line = place
    name = title or getattr(inner, "__name__", "") or type(inner).__name__
    shown = sink.current.display_path(path) if sink.current is not None else path
    sink.emit(Link(name, path=shown, line=line), f"{name} ({path}:{line})")


def _unwrapped(thing: Any) -> Any:
    """What is under decorators, partials, methods, `torch.compile` and Triton's `jit` and `autotune`."""
    for _ in range(20):  # a cycle of wrappers ends here
        inner = thing.func if isinstance(thing, partial) else None
        if not isinstance(thing, type):
            for name in ("__wrapped__", "_torchdynamo_orig_callable", "__func__", "fn"):
                inner = inner or getattr(thing, name, None)
        if inner is None:
            break
        thing = inner
    return thing


def _place(thing: Any) -> tuple[str, int] | None:
    """File and first line of the source of `thing`, decorators included."""
    code = getattr(thing, "__code__", None)
    if code is not None:
        return code.co_filename, code.co_firstlineno
    if inspect.ismodule(thing):
        return (thing.__file__, 1) if thing.__file__ else None
    try:
        kind = thing if isinstance(thing, type) else type(thing)
        path = inspect.getsourcefile(kind)
        return (path, inspect.getsourcelines(kind)[1]) if path else None
    except (OSError, TypeError):
        return None
