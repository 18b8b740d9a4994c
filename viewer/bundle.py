"""The viewer's scripts and styles as text to stand inside one page, for pages that are opened as files.

The modules under static/ keep to four forms of import and export, so that joining them needs no build step. Each on a
line of its own: `import { a, b } from "./x.js";`, `import * as x from "./x.js";`, and `export` before a declaration.
Anywhere: `import("./x.js")`, for a module that is loaded when it is first needed.
"""

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from viewer.errors import ViewerError

_IMPORT = re.compile(
    r'^import (?:\* as (?P<all>\w+)|\{(?P<names>[^}]*)\}) from "\./(?P<file>[\w./-]+)";$', re.MULTILINE
)
_LATER = re.compile(r'\bimport\("\./(?P<file>[\w./-]+)"\)')
_EXPORT = re.compile(r"^export ((?:async )?function|class|const|let) (\w+)", re.MULTILINE)
_ADDRESS = re.compile(r'url\("([^"]+)"\)')
_ONCE = "const once = (make) => { let made; return () => (made ??= make()); };"


def script(folder: Path, entry: str) -> str:
    """The module `entry` of `folder` and all it imports, as one script. Raises ViewerError for other imports.

    What is imported later is run when it is first asked for, as it would be if it were a file.
    """
    at_once = [*modules(folder, entry), entry]
    later = [name for name in _all(folder, at_once) if name not in at_once]
    parts = [_scoped(folder, name, later) for name in (*later, *at_once)]
    return "\n".join([_ONCE, *parts] if later else parts)


@lru_cache(maxsize=4)
def modules(folder: Path, entry: str) -> tuple[str, ...]:
    """The modules that `entry` of `folder` imports at once, directly or not, each after those it imports itself."""
    order: list[str] = []
    _visit(folder, entry, order)
    return tuple(order[:-1])


def _visit(folder: Path, name: str, order: list[str]) -> None:
    """Append `name` to `order` after the modules it imports."""
    if name in order:
        return
    for found in _IMPORT.finditer(_read(folder, name)):
        _visit(folder, found["file"], order)
    order.append(name)


def _all(folder: Path, names: list[str]) -> list[str]:
    """The modules `names`, and those that they import later, with all that these import."""
    order = list(names)
    for name in order:
        for found in _LATER.finditer(_read(folder, name)):
            _visit(folder, found["file"], order)
    return order


def _read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _scoped(folder: Path, name: str, later: list[str]) -> str:
    """One module as a constant that holds what it exports; one of `later`, as a function that gives that."""

    def imported(found: re.Match[str]) -> str:
        parts = (part.strip().replace(" as ", ": ") for part in (found["names"] or "").split(","))
        return f"const {found['all'] or '{ ' + ', '.join(parts) + ' }'} = {_held(found['file'], later)};"

    text = _read(folder, name)
    exports = [found[2] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub(r"\1 \2", _LATER.sub(r"Promise.resolve().then(() => \g<0>)", _IMPORT.sub(imported, text)))
    body = _LATER.sub(lambda found: _held(found["file"], later), body)
    if re.search(r"^(import|export)\b|\bimport\(", body, re.MULTILINE):
        raise ViewerError(f"{name} imports or exports in a form that cannot be joined into one script")
    inside = f"() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}}"
    return f"const {_constant(name)} = " + (f"once({inside});" if name in later else f"({inside})();")


def _held(name: str, later: list[str]) -> str:
    """What a module exports, in words of the script."""
    return f"{_constant(name)}()" if name in later else _constant(name)


def _constant(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))


@lru_cache(maxsize=4)
def style(path: Path) -> str:
    """A style sheet with the fonts it asks for inside it."""
    return _ADDRESS.sub(lambda found: f'url("{data_url(path.parent / found[1])}")', path.read_text(encoding="utf-8"))


def data_url(path: Path) -> str:
    """A file as an address that holds it."""
    kind = "font/woff2" if path.suffix == ".woff2" else guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"


def digest(text: str) -> str:
    """What a content security policy calls the script or style `text`."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
