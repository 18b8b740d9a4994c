"""The viewer's scripts and styles as text to stand inside one page, for pages that are opened as files.

The modules under static/ keep to three forms of import and export, each on one line, so that joining them needs no
build step: `import { a, b } from "./x.js";`, `import * as x from "./x.js";`, and `export` before a declaration.
"""

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from viewer.errors import ViewerError

_IMPORT = re.compile(r'^import (?:\* as (?P<all>\w+)|\{(?P<names>[^}]*)\}) from "\./(?P<file>[\w.-]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|class|const|let) (\w+)", re.MULTILINE)
_ADDRESS = re.compile(r'url\("([^"]+)"\)')


def script(folder: Path, entry: str) -> str:
    """The module `entry` of `folder` and all it imports, as one script. Raises ViewerError for other imports."""
    order: list[str] = []
    _visit(folder, entry, order)
    return "\n".join(_scoped(name, (folder / name).read_text(encoding="utf-8")) for name in order)


@lru_cache(maxsize=4)
def modules(folder: Path, entry: str) -> tuple[str, ...]:
    """The modules that `entry` of `folder` imports, directly or not."""
    order: list[str] = []
    _visit(folder, entry, order)
    return tuple(order[:-1])


def _visit(folder: Path, name: str, order: list[str]) -> None:
    """Append `name` to `order` after the modules it imports."""
    if name in order:
        return
    for found in _IMPORT.finditer((folder / name).read_text(encoding="utf-8")):
        _visit(folder, found["file"], order)
    order.append(name)


def _scoped(name: str, text: str) -> str:
    """One module as a constant that holds what it exports."""
    exports = [found[2] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(_imported, text))
    if re.search(r"^(import|export)\b", body, re.MULTILINE):
        raise ViewerError(f"{name} imports or exports in a form that cannot be joined into one script")
    return f"const {_constant(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _imported(found: re.Match[str]) -> str:
    parts = (part.strip().replace(" as ", ": ") for part in (found["names"] or "").split(","))
    return f"const {found['all'] or '{ ' + ', '.join(parts) + ' }'} = {_constant(found['file'])};"


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
