"""Files of kernels that have been saved since they were recorded: on the author's own machine, where they still lie."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.trace import Trace
from viewer.bounds import inside
from viewer.errors import NotListed

SUFFIXES = {".py", ".cu", ".cuh"}
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

    def saved(self, trace: Trace | None) -> dict[str, str]:
        """By key of the variant, a digest of its kernel's file, where that file is no longer as recorded."""
        sources = {file.path: file.source for file in trace.files} if trace else {}
        found = {}
        for path, keys in self._files(trace):
            try:
                text = self.text(path)
            except NotListed:
                continue
            if text != sources.get(path):
                found.update(dict.fromkeys(keys, hashlib.sha256(text.encode()).hexdigest()[:16]))
        return found

    def folders(self, traces: Iterable[Trace | None]) -> set[Path]:
        """Where the files of the recordings' kernels lie."""
        found = set()
        for path in {path for trace in traces for path, _ in self._files(trace)}:
            try:
                found.add(self._file(path).parent)
            except NotListed:
                continue
        return found

    def _files(self, trace: Trace | None) -> Iterator[tuple[str, list[str]]]:
        """Files of kernels, and the keys of those of their variants that can be compiled anew."""
        for kernel in trace.kernels if trace else ():
            keys = [variant.key for variant in kernel.variants if variant.stages and self._kept(variant.key)]
            if keys:
                yield kernel.path, keys

    def _kept(self, key: str) -> bool:
        try:
            return inside(self.store / "kernels", f"{key}/{WORK}").is_file()
        except NotListed:
            return False
