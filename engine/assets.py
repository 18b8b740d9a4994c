"""Pictures and films of a lecture: found or fetched, and kept under `files/` beside the traces.

The names there are the original engine's, `PREFIX-MD5-NAME` with the MD5 of the address, so that what others have
cached already is used. Files of the lecture's own machine have the MD5 of their bytes instead.

Files are kept as they came. An SVG may hold scripts, and nothing here takes them out. Who serves `files/` makes them
harmless: the viewer shows pictures in `<img>`, where SVG runs no scripts, and serves them under a content security
policy that forbids scripts.
"""

import binascii
import hashlib
import re
import weakref
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes, urlsplit

from engine import media, sink
from engine.downloads import DownloadError, Downloads
from engine.errors import EngineError
from engine.media import Medium
from engine.trace import write_whole

T = TypeVar("T")

SIZE: dict[Medium, int] = {"image": 20 * 1024**2, "video": 200 * 1024**2}
"The largest picture and film taken, in bytes."


class Asset(NamedTuple):
    """Where a picture or film is kept: a name under `files/`, or why it could not be had."""

    file: str
    reason: str = ""


@dataclass
class _Run:
    """What one recording remembers about its files."""

    downloads: Downloads = field(default_factory=Downloads)
    names: Counter[str] = field(default_factory=Counter)


_run = _Run()
_owner: Callable[[], object] = lambda: None


def _current() -> _Run:
    """The memory of the recording that runs, a new one for each."""
    global _run, _owner
    if sink.current is None:
        return _Run()
    if _owner() is not sink.current:
        _run, _owner = _Run(), weakref.ref(sink.current)
    return _run


def downloads() -> Downloads:
    """What the recording that runs has fetched and failed to fetch."""
    return _current().downloads


def asset(source: str, medium: Medium) -> Asset:
    """Keep the picture or film `source`: a path (absolute, beside the lecture or in the working folder), an http(s)
    address or a `data:` address. Never raises for one that cannot be had; `reason` then says why.
    """
    try:
        if re.match(r"https?://", source, re.IGNORECASE):
            return Asset(_remote(source, medium))
        if source.startswith("data:"):
            data, name = _inline(source), "data"
        else:
            path = find(source)
            data, name = _read(path, SIZE[medium]), path.stem
        return Asset(save(medium, name, media.suffix(data, medium), data))
    except (EngineError, ValueError) as error:
        return Asset("", str(error))


def save(prefix: str, name: str, suffix: str, data: bytes) -> str:
    """Keep `data` under `files/` and return its name there, which its content decides: equal files are kept once.

    Raises TraceError when it cannot be written.
    """
    return _write(f"{prefix}-{hashlib.md5(data).hexdigest()}-{_safe(name)}{suffix}", data)


def save_again(prefix: str, name: str, suffix: str, data: bytes) -> str:
    """Keep `data`, which differs from one recording to the next, in the place it had in the last one.

    The place is decided by the lecture, `name` and how often that name came before, so that recording twenty times
    an hour does not fill the disk. Returns the name under `files/`. Raises TraceError.
    """
    names, what = _current().names, f"{prefix}-{name}{suffix}"
    names[what] += 1
    lecture = sink.current.lecture if sink.current is not None else ""
    key = hashlib.md5(f"{lecture}\n{what}\n{names[what]}".encode("utf-8", "replace")).hexdigest()
    return _write(f"{prefix}-{key}-{_safe(name)}{suffix}", data)


def cached_name(prefix: str, url: str) -> str:
    """The name the original engine gives the answer of `url`."""
    suffix = re.search(r"[^/.](\.\w{1,10})$", urlsplit(url).path)
    return _key(prefix, url) + _safe(url) + (suffix[1] if suffix else "")


def kept(prefix: str, url: str, parse: Callable[[bytes], T], size: int) -> tuple[str, T]:
    """The name under `files/` of the answer of `url`, and `parse` of it: from a cache, else fetched and then kept.

    `parse` raises ValueError for an answer that is not what it should be. Such a one is not kept, and one in a cache
    (the original keeps error pages too) is fetched anew. Raises DownloadError; without a recording nothing is fetched.
    """
    found = cached(prefix, url, parse)
    if found is not None:
        return found
    if sink.current is None:
        raise DownloadError("nothing is fetched without a recording")
    data = downloads().get(url, size)
    try:
        value = parse(data)
    except ValueError as error:
        downloads().failures[url] = str(error)
        raise DownloadError(str(error)) from error
    return _write(cached_name(prefix, url), data), value


def cached(prefix: str, url: str, parse: Callable[[bytes], T]) -> tuple[str, T] | None:
    """Like `kept`, from a cache only; None where no cache has it.

    Caches are `files/`, and `var/files/` in the working folder and beside the lecture, where the original put it.
    """
    key = _key(prefix, url)
    for folder in _caches():
        for path in sorted(folder.glob(f"{key}*")):
            try:
                data = path.read_bytes()
                value = parse(data)
            except (OSError, ValueError):
                continue
            return _write(path.name, data), value
    return None


def _remote(url: str, medium: Medium) -> str:
    """The name under `files/` of the picture or film at `url`, with the suffix of what it is. Raises EngineError.

    The original keeps names without a suffix, or with a wrong one; a static server then says the wrong type.
    """

    def check(data: bytes) -> tuple[str, bytes]:
        return media.suffix(data, medium), data

    name, (suffix, data) = kept(medium, url, check, SIZE[medium])
    return name if name.endswith(suffix) else _write(f"{_key(medium, url)}{_safe(url)}{suffix}", data)


def _inline(source: str) -> bytes:
    """What a `data:` address holds. Raises ValueError."""
    head, comma, body = source.partition(",")
    if not comma:
        raise ValueError("the data: address has no comma, so no data")
    raw = unquote_to_bytes(body)
    if not head.endswith(";base64"):
        return raw
    try:
        return b64decode(raw, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the data: address is not base64 ({error})") from error


def find(source: str) -> Path:
    """The file `source` names: beside the lecture first, then in the working folder. Raises ValueError."""
    folders = [Path()] if sink.current is None else [sink.current.lecture.parent, Path()]
    for folder in folders:
        try:
            if (folder / source).is_file():
                return folder / source
        except (OSError, ValueError):  # too long a name, a NUL in it
            break
    raise ValueError("there is no such file, neither beside the lecture nor in the working folder")


def _read(path: Path, size: int) -> bytes:
    try:
        if path.stat().st_size > size:
            raise ValueError(f"{path.name!r} is larger than {size / 1024**2:g} MiB")
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {path.name!r}: {error.strerror}") from error


def _caches() -> list[Path]:
    """Folders that may hold files of the original engine, the recording's own first."""
    folders = [Path("var/files")]
    if sink.current is not None:
        folders = [_files(), *folders, sink.current.lecture.parent / "var/files"]
    return [folder for folder in folders if folder.is_dir()]


def _files() -> Path:
    assert sink.current is not None
    return sink.current.store / "files"


def _write(name: str, data: bytes) -> str:
    """Put `data` under `files/` unless it is there. Without a recording nothing is written."""
    if sink.current is not None:
        path = _files() / name
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            write_whole(data, path)
    return name


def _key(prefix: str, url: str) -> str:
    return f"{prefix}-{hashlib.md5(url.encode('utf-8', 'replace')).hexdigest()}-"


def _safe(name: str) -> str:
    """`name` as the original writes it, cut so that a file system takes it: letters, digits, `_` and `-`."""
    return re.sub(r"[^\w-]+", "_", name).encode("utf-8", "ignore")[:160].decode("utf-8", "ignore")
