"""Files that kernels were compiled from, saved since the recording: on the author's own machine, where they lie."""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from engine.trace import Trace
from viewer.bounds import inside
from viewer.errors import NotListed
from viewer.library import sources

SUFFIXES = {".py", ".cu", ".cuh", ".h", ".hpp"}
WORK = "work.json"
"What the engine leaves beside the stages of a variant that it can compile anew."


class Workshop:
    """The folder that recordings were made in, `root`; nothing outside it is looked at. Their store is `store`."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root = root
        self.store = store

    def text(self, path: str) -> str:
        """What now stands in the file that a recording calls `path`. Raises NotListed where there is none here."""
        file = self._file(path)
        try:
            return file.read_text(encoding="utf-8", errors="backslashreplace")  # as when it is recorded
        except OSError as error:
            raise NotListed(f"{path!r} cannot be read: {error.strerror}") from error

    def _file(self, path: str) -> Path:
        if Path(path).suffix not in SUFFIXES:
            raise NotListed(f"{path!r} is no kernel's file")
        return inside(self.root, path)

    def changed(self, recorded: Mapping[str, str]) -> dict[str, str]:
        """What now stands in those files that are no longer as `recorded`, by path. One that is gone is no change."""
        found = {}
        for path, text in recorded.items():
            with contextlib.suppress(NotListed):
                if (now := self.text(path)) != text:
                    found[path] = now
        return found

    def saved(self, trace: Trace | None) -> dict[str, str]:
        """By key of the variant, a digest of what it is compiled from, where that is no longer as recorded."""
        renewable = dict(self._renewable(trace))
        now = self.changed({path: text for recorded in renewable.values() for path, text in recorded.items()})
        found = {}
        for key, recorded in renewable.items():
            if changed := {path: now[path] for path in recorded if path in now}:
                found[key] = hashlib.sha256(repr(changed).encode()).hexdigest()[:16]
        return found

    def folders(self, traces: Iterable[Trace | None]) -> set[Path]:
        """Where the files lie that the recordings' kernels were compiled from."""
        found = set()
        for path in {path for trace in traces for _, recorded in self._renewable(trace) for path in recorded}:
            with contextlib.suppress(NotListed):
                found.add(self._file(path).parent)
        return found

    def _renewable(self, trace: Trace | None) -> Iterator[tuple[str, dict[str, str]]]:
        """Key of each variant that can be compiled anew, and the files it was compiled from."""
        for kernel in trace.kernels if trace else ():
            for variant in kernel.variants:
                if trace and variant.stages and self._kept(variant.key):
                    yield variant.key, sources(trace, kernel, variant)

    def _kept(self, key: str) -> bool:
        try:
            return inside(self.store / "kernels", f"{key}/{WORK}").is_file()
        except NotListed:
            return False
