"""Files of kernels that have been saved since they were recorded: on the author's own machine, where they still lie."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from engine.trace import Kernel, Trace
from viewer.bounds import inside
from viewer.errors import NotListed

SUFFIXES = {".py", ".cu", ".cuh"}


class Workshop:
    """The folder that recordings were made in, `root`; nothing outside it is looked at."""

    def __init__(self, root: Path) -> None:
        self.root = root

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
        """By number of the kernel, in words: a digest of its file's text, for those files that are no longer as
        recorded."""
        found = {}
        for number, kernel, recorded in _kernels(trace):
            try:
                text = self.text(kernel.path)
            except NotListed:
                continue
            if text != recorded:
                found[str(number)] = hashlib.sha256(text.encode()).hexdigest()[:16]
        return found

    def folders(self, traces: Iterator[Trace | None]) -> set[Path]:
        """Where the files of the recordings' kernels lie."""
        found = set()
        for trace in traces:
            for _, kernel, _ in _kernels(trace):
                try:
                    found.add(self._file(kernel.path).parent)
                except NotListed:
                    continue
        return found


def _kernels(trace: Trace | None) -> Iterator[tuple[int, Kernel, str]]:
    """Number, kernel and the recorded text of its file, of the kernels that could be compiled anew."""
    sources = {file.path: file.source for file in trace.files} if trace else {}
    for number, kernel in enumerate(trace.kernels if trace else ()):
        if kernel.path in sources and any(variant.stages for variant in kernel.variants):
            yield number, kernel, sources[kernel.path]
